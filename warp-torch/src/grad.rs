//! A tensor's gradient: whether it wants one, which it is, and making a missing one.

use crate::tensor::facts;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// `tensor.requires_grad`.
#[inline]
pub fn requires_grad(tensor: &Bound<'_, PyAny>) -> PyResult<bool> {
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

/// `tensor.grad`; a missing one is made by torch, dense like the tensor, and attached if the tensor
/// can have one attached.
pub fn grad_or_zeros<'py>(tensor: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = tensor.py();
    if let Some(grad) = grad(tensor)? {
        return Ok(grad);
    }
    // The values do not depend on the tensor: without this, autograd would not mind, but a
    // subclass's type would carry over.
    let options = PyDict::new(py);
    options.set_item("requires_grad", false)?;
    let zeros = py
        .import("torch")?
        .getattr("zeros_like")?
        .call((tensor,), Some(&options))?;
    if has_grad(tensor)? {
        set_grad(tensor, &zeros)?;
    }
    Ok(zeros)
}

/// `tensor.grad = grad`.
pub fn set_grad(tensor: &Bound<'_, PyAny>, grad: &Bound<'_, PyAny>) -> PyResult<()> {
    tensor.setattr(pyo3::intern!(tensor.py(), "grad"), grad)
}

/// `tensor.requires_grad_()`.
pub fn set_requires_grad(tensor: &Bound<'_, PyAny>) -> PyResult<()> {
    tensor.setattr(pyo3::intern!(tensor.py(), "requires_grad"), true)
}
