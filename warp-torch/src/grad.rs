//! A tensor's gradient: whether it wants one, which it is, and making a missing one.

use crate::direct;
use crate::tensor::{facts, is_exact};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use warp_core::array::Owner;
use warp_core::interop::Desc;

/// `tensor.requires_grad`.
#[inline]
pub fn requires_grad(tensor: &Bound<'_, PyAny>) -> PyResult<bool> {
    if is_exact(tensor) && direct::plain(tensor).is_some_and(|t| t.without_autograd()) {
        return Ok(false);
    }
    facts(tensor.py())?.requires_grad.is_true(tensor)
}

/// Whether `tensor.grad` means anything: a leaf, or a result that was asked to keep its gradient.
/// Reading it elsewhere makes torch warn.
pub fn has_grad(tensor: &Bound<'_, PyAny>) -> PyResult<bool> {
    let facts = facts(tensor.py())?;
    Ok(facts.is_leaf.is_true(tensor)? || facts.retains_grad.is_true(tensor)?)
}

/// `tensor.grad`, where that means anything.
pub fn grad<'py>(tensor: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if !has_grad(tensor)? {
        return Ok(None);
    }
    let grad = facts(tensor.py())?.grad.of(tensor)?;
    Ok((!grad.is_none()).then_some(grad))
}

/// The memory of a gradient that the tensor already has, where that can be seen without asking torch.
#[inline]
pub fn grad_at_hand(tensor: &Bound<'_, PyAny>, out: &mut Desc) -> Option<Owner> {
    if !is_exact(tensor) {
        return None;
    }
    let grad = direct::plain(tensor)?.grad()?;
    if grad.describe(out) {
        grad.hold()
    } else {
        None
    }
}

/// `tensor.grad`, and whether it is attached to the tensor.
///
/// A missing one is made by torch, dense like the tensor, and attached if the tensor can have one.
pub fn grad_or_zeros<'py>(tensor: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, bool)> {
    let attached = has_grad(tensor)?;
    if attached {
        let grad = facts(tensor.py())?.grad.of(tensor)?;
        if !grad.is_none() {
            return Ok((grad, true));
        }
    }
    let zeros = zeros_like(tensor)?;
    if attached {
        set_grad(tensor, &zeros)?;
    }
    Ok((zeros, attached))
}

#[cold]
fn zeros_like<'py>(tensor: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = tensor.py();
    let options = PyDict::new(py);
    options.set_item("requires_grad", false)?;
    let make = py.import("torch")?.getattr("zeros_like")?;
    make.call((tensor,), Some(&options))
}

/// `tensor.grad = grad`.
pub fn set_grad(tensor: &Bound<'_, PyAny>, grad: &Bound<'_, PyAny>) -> PyResult<()> {
    tensor.setattr(pyo3::intern!(tensor.py(), "grad"), grad)
}

/// `tensor.requires_grad_()`.
pub fn set_requires_grad(tensor: &Bound<'_, PyAny>) -> PyResult<()> {
    tensor.setattr(pyo3::intern!(tensor.py(), "requires_grad"), true)
}
