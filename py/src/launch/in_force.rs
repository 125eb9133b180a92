//! The tape that records what a thread does, and what it is told.

use super::host::{Entry, Recording};
use super::taped::{Recorded, record};
use crate::kernel::Kernel;
use crate::object::Array;
use crate::object::error::{Code, error};
use crate::runtime::tapes::{self, Tape};
use pyo3::prelude::*;
use std::any::Any;
use std::sync::Arc;
use warp_core::device::Stream;
use warp_core::launch::{Block, Dims};

/// A tape's recording, as recorders know it.
pub struct InForce(pub Recording);

impl Tape for InForce {
    fn filled(&self, array: Bound<'_, Array>) {
        self.0.add(Entry::fill(array.into_any().unbind()));
    }
}

/// The tape in force.
#[inline]
pub fn current() -> Option<Arc<InForce>> {
    let tape: Arc<dyn Any + Send + Sync> = tapes::current()?.0.clone();
    tape.downcast().ok()
}

/// Begins to record.
pub fn enter(tape: &Arc<InForce>) {
    let moment = tapes::enter(tape.clone());
    tape.0.state().begin(moment);
}

/// Ends to record.
///
/// # Errors
/// The tape does not record on this thread.
pub fn leave(tape: &Arc<InForce>) -> PyResult<()> {
    let Some(moment) = tapes::leave(&**tape) else {
        return Err(error(
            Code::Runtime,
            "Tape: left on another thread than it was entered on, or not entered; use a `with` block",
        ));
    };
    tape.0.state().end(moment);
    Ok(())
}

/// Records a forward launch that is about to run on a tape, and keeps what it overwrites.
///
/// # Errors
/// The kernel has no gradient, or an argument cannot be kept.
pub fn add_launch(
    tape: &InForce,
    kernel: &Bound<'_, Kernel>,
    (stream, dims): (Stream, Dims),
    args: &Recorded<'_, '_>,
    block: &Block,
) -> PyResult<()> {
    let launch = record(kernel, stream, dims, args, block)?;
    tape.0.add(Entry::Launch(Arc::new(launch)));
    Ok(())
}

/// Looks at what the launch that was recorded last has left, once it has run, if the settings ask for that.
///
/// # Errors
/// There is no memory.
#[cold]
pub fn after_launch() -> PyResult<()> {
    let Some(tape) = current() else {
        return Ok(());
    };
    let last = tape.0.state().entries.last().cloned();
    match last {
        Some(Entry::Launch(launch)) => launch.ran(),
        _ => Ok(()),
    }
}

/// Records on the tape in force.
fn add(entry: Entry) {
    if let Some(tape) = current() {
        tape.0.add(entry);
    }
}

/// Records a function to be called at this point of the backward pass, as `Tape.record_func`, on the tape in force: it adds to
/// the gradients of `reads` what follows from those of `writes`.
#[pyfunction]
#[pyo3(signature = (backward, reads, writes=Vec::new()))]
fn _record_call(backward: Py<PyAny>, reads: Vec<Py<PyAny>>, writes: Vec<Py<PyAny>>) {
    add(Entry::call(backward, reads, writes));
}

/// Whether a tape of this thread records.
#[pyfunction]
fn _is_taping() -> bool {
    tapes::active()
}

/// Adds the functions to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_is_taping, m)?)?;
    m.add_function(wrap_pyfunction!(_record_call, m)?)
}
