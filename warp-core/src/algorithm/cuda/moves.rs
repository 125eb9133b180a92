//! Numbers of elements, and elements by their numbers.

use super::kernel::Kernel;
use super::run::Run;
use crate::error::Result;

/// Writes the numbers below `n` as uint32.
///
/// # Safety
/// There is room for them.
pub unsafe fn iota(run: &Run, to: u64, n: usize) -> Result<()> {
    let n = n as u64;
    // SAFETY: promised by the caller.
    unsafe { run.each(Kernel::Iota, n, &[to, n]) }
}

/// Writes element `order[i]` of `from` as element `i` of `to`, for `n` elements of `size` bytes.
///
/// # Safety
/// The elements are there, `to` has room for them, and overlaps neither.
pub unsafe fn gather(
    run: &Run,
    to: u64,
    from: u64,
    order: u64,
    n: usize,
    size: usize,
) -> Result<()> {
    // The largest unit at which everything starts.
    let unit = 1u64 << (to | from | size as u64 | 8).trailing_zeros();
    let units = size as u64 / unit;
    let args = [from, order, to, n as u64, units];
    // SAFETY: promised by the caller.
    unsafe { run.each(Kernel::Gather(unit as usize), n as u64, &args) }
}
