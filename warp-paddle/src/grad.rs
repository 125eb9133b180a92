//! A tensor's gradient: whether it wants one, which it is, and making it one with other memory.
//!
//! `t.grad = g` copies, and only leaves may be given one. So a gradient is made first and then told
//! to use the other memory.

use crate::tensor::facts;
use pyo3::prelude::*;

/// Whether paddle computes a gradient: `not t.stop_gradient`.
#[inline]
pub fn requires_grad(tensor: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(!facts(tensor.py())?.stop_gradient.is_true(tensor)?)
}

/// Whether the tensor is no result of operations that paddle differentiates: only such may be given a gradient.
#[inline]
pub fn is_leaf(tensor: &Bound<'_, PyAny>) -> PyResult<bool> {
    facts(tensor.py())?.is_leaf.is_true(tensor)
}

/// `tensor.grad`.
#[inline]
pub fn grad<'py>(tensor: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let grad = facts(tensor.py())?.grad.of(tensor)?;
    Ok((!grad.is_none()).then_some(grad))
}

/// Lets paddle's next backward pass add to the gradient. After `clear_grad()` it would replace it, and with it
/// what somebody else has added meanwhile.
#[inline]
pub fn accumulate(tensor: &Bound<'_, PyAny>) -> PyResult<()> {
    if let Some(method) = &facts(tensor.py())?.unset_fake_empty {
        // SAFETY: the caller passes a tensor; what is none has failed at the properties before.
        unsafe { method.call(tensor) }?;
    }
    Ok(())
}

/// Gives a leaf a gradient full of zeros, and returns it.
pub fn zero_grad<'py>(tensor: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = tensor.py();
    let zeros = py
        .import("paddle")?
        .getattr("zeros_like")?
        .call1((tensor,))?;
    if is_leaf(tensor)? {
        tensor.setattr(pyo3::intern!(py, "grad"), &zeros)?;
        if let Some(own) = grad(tensor)? {
            return Ok(own);
        }
    }
    Ok(zeros)
}

/// Gives a leaf the values of `value` as gradient, and returns the tensor's: on the same memory if that is possible.
///
/// `value` has the tensor's elements, in its order.
pub fn share_grad<'py>(
    tensor: &Bound<'py, PyAny>,
    value: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let own = zero_grad(tensor)?;
    let dense = value.call_method0("is_contiguous")?.is_truthy()?;
    match value.getattr_opt("_share_buffer_to")?.filter(|_| dense) {
        Some(share) => share.call1((&own,)).map(drop)?,
        None => {
            let py = tensor.py();
            let value = value.call_method1("reshape", (own.getattr("shape")?,))?;
            tensor.setattr(pyo3::intern!(py, "grad"), value)?;
        }
    }
    accumulate(tensor)?;
    Ok(own)
}

/// `tensor.stop_gradient = False`.
pub fn set_requires_grad(tensor: &Bound<'_, PyAny>) -> PyResult<()> {
    tensor.setattr(pyo3::intern!(tensor.py(), "stop_gradient"), false)
}
