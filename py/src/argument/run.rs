//! Running a launch: without Python's lock if it is long, with faults and signals as exceptions.

use crate::kernel::Kernel;
use crate::kernel::fault::exception;
use crate::runtime::config;
use crate::runtime::signal::Signal;
use pyo3::prelude::*;
use warp_core::device::Stream;
use warp_core::launch::{self, Block, Buffers, Dims, Job, Policy};
use warp_core::module::Program;

/// Runs a program of a kernel's: the kernel itself, or an adjoint of it.
///
/// # Errors
/// What the compiler says at the first launch, and faults of threads.
pub fn run(
    py: Python<'_>,
    kernel: &Kernel,
    program: &Program,
    stream: Stream,
    dims: Dims,
    block: &Block,
    buffers: Buffers<'_>,
) -> PyResult<()> {
    let code = match program.compiled(stream.device) {
        Some(code) => code,
        None => kernel.compile_for(py, program, stream.device)?,
    };
    let policy = Policy {
        deterministic: config::deterministic(),
        buffers,
    };
    let job = Job::new(program, code, stream, block.as_ptr(), dims.shape, policy);
    finish(py, kernel, &job)
}

/// Runs a job, without Python's lock if it is long, and turns a fault into an exception.
#[inline]
fn finish(py: Python<'_>, kernel: &Kernel, job: &Job<'_>) -> PyResult<()> {
    let signal = Signal::default();
    let outcome = if job.is_short() {
        let interrupted = || {
            // It is not short after all: other threads want to run too.
            py.detach(std::thread::yield_now);
            signal.came(py)
        };
        // SAFETY: the block was packed for this kernel; what its arrays need is kept by the caller.
        unsafe { launch::run(job, Some(&interrupted)) }
    } else {
        py.detach(|| {
            let interrupted = || Python::attach(|py| signal.came(py));
            // SAFETY: as above.
            unsafe { launch::run(job, Some(&interrupted)) }
        })
    };
    match outcome {
        Ok(()) => Ok(()),
        Err(fault) => Err(signal.or_else(|| exception(kernel, &fault, &job.code.spans))),
    }
}
