//! Arguments as arrays with their gradients, for launches that are differentiated.

use crate::exchange::data;
use crate::exchange::descriptor::Descriptor;
use crate::framework;
use crate::kernel::KernelParam;
use crate::object::Array;
use crate::object::access::check_current;
use crate::object::part::on_host;
use crate::registry::for_each_tensor_framework;
use crate::runtime::captured;
use pyo3::prelude::*;
use warp_core::array::{Array as Core, Owner};
use warp_core::command::capture;
use warp_dlpack::{Adapter, raise};

/// An argument as a Warp array that shares its memory, and its gradient if it has one.
///
/// # Errors
/// The argument's memory or gradient cannot be shared.
pub fn to_array<'py>(
    value: &Bound<'py, PyAny>,
    param: &KernelParam,
) -> PyResult<Bound<'py, PyAny>> {
    let py = value.py();
    if value.is_instance_of::<Array>() {
        return Ok(value.clone());
    }
    if value.is_none() {
        let none = Array::blank(param.elem, param.ndim.into()).map_err(|e| raise(py, e))?;
        return Ok(none.object(py)?.into_any());
    }
    if let Ok(d) = value.cast::<Descriptor>() {
        return Ok(d.get().array(py)?.clone().into_any());
    }
    for_each_tensor_framework!(F => {
        if F::is_tensor(value) {
            let array = framework::array::<F>(value, Some(param.elem), None, None)?;
            return Ok(array.object(py)?.into_any());
        }
    });
    // A launch has refused temporaries where it writes.
    let core = data::readable(value, Some(param.elem))?;
    Ok(Array::new(core).object(py)?.into_any())
}

/// A copy of an array argument, contiguous and with memory of its own.
///
/// # Errors
/// There is no memory.
pub fn copy_like<'py>(
    value: &Bound<'py, PyAny>,
    param: &KernelParam,
) -> PyResult<Bound<'py, PyAny>> {
    let py = value.py();
    let core = match to_array(value, param)?.cast::<Array>() {
        Ok(a) => a.get().core.clone(),
        Err(_) => data::readable(value, Some(param.elem))?,
    };
    check_current(&core, "a copy")?;
    if capture::capturing() {
        let copy = captured::copy_of(py, &core)?;
        return Ok(Array::new(copy).object(py)?.into_any());
    }
    // SAFETY: the owner keeps the memory; Python's lock keeps others from writing meanwhile.
    let copy = unsafe { Core::copy_of(&core.view, core.view.device) }.map_err(|e| raise(py, e))?;
    Ok(Array::new(copy).object(py)?.into_any())
}

/// The gradient that belongs to an argument, if it has one. A tensor that is passed directly has none: the
/// framework that differentiates through it says where its gradient goes.
///
/// # Errors
/// A gradient cannot be shared any more.
pub fn gradient<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = value.py();
    if let Ok(a) = value.cast::<Array>() {
        rebind_gradient(a, true)?;
        return Ok(a.get().gradient(py).map(Bound::into_any));
    }
    if let Ok(d) = value.cast::<Descriptor>() {
        return gradient(d.get().array(py)?.as_any());
    }
    Ok(None)
}

/// Makes an array's gradient and those of the tensors that share its memory one again.
///
/// `optimizer.zero_grad()` takes the gradient off a tensor while the array still holds its memory: then that
/// memory, zeroed, is put back if `attach` says so. Where the tensor got another gradient, the array takes that.
///
/// # Errors
/// A gradient cannot be shared any more.
pub fn rebind_gradient(array: &Bound<'_, Array>, attach: bool) -> PyResult<()> {
    if !array.get().is_linked() {
        return Ok(());
    }
    for_each_tensor_framework!(F => { framework::rebind::<F>(array, attach)?; });
    Ok(())
}

/// Whether a gradient may have been given a value: it is not all zeros, or it is in another library's memory.
///
/// # Errors
/// There is no memory.
pub fn may_be_seed(py: Python<'_>, gradient: &Array) -> PyResult<bool> {
    // What a capture writes holds nothing yet.
    if !matches!(gradient.core.owner, Owner::Own(_)) || capture::capturing() {
        return Ok(true);
    }
    let whole = on_host(py, &gradient.core)?;
    let bytes = whole.view.layout().len() * whole.view.elem.size();
    if bytes == 0 {
        return Ok(false);
    }
    // SAFETY: a contiguous array has this many bytes, which its owner keeps; Python's lock keeps others from writing meanwhile.
    let content = unsafe { std::slice::from_raw_parts(whole.view.arg.data, bytes) };
    Ok(content.iter().any(|byte| *byte != 0))
}
