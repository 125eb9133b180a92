//! Gradients of arrays: new ones, and those that the user gives.

use crate::exchange::data;
use crate::object::Array;
use crate::object::error::{Code, error, refuse};
use crate::object::shape::dims;
use crate::runtime::collector;
use pyo3::prelude::*;
use warp_core::array::{Array as Core, Placement};
use warp_core::command::{Capture, Recorder, Start};

/// A new gradient for an array, placed as the array was: zeros of the same dtype and shape. Integers may have one, too, to which nothing is added.
///
/// # Errors
/// There is no memory.
pub fn zero_gradient(
    py: Python<'_>,
    core: &Core,
    at: Placement,
    place: &str,
) -> PyResult<Py<Array>> {
    let view = &core.view;
    let zeros = Core::zeros(view.elem, &dims(view), at).map_err(refuse(py, place))?;
    if let Some(capture) = Capture::current() {
        capture.made(&zeros, Start::Zeros);
    }
    Array::new(zeros).object(py).map(Bound::unbind)
}

/// Notes that an array retains its gradient, or not: ours always do.
///
/// # Errors
/// It is to, and has none.
pub fn set_retain(array: &Array, retain: bool, place: &str) -> PyResult<()> {
    if retain && !array.has_gradient() {
        return Err(error(
            Code::Value,
            format!(
                "{place}: retain_grad=True, but the array has no gradient; pass requires_grad=True too"
            ),
        ));
    }
    array.set_retains(retain);
    Ok(())
}

/// A gradient that the user gives: checked against its array.
///
/// # Errors
/// The gradient has another shape or dtype, or is read-only.
pub fn checked_gradient(
    py: Python<'_>,
    core: &Core,
    grad: &Bound<'_, PyAny>,
    place: &str,
) -> PyResult<Py<Array>> {
    let grad = match grad.cast::<Array>() {
        Ok(g) => g.clone(),
        Err(_) => Array::new(data::shared(grad, Some(core.view.elem))?).object(py)?,
    };
    let (own, have) = (&core.view, grad.get().view());
    if own.elem != have.elem || own.layout().shape() != have.layout().shape() {
        return Err(error(
            Code::Value,
            format!(
                "{place}: the gradient has dtype {} and shape {:?}, the array {} and {:?}; they must be equal",
                have.elem,
                have.layout().shape(),
                own.elem,
                own.layout().shape()
            ),
        ));
    }
    grad.get().check_writable(place)?;
    Ok(grad.unbind())
}

/// `a.requires_grad = value`: makes a gradient full of zeros, or drops it.
///
/// # Errors
/// There is no memory.
pub fn require(py: Python<'_>, array: &Array, value: bool) -> PyResult<()> {
    match (value, array.has_gradient()) {
        (true, false) => {
            let grad = zero_gradient(py, &array.core, array.view().device.into(), "requires_grad")?;
            array.set_gradient(Some(grad));
        }
        (false, true) => array.set_gradient(None),
        _ => {}
    }
    Ok(())
}

/// `a.grad = value`.
///
/// # Errors
/// As [`checked_gradient`].
pub fn replace(array: &Bound<'_, Array>, value: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    let (py, this) = (array.py(), array.get());
    let grad = value
        .map(|v| checked_gradient(py, &this.core, v, "grad"))
        .transpose()?;
    this.set_gradient(grad);
    collector::track(array);
    Ok(())
}
