//! Arrays made where they stay: the value is written straight into its Python object.
//!
//! PyO3 makes objects from finished values, which are moved several times on their way; for an array, which is large,
//! and whose making takes a tenth of a microsecond, that is a good part of it. Where a class keeps the value is looked up in an
//! ordinary object, once; where the class looks otherwise than expected, PyO3 makes the objects.

use crate::dtype;
use crate::object::Array;
use pyo3::ffi;
use pyo3::prelude::*;
use std::ptr::null_mut;
use std::sync::OnceLock;
use warp_core::array::{Array as Core, Owner, View};
use warp_core::error::{Error, Result as CoreResult};
use warp_core::interop::{Desc, Framework, import};
use warp_core::ty::Elem;

/// How objects of the class are laid out.
struct Frame {
    class: *mut ffi::PyTypeObject,
    alloc: ffi::allocfunc,
    /// Bytes before the value; the list of weak references follows it.
    value: usize,
}

// SAFETY: the class lives as long as the process, and everything is constant.
unsafe impl Send for Frame {}
// SAFETY: as above.
unsafe impl Sync for Frame {}

static FRAME: OnceLock<Option<Frame>> = OnceLock::new();

/// Looks up how the class is laid out. Before that, and where it is unfamiliar, objects are made by PyO3.
///
/// # Errors
/// What Python raises.
pub fn probe(py: Python<'_>) -> PyResult<()> {
    let sample = Bound::new(
        py,
        Array::new(Core {
            view: View::EMPTY,
            owner: Owner::Nobody,
        }),
    )?;
    let class = py.get_type::<Array>();
    let value = std::ptr::from_ref(sample.get()) as usize - sample.as_ptr() as usize;
    let size: usize = class.getattr("__basicsize__")?.extract()?;
    let weak: usize = class.getattr("__weakrefoffset__")?.extract()?;
    // SAFETY: any class may be asked for its slot; the slot's function has that signature.
    let alloc = unsafe {
        let slot = ffi::PyType_GetSlot(class.as_type_ptr(), ffi::Py_tp_alloc);
        std::mem::transmute::<*mut std::ffi::c_void, Option<ffi::allocfunc>>(slot)
    };
    let expected = weak == value + size_of::<Array>() && size == weak + size_of::<usize>();
    let frame = alloc.filter(|_| expected).map(|alloc| Frame {
        class: class.into_ptr().cast(),
        alloc,
        value,
    });
    // A module that is initialised twice keeps what it has found.
    let _ = FRAME.set(frame);
    Ok(())
}

/// An array of what `dtype` names (or of the tensor's own scalars) on a tensor's memory.
///
/// # Errors
/// `dtype` names no type of values, or the tensor's memory cannot be shared, or holds none of it.
#[inline(always)]
pub fn shared_as<'py, F>(
    py: Python<'py>,
    tensor: &Bound<'py, PyAny>,
    dtype: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, Array>>
where
    F: Framework<Cx<'py> = Python<'py>, Tensor<'py> = Bound<'py, PyAny>, Error = PyErr>,
{
    // Apart, so that the commonest pays nothing for an element that it does not look at.
    match dtype {
        None => shared::<F>(py, tensor, None),
        Some(dtype) => typed::<F>(py, tensor, dtype),
    }
}

#[inline(never)]
fn typed<'py, F>(
    py: Python<'py>,
    tensor: &Bound<'py, PyAny>,
    dtype: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, Array>>
where
    F: Framework<Cx<'py> = Python<'py>, Tensor<'py> = Bound<'py, PyAny>, Error = PyErr>,
{
    match dtype::require_elem(dtype)? {
        // Apart: copying an element whose two bytes were just written makes the processor wait.
        Elem::Scalar(scalar) => shared::<F>(py, tensor, Some(Elem::Scalar(scalar))),
        elem => shared::<F>(py, tensor, Some(elem)),
    }
}

/// An array of `elem` (or of the tensor's own scalars) on a tensor's memory.
///
/// # Errors
/// The tensor's memory cannot be shared, or is none of `elem`.
#[inline(always)]
fn shared<'py, F>(
    py: Python<'py>,
    tensor: &Bound<'py, PyAny>,
    elem: Option<Elem>,
) -> PyResult<Bound<'py, Array>>
where
    F: Framework<Cx<'py> = Python<'py>, Tensor<'py> = Bound<'py, PyAny>, Error = PyErr>,
{
    let Some(Some(frame)) = FRAME.get() else {
        return Bound::new(py, Array::new(import::<F>(py, tensor, elem)?));
    };
    let mut desc = Desc::EMPTY;
    let owner = F::hold(tensor, &mut desc)?;
    match make(py, frame, owner, |view| desc.view_into(elem, view)) {
        Ok(array) => Ok(array),
        Err(PlacementError::Value(error)) => Err(F::raise(py, *error)),
        Err(PlacementError::Memory) => Err(PyErr::fetch(py)),
    }
}

/// Small, because what a function returns is copied whether it failed or not.
enum PlacementError {
    /// What the memory holds cannot be an array.
    Value(Box<Error>),
    /// Python has no memory for an object.
    Memory,
}

#[inline(always)]
fn make<'py>(
    py: Python<'py>,
    frame: &Frame,
    owner: Owner,
    view: impl FnOnce(&mut View) -> CoreResult<()>,
) -> Result<Bound<'py, Array>, PlacementError> {
    // SAFETY: the class's own function makes an object of the class, whose parts lie as the frame says; all of
    // them are written before anything else sees it.
    unsafe {
        let object = (frame.alloc)(frame.class, 0);
        let Some(bound) = Bound::from_owned_ptr_or_opt(py, object) else {
            return Err(PlacementError::Memory);
        };
        let value = object.cast::<u8>().add(frame.value).cast::<Array>();
        value.add(1).cast::<*mut ffi::PyObject>().write(null_mut());
        match view(Array::write_at(value, owner)) {
            Ok(()) => Ok(bound.cast_into_unchecked()),
            Err(error) => Err(PlacementError::Value(Box::new(error))),
        }
    }
}
