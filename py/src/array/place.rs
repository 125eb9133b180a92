//! Arrays made where they stay: the value is written straight into its Python object.
//!
//! A finished value is moved several times on its way; for an array, which is large, and whose making takes a tenth of a
//! microsecond, that is a good part of it.

use crate::dtype;
use crate::object::{Array, Frame};
use pyo3::prelude::*;
use warp_core::array::{Owner, View};
use warp_core::error::{Error, Result as CoreResult};
use warp_core::interop::{Desc, Framework, import};
use warp_core::ty::Elem;

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
    let Some(frame) = Frame::get() else {
        return Array::new(import::<F>(py, tensor, elem)?).object(py);
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
    // SAFETY: everything but the view is written first, and nothing here knows Python.
    let made = unsafe { frame.object(py, |at| view(Array::write_at(at, owner))) };
    match made {
        Some((array, Ok(()))) => Ok(array),
        Some((_, Err(error))) => Err(PlacementError::Value(Box::new(error))),
        None => Err(PlacementError::Memory),
    }
}
