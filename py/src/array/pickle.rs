//! Arrays in pickles: between processes, for `multiprocessing`, Dask and Ray, and on disk.
//!
//! With protocol 5 the content is a buffer of its own, which the sender need not copy and the receiver shares where it
//! can be written; a receiver whose buffers cannot be written, as those of Ray, gets a read-only array.

use super::assign::clone;
use super::index::list;
use super::make;
use crate::dtype;
use crate::exchange::buffer::{self, Bytes};
use crate::object::Array;
use crate::object::access::check_access;
use crate::object::error::{Code, error, refuse};
use crate::object::nested_arrays;
use crate::object::package::{PACKAGE, own};
use crate::object::part::on_host;
use crate::object::shape::dims;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use warp_core::array::{Array as Core, Layout, View};
use warp_core::device::Device;
use warp_core::ty::Elem;

const PLACE: &str = "unpickling an array";

/// `a.__reduce_ex__(protocol)`: what makes the array again, content and gradient included.
///
/// # Errors
/// A trace is running, or the dtype has no class.
pub fn reduce<'py>(array: &Bound<'py, Array>, protocol: i32) -> PyResult<Bound<'py, PyTuple>> {
    let (py, this) = (array.py(), array.get());
    if let elem @ Elem::Struct(s) = this.view().elem
        && !s.is_plain()
        && !this.is_annotation()
    {
        // Addresses mean nothing elsewhere: the elements, with the arrays that they hold.
        let restore = PACKAGE.restore_elements.get(py)?;
        let shape = PyTuple::new(py, dims(this.view()))?;
        let elements = list(array)?;
        return (restore, (dtype::class_of(py, elem)?, shape, elements)).into_pyobject(py);
    }
    let restore = own(py, "_restore_array")?;
    let spec = match this.view().elem {
        // A class, by its name: who unpickles it imports the module.
        elem @ Elem::Struct(_) => dtype::class_of(py, elem)?,
        elem => dtype::PyElem(elem).spec().into_pyobject(py)?.into_any(),
    };
    let shape = PyTuple::new(py, dims(this.view()))?;
    let (mut memory, mut gradient) = (None, None);
    if !this.is_annotation() {
        memory = Some(content(array, protocol)?);
        gradient = match this.gradient(py) {
            Some(g) => Some(content(&g, protocol)?),
            None => None,
        };
    }
    (restore, (spec, shape, memory, gradient)).into_pyobject(py)
}

/// The elements in row-major order.
///
/// # Errors
/// A trace is running, or the elements hold addresses.
pub fn bytes<'py>(array: &Bound<'py, Array>) -> PyResult<Bound<'py, PyBytes>> {
    check_access(&array.get().core, "bytes")?;
    let whole = on_host(array.py(), &array.get().core)?;
    let len = whole.view.layout().len() * whole.view.elem.size();
    let bytes = match len {
        0 => &[],
        // SAFETY: a contiguous array covers this many bytes; the owner keeps them.
        _ => unsafe { std::slice::from_raw_parts(whole.view.arg.data.cast_const(), len) },
    };
    Ok(PyBytes::new(array.py(), bytes))
}

/// The elements in row-major order: bytes, or a `PickleBuffer` where pickles have those.
fn content<'py>(array: &Bound<'py, Array>, protocol: i32) -> PyResult<Bound<'py, PyAny>> {
    let (py, this) = (array.py(), array.get());
    if protocol < 5 || this.view().layout().is_empty() {
        return bytes(array).map(Bound::into_any);
    }
    check_access(&this.core, "a pickle")?;
    let whole = on_host(py, &this.core)?;
    let source = Bound::new(py, Bytes::new(whole))?;
    py.import("pickle")?
        .getattr("PickleBuffer")?
        .call1((source,))
}

/// Makes an array of what [`reduce`] gave.
#[pyfunction]
#[pyo3(name = "_restore_array")]
fn restore(
    py: Python<'_>,
    spec: &Bound<'_, PyAny>,
    shape: Vec<i64>,
    content: Option<&Bound<'_, PyAny>>,
    gradient: Option<&Bound<'_, PyAny>>,
) -> PyResult<Array> {
    let elem = match spec.cast::<PyTuple>() {
        Ok(spec) => {
            let class = py.get_type::<dtype::PyElem>();
            let elem: PyRef<'_, dtype::PyElem> = class.call1(spec)?.extract()?;
            elem.0
        }
        Err(_) => dtype::require_elem(spec)?,
    };
    let Some(content) = content else {
        return make::annotation(py, Some(&dtype::class_of(py, elem)?), shape.len());
    };
    let layout = Layout::contiguous(&shape, elem.size()).map_err(refuse(py, PLACE))?;
    let filled = |content: &Bound<'_, PyAny>| -> PyResult<Core> {
        let (have, owner) = buffer::bytes(content)?;
        let len = layout.len() * elem.size();
        if have.shape[0] != len as i64 {
            return Err(error(
                Code::Value,
                format!("{PLACE}: {} bytes of content for {len}", have.shape[0]),
            ));
        }
        let aligned = (have.data as usize).is_multiple_of(elem.align());
        if aligned && len > 0 && !content.is_instance_of::<PyBytes>() {
            let view = View::new(have.data, layout, elem, Device::Cpu, have.read_only);
            return Ok(Core { view, owner });
        }
        let core = Core::empty(elem, &shape, Device::Cpu).map_err(refuse(py, PLACE))?;
        if len > 0 {
            // SAFETY: both have `len` bytes; `owner` keeps the one, the other is new.
            unsafe { std::ptr::copy_nonoverlapping(have.data, core.view.arg.data, len) };
        }
        Ok(core)
    };
    let gradient = match gradient {
        Some(g) => Some(Array::new(filled(g)?).object(py).map(Bound::unbind)?),
        None => None,
    };
    Ok(Array::with_gradient(filled(content)?, gradient))
}

/// `copy.deepcopy(a)`: with memory of its own, and a gradient of its own.
///
/// # Errors
/// There is no memory, or an element cannot be copied.
pub fn deep_copy<'py>(
    array: &Bound<'py, Array>,
    memo: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, Array>> {
    let (py, this) = (array.py(), array.get());
    if this.is_annotation() {
        return this.alias(py).object(py);
    }
    if nested_arrays::may_hold(this.view().elem) && this.core.owner.holds_any() {
        let copy = PACKAGE.copy_elements.call(py, (array, memo))?;
        return Ok(copy.cast_into()?);
    }
    let here = this.view().device.into();
    let gradient = match this.gradient(py) {
        Some(g) => Some(clone(&g, here, Some(false))?.unbind()),
        None => None,
    };
    let copy = clone(array, here, Some(false))?;
    copy.get().set_gradient(gradient);
    Ok(copy)
}

/// Adds the function to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(restore, m)?)
}
