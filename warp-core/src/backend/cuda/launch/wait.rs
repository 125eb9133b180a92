//! Waiting for a GPU, and what went wrong on it meanwhile.

use crate::backend::cuda::launch::state::State;
use crate::backend::cuda::memory::deferred;
use crate::device::Stream;
use crate::device::cuda::{self, Gpu, Unhindered};
use crate::error::{Code, Error, Result};
use cudarc::driver::sys::CUstream;
use std::time::{Duration, Instant};

/// How often the driver is asked without a pause in between: some 50 microseconds.
const EAGER: u32 = 100;
/// The longest pause between two questions.
const PAUSE: Duration = Duration::from_micros(200);
/// How often the caller is asked whether to go on.
const POLL: Duration = Duration::from_millis(20);

/// Waits until a stream has done what it was given.
///
/// # Errors
/// The first fault of a kernel on this device since the last synchronisation, or what the driver says.
pub fn stream(gpu: &Gpu, stream: Stream) -> Result<()> {
    let current = gpu.enter()?;
    // SAFETY: the stream is alive as long as its owner.
    let waited = unsafe {
        current
            .driver()
            .stream_synchronize(stream.handle as CUstream)
    };
    deferred::settle();
    waited.and(fault(gpu))
}

/// Waits until what came before an event is done.
///
/// # Errors
/// As [`stream`].
pub fn event(gpu: &Gpu, event: usize) -> Result<()> {
    let waited = cuda::synchronize_event(gpu.device(), event);
    waited.and(fault(gpu))
}

/// [`stream`], unless `interrupted`, which is asked now and then, ends the waiting.
///
/// # Errors
/// As [`stream`], and that it was interrupted.
pub fn stream_unless(gpu: &Gpu, stream: Stream, interrupted: &dyn Fn() -> bool) -> Result<()> {
    let current = gpu.enter()?;
    // SAFETY: the stream is alive as long as its owner.
    until(interrupted, || unsafe {
        let _unhindered = Unhindered::begin();
        current.driver().stream_is_done(stream.handle as CUstream)
    })?;
    deferred::settle();
    fault(gpu)
}

/// Waits until a GPU has done what it was given, unless `interrupted` ends the waiting.
///
/// # Errors
/// As [`stream_unless`].
pub fn device_unless(gpu: &Gpu, interrupted: &dyn Fn() -> bool) -> Result<()> {
    let current = gpu.enter()?;
    until(interrupted, || Ok(gpu.busy_streams(0)?.streams.is_empty()))?;
    let _waits = gpu.wait();
    // Streams that only others know are waited for here.
    // SAFETY: no preconditions.
    let waited = unsafe { current.driver().context_synchronize() };
    deferred::settle();
    waited.and(fault(gpu))
}

/// Asks until the answer is yes.
fn until(interrupted: &dyn Fn() -> bool, done: impl Fn() -> Result<bool>) -> Result<()> {
    let (mut asked, mut pause, mut last) = (0, Duration::from_micros(5), Instant::now());
    while !done()? {
        asked += 1;
        if asked > EAGER {
            std::thread::sleep(pause);
            pause = (pause * 2).min(PAUSE);
        }
        if last.elapsed() >= POLL {
            last = Instant::now();
            if interrupted() {
                return Err(Error::new(
                    Code::Runtime,
                    "waiting for the GPU was interrupted; its work goes on",
                ));
            }
        }
    }
    Ok(())
}

/// The first fault since this was asked last.
fn fault(gpu: &Gpu) -> Result<()> {
    match State::of(gpu)?.board.take() {
        None => Ok(()),
        Some(error) => Err(error),
    }
}
