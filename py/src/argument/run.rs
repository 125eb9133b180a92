//! Running a job: without Python's lock if it is long, with faults and signals as exceptions.

use super::block::Block;
use super::dims::Dims;
use crate::kernel::fault::exception;
use crate::kernel::{Kernel, Ready};
use crate::runtime::config;
use pyo3::prelude::*;
use warp_core::launch as core;
use warp_core::module::Native;

/// Runs a forward launch.
pub fn run(
    py: Python<'_>,
    kernel: &Kernel,
    ready: &Ready,
    dims: Dims,
    block: &Block,
) -> PyResult<()> {
    let code = &ready.compiled.code;
    let job = core::Job {
        entry: code.entry,
        block: block.as_ptr().cast(),
        dims: dims.shape,
        cost: &code.cost,
        in_order: code.in_order || (config::deterministic() && code.order_matters),
        // A derived kernel has adds that are plain ones unless somebody says so, and nobody has looked.
        overlap: ready.compiled.sums.is_some(),
    };
    finish(py, kernel, &job, code)
}

/// Runs a job, without the GIL if it is long, and turns a fault into an exception.
pub fn finish(py: Python<'_>, kernel: &Kernel, job: &core::Job<'_>, code: &Native) -> PyResult<()> {
    let outcome = if job.is_short() {
        // SAFETY: the block was packed for this kernel; what its arrays need is kept by the caller.
        unsafe { core::run(job, None) }
    } else {
        // A pointer may not cross into the closure; an address may.
        let block = job.block as usize;
        let (entry, dims, cost) = (job.entry, job.dims, job.cost);
        let (in_order, overlap) = (job.in_order, job.overlap);
        let signal = std::sync::Mutex::new(None);
        let outcome = py.detach(|| {
            let block = block as *const u8;
            let job = core::Job {
                entry,
                block,
                dims,
                cost,
                in_order,
                overlap,
            };
            let interrupted = || {
                Python::attach(|py| match py.check_signals() {
                    Ok(()) => false,
                    Err(error) => {
                        *signal.lock().expect("only this thread locks it") = Some(error);
                        true
                    }
                })
            };
            // SAFETY: as above.
            unsafe { core::run(&job, Some(&interrupted)) }
        });
        if let Some(error) = signal.into_inner().expect("no panic inside") {
            return Err(error);
        }
        outcome
    };
    outcome.map_err(|fault| exception(kernel, &fault, &code.spans))
}
