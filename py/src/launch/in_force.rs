//! The tape that records what a thread does, and what it is told.

use super::entry::Entry;
use super::tape_state::Recording;
use super::taped::{Recorded, TapedLaunch};
use crate::kernel::Kernel;
use crate::object::Array;
use crate::object::error::{Code, error};
use crate::runtime::tapes;
use pyo3::prelude::*;
use std::cell::RefCell;
use std::sync::Arc;
use warp_core::device::Stream;
use warp_core::launch::{Block, Dims};

thread_local! {
    static IN_FORCE: RefCell<Option<Arc<Recording>>> = const { RefCell::new(None) };
}

/// Begins to record.
pub fn enter(tape: &Arc<Recording>) {
    IN_FORCE.set(Some(tape.clone()));
    tape.state().begin(tapes::enter());
}

/// Ends to record.
///
/// # Errors
/// The tape does not record on this thread.
pub fn leave(tape: &Arc<Recording>) -> PyResult<()> {
    let own = IN_FORCE.with_borrow(|own| own.as_ref().is_some_and(|own| Arc::ptr_eq(own, tape)));
    if !own {
        return Err(error(
            Code::Runtime,
            "Tape: left on another thread than it was entered on, or not entered; use a `with` block",
        ));
    }
    drop(IN_FORCE.take());
    tape.state().end(tapes::leave());
    Ok(())
}

/// Records a forward launch that is about to run on the tape in force, and keeps what it overwrites.
///
/// # Errors
/// The kernel has no gradient, or an argument cannot be kept.
pub fn add_launch(
    kernel: &Bound<'_, Kernel>,
    stream: Stream,
    dims: Dims,
    args: &Recorded<'_, '_>,
    block: &Block,
) -> PyResult<()> {
    let launch = TapedLaunch::record(kernel, stream, dims, args, block)?;
    add(Entry::Launch(launch));
    Ok(())
}

/// Looks at what the launch that was recorded last has left, once it has run, if the settings ask for that.
///
/// # Errors
/// There is no memory.
#[cold]
pub fn after_launch(py: Python<'_>) -> PyResult<()> {
    let Some(tape) = IN_FORCE.with_borrow(Option::clone) else {
        return Ok(());
    };
    match tape.state().entries.last() {
        Some(Entry::Launch(r)) => r.ran(py),
        _ => Ok(()),
    }
}

/// Records on the tape in force.
fn add(entry: Entry) {
    IN_FORCE.with_borrow(|tape| {
        if let Some(tape) = tape {
            tape.state().entries.push(entry);
        }
    });
}

/// Records that an array is about to be filled. Called before a fill of one that has a gradient.
#[pyfunction]
fn _record_fill(array: &Bound<'_, Array>) {
    add(Entry::Fill([array.clone().into_any().unbind()]));
}

/// Records a function to be called at this point of the backward pass, as `Tape.record_func`, on the tape in force.
#[pyfunction]
fn _record_call(backward: Py<PyAny>, arrays: Vec<Py<PyAny>>) {
    add(Entry::Call { backward, arrays });
}

/// Adds the functions to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_record_fill, m)?)?;
    m.add_function(wrap_pyfunction!(_record_call, m)?)
}
