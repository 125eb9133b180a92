//! Running a launch: without Python's lock if it is long, with faults and signals as exceptions.

use super::captured::command;
use super::pack::{Owners, check_owners};
use super::peers;
use super::prepared::Prepared;
use crate::kernel::Kernel;
use crate::kernel::fault::exception;
use crate::object::record;
use crate::runtime::config;
use crate::runtime::signal::Signal;
use pyo3::prelude::*;
use std::cell::RefCell;
use warp_core::backend;
use warp_core::backend::cuda::deferred;
use warp_core::device::{Device, Stream, cuda};
use warp_core::launch::{self, Dims, Job, Policy};
use warp_core::module::Program;
use warp_dlpack::raise;

/// Runs a program of a kernel's: the kernel itself, or an adjoint of it. Or a recorder of the thread takes it.
///
/// # Errors
/// What the compiler says at the first launch, and faults of threads.
pub fn run(
    py: Python<'_>,
    kernel: &Kernel,
    program: &Program,
    stream: Stream,
    dims: &Dims,
    prepared: &Prepared<'_>,
) -> PyResult<()> {
    let mut owners = None;
    let code = match program.compiled(stream.device) {
        Some(code) => code,
        None => {
            let held = owners.insert((prepared.hold)()?);
            let code = kernel.compile_for(py, program, stream.device)?;
            check_owners(kernel, held)?;
            code
        }
    };
    if record::take(|| command(stream, *dims, prepared))? {
        return Ok(());
    }
    let policy = Policy {
        deterministic: config::deterministic(),
        buffers: prepared.buffers,
    };
    let block = prepared.block.as_ptr();
    let job = Job::new(program, code, stream, block, *dims, policy);
    let short = job.is_short();
    if !short && owners.is_none() {
        owners = Some((prepared.hold)()?);
    }
    let outcome = finish(py, kernel, &job, short, owners, prepared.hold);
    if let Some(lending) = prepared.lending {
        // Also where a thread failed: others have stored.
        lending.apply(false);
    }
    outcome?;
    if peers::any() && peers::are_reached(program, prepared.block, stream.device) {
        // A GPU gives memory back after its own streams, not after those of others.
        deferred::keep(Box::new((prepared.hold)()?), stream);
    }
    Ok(())
}

/// Runs a job, without Python's lock unless it is `short`, and turns a fault into an exception.
#[inline]
fn finish(
    py: Python<'_>,
    kernel: &Kernel,
    job: &Job<'_>,
    short: bool,
    owners: Option<Owners>,
    hold: &dyn Fn() -> PyResult<Owners>,
) -> PyResult<()> {
    let signal = Signal::default();
    let outcome = if short {
        let owners = RefCell::new(owners);
        let interrupted = || {
            // It is not short after all: other threads want to run too, and may then give the arguments other memory.
            if owners.borrow().is_none() {
                match hold() {
                    Ok(held) => *owners.borrow_mut() = Some(held),
                    Err(error) => return signal.fails(error),
                }
            }
            py.detach(std::thread::yield_now);
            signal.came(py)
        };
        // SAFETY: the block was packed for this kernel; what its arrays need is kept by the caller's objects, which
        // nobody can change while Python's lock is held, and by the owners from when it is given up.
        unsafe { launch::run(job, Some(&interrupted)) }
    } else {
        py.detach(|| {
            let interrupted = || Python::attach(|py| signal.came(py));
            // SAFETY: as above; these are the owners of all arrays' memory.
            unsafe { launch::run(job, Some(&interrupted)) }
        })
    };
    match outcome {
        Ok(()) if config::verify_cuda() && job.stream.device != Device::Cpu => {
            verified(py, job.stream)
        }
        Ok(()) => Ok(()),
        Err(fault) => Err(signal.or_else(|| exception(kernel, &fault, &job.code.spans))),
    }
}

/// Waits for a launch on a GPU, unless it is captured: what went wrong in it.
#[cold]
fn verified(py: Python<'_>, stream: Stream) -> PyResult<()> {
    if cuda::capture_of(stream)
        .map_err(|e| raise(py, e))?
        .is_some()
    {
        return Ok(());
    }
    let signal = Signal::default();
    let waited = py.detach(|| {
        let interrupted = || Python::attach(|py| signal.came(py));
        backend::of(stream.device)?.synchronize(stream, &interrupted)
    });
    waited.map_err(|e| signal.or_else(|| raise(py, e)))
}
