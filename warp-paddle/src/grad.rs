//! A tensor's gradient: whether it wants one, which it is, and making it one with other memory.
//!
//! `t.grad = g` copies, and only leaves may be given one. So the copy is zeros and then told to use the other memory.
//!
//! After `clear_grad()` paddle would replace a gradient by the next one; it is told to add instead.

use crate::tensor::{Paddle, paddle_api};
use pyo3::prelude::*;
use warp_core::array::{Array, Owner};
use warp_core::interop::{Autograd, Desc, Framework, Want, export};

impl Autograd for Paddle {
    /// Whether paddle computes a gradient: `not t.stop_gradient`. Any tensor may say so, of integers too.
    #[inline]
    fn requires_grad(tensor: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(!paddle_api(tensor.py())?.stop_gradient.is_true(tensor)?)
    }
    /// `tensor.stop_gradient = False`.
    fn set_requires_grad(tensor: &Bound<'_, PyAny>) -> PyResult<()> {
        tensor.setattr(pyo3::intern!(tensor.py(), "stop_gradient"), false)
    }
    /// Whether the tensor is no result of operations that paddle differentiates: only such may be given a gradient.
    fn may_have_gradient(tensor: &Bound<'_, PyAny>) -> PyResult<bool> {
        paddle_api(tensor.py())?.is_leaf.is_true(tensor)
    }
    #[inline]
    fn hold_gradient(
        tensor: &Bound<'_, PyAny>,
        want: Want,
        out: &mut Desc,
    ) -> PyResult<Option<(Owner, bool)>> {
        if let Some(own) = grad(tensor)? {
            accumulate(tensor)?;
            return Ok(Some((Paddle::hold(&own, out)?, true)));
        }
        if want == Want::Present {
            return Ok(None);
        }
        let attached = Paddle::may_have_gradient(tensor)?;
        let zeros = zero_grad(tensor, attached)?;
        Ok(Some((Paddle::hold(&zeros, out)?, attached)))
    }
    fn set_gradient<'py>(
        py: Python<'py>,
        tensor: &Bound<'py, PyAny>,
        gradient: &Array,
    ) -> PyResult<bool> {
        let mut value = export::<Paddle>(py, gradient)?;
        // A tensor without dimensions is an array of one element here.
        if gradient.view.layout().len() == 1 {
            let shape = tensor.getattr(pyo3::intern!(py, "shape"))?;
            if shape.len()? == 0 {
                value = value.call_method1("reshape", (shape,))?;
            }
        }
        tensor.setattr(pyo3::intern!(py, "grad"), &value)?;
        let dense = (value.call_method0(pyo3::intern!(py, "is_contiguous"))?).is_truthy()?;
        if dense && let Some(own) = grad(tensor)? {
            // Not every version has it.
            if let Some(share) = value.getattr_opt(pyo3::intern!(py, "_share_buffer_to"))? {
                share.call1((own,))?;
            }
        }
        accumulate(tensor)?;
        // Where it was not shared, it was copied.
        Ok(false)
    }
}

/// `tensor.grad`.
#[inline]
fn grad<'py>(tensor: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let grad = paddle_api(tensor.py())?.grad.of(tensor)?;
    Ok((!grad.is_none()).then_some(grad))
}

/// Lets paddle's next backward pass add to the gradient. After `clear_grad()` it would replace it, and with it
/// what other code has added meanwhile.
#[inline]
fn accumulate(tensor: &Bound<'_, PyAny>) -> PyResult<()> {
    if let Some(method) = &paddle_api(tensor.py())?.unset_fake_empty {
        // SAFETY: the caller passes a tensor; what is none has failed at the properties before.
        unsafe { method.call(tensor) }?;
    }
    Ok(())
}

/// A gradient full of zeros, which a leaf is given.
fn zero_grad<'py>(tensor: &Bound<'py, PyAny>, leaf: bool) -> PyResult<Bound<'py, PyAny>> {
    let py = tensor.py();
    let zeros = py
        .import("paddle")?
        .getattr("zeros_like")?
        .call1((tensor,))?;
    if leaf {
        tensor.setattr(pyo3::intern!(py, "grad"), &zeros)?;
        if let Some(own) = grad(tensor)? {
            return Ok(own);
        }
    }
    Ok(zeros)
}
