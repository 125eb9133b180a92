//! Attributes of `wp.array` that are more than a field: type, shape and strides, also those of annotations, address, and the
//! attributes of a program's own.

use super::relayout;
use crate::dtype::{class_of, object_of};
use crate::object::Array;
use crate::object::access::check_address;
use crate::object::error::{Code, error};
use crate::object::package::PACKAGE;
use crate::object::shape::shape as read_shape;
use crate::runtime::device;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use warp_core::ty::Pattern;

/// Sets an attribute of the program's own, or deletes it.
///
/// # Errors
/// What Python raises.
pub fn set(
    array: &Bound<'_, Array>,
    name: &Bound<'_, PyAny>,
    value: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let value = value.map_or(std::ptr::null_mut(), Bound::as_ptr);
    // SAFETY: all are alive, and the lock is held; no value deletes.
    match unsafe { ffi::PyObject_GenericSetAttr(array.as_ptr(), name.as_ptr(), value) } {
        0 => Ok(()),
        _ => Err(PyErr::fetch(array.py())),
    }
}

/// `a.dtype`.
///
/// # Errors
/// Python has no memory.
pub fn dtype<'py>(py: Python<'py>, array: &Array) -> PyResult<Bound<'py, PyAny>> {
    match array.admits() {
        Some(Pattern::Array { of, .. }) => object_of(py, of),
        _ => class_of(py, array.view().elem),
    }
}

/// `a.shape`: of an annotation what was assigned to it.
///
/// # Errors
/// Python has no memory.
pub fn shape<'py>(py: Python<'py>, array: &Array) -> PyResult<Bound<'py, PyTuple>> {
    if array.is_annotation()
        && let Some(named) = array.named_shape(py)
    {
        return Ok(named);
    }
    PyTuple::new(py, array.view().layout().shape())
}

/// `a.shape = shape`.
///
/// # Errors
/// The array has another number of elements, or the annotation another number of dimensions.
pub fn set_shape(array: &Bound<'_, Array>, shape: Bound<'_, PyAny>) -> PyResult<()> {
    let this = array.get();
    if !this.is_annotation() {
        return relayout::set_shape(array, &read_shape(&shape)?);
    }
    let shape = shape.cast_into::<PyTuple>()?;
    if shape.len() != usize::from(this.view().ndim) {
        return Err(error(
            Code::Value,
            format!(
                "shape: {} entries for an annotation of {} dimensions",
                shape.len(),
                this.view().ndim
            ),
        ));
    }
    this.set_named_shape(shape.unbind());
    Ok(())
}

/// `a.strides`, or those that wait for their shape.
///
/// # Errors
/// Python has no memory.
pub fn strides<'py>(py: Python<'py>, array: &Array) -> PyResult<Bound<'py, PyTuple>> {
    match array.waiting_strides() {
        Some(strides) => PyTuple::new(py, strides),
        None => PyTuple::new(py, array.view().layout().strides()),
    }
}

/// `a.ptr`.
///
/// # Errors
/// The memory has been replaced, or the array belongs to a trace.
pub fn address(array: &Array) -> PyResult<Option<usize>> {
    check_address(&array.core, "ptr")?;
    let at = array.view().arg.data as usize;
    Ok((at != 0 && !array.view().layout().is_empty()).then_some(at))
}

/// `a.ptr = ptr`.
///
/// # Errors
/// The array has elements, or `ptr` is an address.
pub fn set_address(array: &Array, ptr: Option<usize>) -> PyResult<()> {
    match ptr {
        None if array.view().layout().is_empty() => Ok(()),
        _ => Err(error(
            Code::Value,
            "ptr: the memory of an array with elements stays what it is; wp.array(ptr=..., shape=..., dtype=...) makes an \
             array of other memory",
        )),
    }
}

/// `a.memory_kind`.
///
/// # Errors
/// Python has no memory.
pub fn memory_kind<'py>(py: Python<'py>, array: &Array) -> PyResult<Bound<'py, PyAny>> {
    let kinds = PACKAGE.memory_kind.get(py)?;
    kinds.getattr(device::memory_kind(array.view().device))
}

/// `hash(a)`: by identity, as that of any object that defines none.
pub fn hash(array: &Bound<'_, Array>) -> isize {
    // The low bits of all addresses are equal.
    (array.as_ptr() as usize).rotate_right(4).cast_signed()
}
