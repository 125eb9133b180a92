//! Snapshots of the core ([`warp_core::command::snapshot`]) as this crate asks for them: with Python's exceptions, and with
//! tensors whose frameworks count their changes.
//!
//! Python's lock keeps others from writing while one is taken.

use super::change_count::Counted;
use pyo3::prelude::*;
use std::sync::Arc;
use warp_core::abi::Strided;
use warp_core::array::{Array as Core, View};
use warp_core::command::snapshot;
use warp_dlpack::raise;

pub use snapshot::{Snapshot, watched};

/// The present content of an array, to be copied before the next write.
///
/// # Errors
/// There is no memory.
pub fn take(
    py: Python<'_>,
    array: &Core,
    counted: Option<&Counted<'_, '_>>,
) -> PyResult<Arc<Snapshot>> {
    let counted = counted.map(|c| c as _);
    Snapshot::take(array, counted).map_err(|e| raise(py, e))
}

/// As [`snapshot::keep_overwritten`].
///
/// # Errors
/// There is no memory; nothing may be written then.
#[cold]
pub fn keep_overwritten(py: Python<'_>, written: &Strided) -> PyResult<bool> {
    snapshot::keep_overwritten(written).map_err(|e| raise(py, e))
}

/// [`keep_overwritten`] of one array, for writes without a launch.
///
/// # Errors
/// As there.
#[inline(always)]
pub fn before_write(py: Python<'_>, view: &View) -> PyResult<()> {
    if watched() {
        keep_overwritten(py, &view.strided())?;
    }
    Ok(())
}

/// Called before an array's memory is exported and may be written without an announcement: digests detect that.
///
/// # Errors
/// There is no memory.
#[inline(always)]
pub fn before_sharing(py: Python<'_>, view: &View) -> PyResult<()> {
    match watched() {
        true => snapshot::before_sharing(view).map_err(|e| raise(py, e)),
        false => Ok(()),
    }
}

/// How many snapshots are watched: tests look for those that stay.
#[pyfunction]
fn _watched() -> usize {
    snapshot::count()
}

/// Adds the function to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_watched, m)?)
}
