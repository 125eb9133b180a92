//! Asked before any access to the memory of an array: whether it is still the memory that the array shares, and whether
//! a trace or a capture may go on.
//!
//! A framework may give a tensor's storage other memory while an array looks at it, and free the old
//! (`warp_core::array::Owner::is_current`). So code that reads, writes or exports an array's memory asks here, after the last
//! code of the user's has run. Earlier exports, to NumPy or as an address, cannot be revoked.

use super::error::refuse;
use super::{record, trace_state};
use pyo3::prelude::*;
use warp_core::array::{Array as Core, Owner};

/// Asked before the content of an array is read, or its memory exported.
///
/// # Errors
/// The memory has been replaced, or the array belongs to a trace.
#[inline(always)]
pub fn check_access(core: &Core, what: &str) -> PyResult<()> {
    if core.owner.is_current() && !trace_state::active() {
        Ok(())
    } else {
        look_closer(core, what)
    }
}

/// Asked before an array's address is given as a number. A capture may go on: what its steps write is there once they run,
/// but the address is what it is, and programs compare addresses.
///
/// # Errors
/// The memory has been replaced, or the array belongs to a trace.
pub fn check_address(core: &Core, what: &str) -> PyResult<()> {
    check_current(core, what)?;
    trace_state::check_view(&core.view, what)
}

#[cold]
fn look_closer(core: &Core, what: &str) -> PyResult<()> {
    check_current(core, what)?;
    trace_state::check_view(&core.view, what)?;
    record::check_view(&core.view, what)
}

/// Asked before an array's memory is used by what traces know of.
///
/// # Errors
/// The memory has been replaced.
#[inline(always)]
pub fn check_current(core: &Core, what: &str) -> PyResult<()> {
    // An annotation is empty: nothing of it is used.
    if core.owner.is_current() || matches!(core.owner, Owner::Annotation(_)) {
        Ok(())
    } else {
        Err(moved(core, what))
    }
}

#[cold]
fn moved(core: &Core, what: &str) -> PyErr {
    Python::attach(|py| refuse(py, what)(core.owner.moved()))
}
