//! Fills and copies as commands, where a recorder takes them.

use crate::object::error::refuse;
use pyo3::prelude::*;
use smallvec::SmallVec;
use warp_core::array::Array as Core;
use warp_core::command::{Command, Copy, Fill, offer, recorder};
use warp_dlpack::raise;

/// Offers a command to this thread's recorders; true if one has taken it, so that it is not to be done now.
#[inline(always)]
fn taken(command: impl FnOnce() -> Command) -> PyResult<bool> {
    if !recorder::listening() {
        return Ok(false);
    }
    let left = offer(command()).map_err(|e| Python::attach(|py| raise(py, e)))?;
    Ok(left.is_none())
}

/// Offers that an array is filled with an element to this thread's recorders; true if one has taken that.
///
/// # Errors
/// There is no memory.
#[inline(always)]
pub fn fill(array: &Core, element: &[u8]) -> PyResult<bool> {
    taken(|| {
        Command::Fill(Fill {
            to: array.clone(),
            element: SmallVec::from_slice(element),
            name: "fill",
        })
    })
}

/// Offers a copy between arrays of one type and shape likewise.
///
/// # Errors
/// There is no memory.
#[inline(always)]
pub fn copy(to: &Core, from: &Core) -> PyResult<bool> {
    taken(|| {
        Command::Copy(Copy {
            to: to.clone(),
            from: from.clone(),
            name: "copy",
        })
    })
}

/// A copy of an array, contiguous and with memory of its own, that a graph makes each time that it runs.
///
/// # Errors
/// There is no memory.
pub fn copy_of(py: Python<'_>, array: &Core) -> PyResult<Core> {
    let view = &array.view;
    let layout = view.layout();
    let shape: SmallVec<[i64; 4]> = layout.shape().iter().map(|n| i64::from(*n)).collect();
    let made = Core::zeros(view.elem, &shape, view.device).map_err(refuse(py, "a capture"))?;
    copy(&made, array)?;
    Ok(made)
}
