//! What this thread's recorders take or refuse, with Python's exceptions: captures of the core ([`warp_core::command`]), traces
//! ([`super::trace_state`]).

use super::error::{Code, error};
use pyo3::prelude::*;
use warp_core::array::View;
use warp_core::command::{Command, capture, recorder};
use warp_dlpack::raise;

/// Offers a command to this thread's recorders; true if one has taken it, so that it is not to be done now.
///
/// # Errors
/// The command cannot be made, or there is no memory for what a recorder keeps.
#[inline(always)]
pub fn take(command: impl FnOnce() -> PyResult<Command>) -> PyResult<bool> {
    if recorder::active() {
        taken(command)
    } else {
        Ok(false)
    }
}

#[cold]
fn taken(command: impl FnOnce() -> PyResult<Command>) -> PyResult<bool> {
    let Some(recorder) = recorder::deferring() else {
        return Ok(false);
    };
    let outcome = recorder.take(command()?);
    outcome.map_err(|e| Python::attach(|py| raise(py, e)))?;
    Ok(true)
}

/// Refuses what a capture cannot record.
///
/// # Errors
/// This thread captures.
#[inline(always)]
pub fn check_outside(what: &str) -> PyResult<()> {
    if capture::capturing() {
        return Err(error(
            Code::Runtime,
            format!(
                "{what} cannot be captured: end the capture of this thread first (wp.capture_end)"
            ),
        ));
    }
    Ok(())
}

/// Refuses to look at memory whose content this thread's recorders put off.
///
/// # Errors
/// They do.
pub fn check_view(view: &View, what: &str) -> PyResult<()> {
    recorder::look(view, what).map_err(|e| Python::attach(|py| raise(py, e)))
}
