//! A tensor's gradient: whether it wants one, which it is, and making a missing one.

use crate::direct;
use crate::tensor::{Torch, is_exact, torch_api};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use warp_core::array::{Array, Owner};
use warp_core::interop::{Autograd, Desc, Framework, Want, export};

impl Autograd for Torch {
    /// `tensor.requires_grad`.
    #[inline]
    fn requires_grad(tensor: &Bound<'_, PyAny>) -> PyResult<bool> {
        if is_exact(tensor) && direct::plain(tensor).is_some_and(|t| t.without_autograd()) {
            return Ok(false);
        }
        torch_api(tensor.py())?.requires_grad.is_true(tensor)
    }
    /// `tensor.requires_grad_()`.
    fn set_requires_grad(tensor: &Bound<'_, PyAny>) -> PyResult<()> {
        tensor.setattr(pyo3::intern!(tensor.py(), "requires_grad"), true)
    }
    /// Whether `tensor.grad` means anything: a leaf, or a result that was asked to keep its gradient.
    /// Reading it elsewhere makes torch warn.
    fn may_have_gradient(tensor: &Bound<'_, PyAny>) -> PyResult<bool> {
        let torch = torch_api(tensor.py())?;
        Ok(torch.is_leaf.is_true(tensor)? || torch.retains_grad.is_true(tensor)?)
    }
    /// A missing one is made by torch, dense like the tensor.
    #[inline]
    fn hold_gradient(
        tensor: &Bound<'_, PyAny>,
        want: Want,
        out: &mut Desc,
    ) -> PyResult<Option<(Owner, bool)>> {
        if let Some(owner) = plain_gradient(tensor, out) {
            return Ok(Some((owner, true)));
        }
        let attached = Torch::may_have_gradient(tensor)?;
        if attached {
            let grad = torch_api(tensor.py())?.grad.of(tensor)?;
            if !grad.is_none() {
                return Ok(Some((Torch::hold(&grad, out)?, true)));
            }
        }
        if want == Want::Present {
            return Ok(None);
        }
        let zeros = zeros_like(tensor)?;
        if attached {
            set(tensor, &zeros)?;
        }
        Ok(Some((Torch::hold(&zeros, out)?, attached)))
    }
    fn set_gradient<'py>(
        py: Python<'py>,
        tensor: &Bound<'py, PyAny>,
        gradient: &Array,
    ) -> PyResult<bool> {
        let mut shared = export::<Torch>(py, gradient)?;
        // A tensor without dimensions is an array of one element here.
        if gradient.view.layout().len() == 1
            && tensor
                .getattr(pyo3::intern!(py, "ndim"))?
                .extract::<usize>()?
                == 0
        {
            shared = shared.call_method1("reshape_as", (tensor,))?;
        }
        set(tensor, &shared)?;
        Ok(true)
    }
}

/// The memory of a gradient that the tensor already has, where that can be seen without asking torch.
#[inline]
fn plain_gradient(tensor: &Bound<'_, PyAny>, out: &mut Desc) -> Option<Owner> {
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

#[cold]
fn zeros_like<'py>(tensor: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = tensor.py();
    let options = PyDict::new(py);
    options.set_item("requires_grad", false)?;
    let make = py.import("torch")?.getattr("zeros_like")?;
    make.call((tensor,), Some(&options))
}

/// `tensor.grad = grad`.
fn set(tensor: &Bound<'_, PyAny>, grad: &Bound<'_, PyAny>) -> PyResult<()> {
    tensor.setattr(pyo3::intern!(tensor.py(), "grad"), grad)
}
