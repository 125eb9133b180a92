//! Runs of equal elements: how many begin up to each element, where each begins, and how long that makes them.

use super::element::Source;
use super::kernel::Kernel;
use super::run::Run;
use super::scan::running;
use super::sort::check;
use crate::dtype::Scalar;
use crate::error::Result;

/// As [`crate::algorithm::runs`], on a GPU; the number of runs goes to `count`, an int32.
///
/// # Safety
/// As there, but what is read and written must stay until the stream is done, and be memory of the GPU.
///
/// # Errors
/// There are more elements than 32 bits count; what the driver says.
pub unsafe fn runs(
    run: &Run,
    scalar: Scalar,
    n: usize,
    values: *const u8,
    run_values: *mut u8,
    run_lengths: *mut u8,
    count: *mut u8,
) -> Result<()> {
    let _timed = run.queue.watch("run lengths");
    check(n)?;
    if n == 0 {
        // SAFETY: promised by the caller.
        return unsafe { run.queue.clear(count as u64, 4) };
    }
    // The runs up to each element; then where each begins, and the end behind them.
    let scratch = run.queue.scratch(4 * n + 4 * (n + 1))?;
    let (begun, starts) = (scratch.address(), scratch.address() + 4 * n as u64);
    let n64 = n as u64;
    let (values, run_values) = (values as u64, run_values as u64);
    // SAFETY: promised by the caller, and the scratch memory has room for both.
    unsafe {
        running(
            run,
            Source::Begins(scalar),
            Scalar::U32,
            true,
            (n, 1),
            values,
            begun,
        )?;
        let params = [values, begun, run_values, starts, count as u64, n64];
        run.each(Kernel::RunStarts(scalar.size()), n64, &params)?;
        run.each(
            Kernel::RunLengths,
            n64,
            &[starts, count as u64, run_lengths as u64, n64],
        )
    }
}
