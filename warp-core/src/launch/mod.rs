//! Launches: the arguments of a kernel as a block ([`Block`]), what is run ([`Job`]), and which arrays share memory.
//!
//! The callers pack arguments into a [`Block`] and make a [`Job`] of a program, a stream and the dimensions; [`run`] hands
//! it to the backend. In deterministic mode ([`Policy::deterministic`]) a kernel whose result depends on the order of
//! threads runs in index order.

mod block;
mod dims;
pub mod fault;
mod job;
mod overlap;
mod touched;

pub use crate::backend::{Grid, Job};
pub use block::Block;
pub use dims::Dims;
pub use job::{Buffers, Policy};
pub use overlap::{any_overlap, interleaved};
pub use touched::Touched;

use crate::abi::{self, ErrorSlot};
use crate::backend;
use crate::objects::Reading;
use crate::timeline::{self, Name, What};

/// Runs a job. `interrupted` is asked every few milliseconds; true ends the launch.
///
/// # Safety
/// The block was packed for the kernel, and its arrays are alive and as large as it says.
///
/// # Errors
/// The first fault of a thread.
#[inline]
pub unsafe fn run(job: &Job<'_>, interrupted: Option<&dyn Fn() -> bool>) -> Result<(), ErrorSlot> {
    let _reading = job.queries.then(Reading::begin);
    if timeline::is_on() {
        // SAFETY: the caller's promise.
        return unsafe { noted(job, interrupted) };
    }
    match backend::of(job.stream.device) {
        // SAFETY: the caller's promise.
        Ok(backend) => unsafe { backend.launch(job, interrupted) },
        Err(_) => Err(no_backend()),
    }
}

/// A launch that is recorded.
///
/// # Safety
/// As [`run`].
#[cold]
#[inline(never)]
unsafe fn noted(job: &Job<'_>, interrupted: Option<&dyn Fn() -> bool>) -> Result<(), ErrorSlot> {
    let Ok(backend) = backend::of(job.stream.device) else {
        return Err(no_backend());
    };
    let begun = timeline::begin();
    // SAFETY: the caller's promise.
    let outcome = unsafe { timeline::aside(backend).launch(job, interrupted) };
    timeline::end(begun, || {
        let (dims, device) = (job.dims, job.stream.device);
        (
            Name::Of(job.code.name.clone()),
            What::Launch { dims, device },
        )
    });
    outcome
}

/// The code was compiled for a device that has a backend.
#[cold]
fn no_backend() -> ErrorSlot {
    ErrorSlot {
        code: abi::fault::CANCELLED,
        ..ErrorSlot::default()
    }
}
