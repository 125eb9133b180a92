//! Where the algorithms are done: on the CPU's threads or by the GPU that has the memory.

use super::reduce::Sum;
use super::runs::runs as runs_on_cpu;
use super::scan::scan as scan_on_cpu;
use super::sort::Pairs;
use super::{cuda, reduce, segments, sort};
use crate::device::{Device, Stream};
use crate::dtype::Scalar;
use crate::error::Result;

/// Writes `outer * inner / fold` sums to `out`, of `a` or of the products of `a` and `b`. Floats are summed in float64, in an
/// order that depends on the sizes alone.
///
/// # Safety
/// `a` and `b` hold the scalars that `of` describes and nothing writes them until the device is done; `out` may be written, overlaps
/// neither, and nothing else uses it.
///
/// # Errors
/// What a GPU's driver says.
pub unsafe fn sum(
    stream: Stream,
    of: &Sum,
    a: *const u8,
    b: Option<*const u8>,
    out: *mut u8,
) -> Result<()> {
    // SAFETY: promised by the caller.
    unsafe {
        match stream.device {
            Device::Cpu => reduce::sum(of, a, b, out),
            Device::Cuda(_) => cuda::sum(&cuda::on(stream)?, of, a, b, out)?,
        }
    }
    Ok(())
}

/// Writes the running sums of `n` rows of `inner` scalars each; row `i` of them includes row `i`, or ends before it.
/// Floats are summed in float64.
///
/// # Safety
/// `from` holds the scalars and nothing else writes them until the device is done; `to` has room for as many, may be written, nothing
/// else uses it, and it is `from` or does not overlap it.
///
/// # Errors
/// What a GPU's driver says.
pub unsafe fn scan(
    stream: Stream,
    scalar: Scalar,
    n: usize,
    inner: usize,
    from: *const u8,
    to: *mut u8,
    inclusive: bool,
) -> Result<()> {
    // SAFETY: promised by the caller.
    unsafe {
        match stream.device {
            Device::Cpu => scan_on_cpu(scalar, n, inner, from, to, inclusive),
            Device::Cuda(_) => {
                cuda::scan(&cuda::on(stream)?, scalar, n, inner, from, to, inclusive)?
            }
        }
    }
    Ok(())
}

/// Sorts pairs by the bits of their keys from `begin` up to `end`, in the order of the numbers; negative floats have all bits
/// flipped, others the highest one. -0.0 comes before 0.0, a NaN at the end that its sign says. What the second half of
/// the room holds then is arbitrary.
///
/// # Safety
/// Both have room for twice the count, may be written, do not overlap, and nothing else uses them until the device is done.
///
/// # Errors
/// A GPU is given more than 2^32 - 1 pairs; what its driver says.
pub unsafe fn sort_pairs(stream: Stream, pairs: &Pairs, begin: u32, end: u32) -> Result<()> {
    // SAFETY: promised by the caller.
    unsafe {
        match stream.device {
            Device::Cpu => sort::sort_pairs(pairs, begin, end),
            Device::Cuda(_) => cuda::sort_pairs(&cuda::on(stream)?, pairs, begin, end)?,
        }
    }
    Ok(())
}

/// Sorts each segment of pairs by its keys, as [`sort_pairs`] does. Segment `i` begins at `starts[i]` and ends before `ends[i]`; both
/// are int32. On the CPU, segments that overlap are sorted one after the other.
///
/// # Safety
/// As [`sort_pairs`]; there are so many starts and ends, which nothing writes until the device is done.
///
/// # Errors
/// On the CPU, a segment that is not within the count. A GPU reports that, and overlapping segments, at the next synchronisation. Also
/// what its driver says.
pub unsafe fn sort_segments(
    stream: Stream,
    pairs: &Pairs,
    starts: *const u8,
    ends: *const u8,
    segments: usize,
) -> Result<()> {
    // SAFETY: promised by the caller; the segments of the CPU are checked.
    unsafe {
        match stream.device {
            Device::Cpu => segments::sort_segments(
                pairs,
                &segments::read(pairs.count, starts, ends, segments)?,
            ),
            Device::Cuda(_) => {
                cuda::sort_segments(&cuda::on(stream)?, pairs, starts, ends, segments)?
            }
        }
    }
    Ok(())
}

/// Writes what each run of equal elements holds, how long it is, and to `count` how many runs there are; the last two as int32. Floats
/// are compared as numbers, so that each NaN is a run of its own.
///
/// # Safety
/// `values` holds `n` elements, `run_values` and `run_lengths` have room for `n` and `count` for one; nothing else uses them until the
/// device is done, and they do not overlap.
///
/// # Errors
/// A GPU is given more than 2^32 - 1 elements; what its driver says.
pub unsafe fn runs(
    stream: Stream,
    scalar: Scalar,
    n: usize,
    values: *const u8,
    run_values: *mut u8,
    run_lengths: *mut u8,
    count: *mut u8,
) -> Result<()> {
    // SAFETY: promised by the caller.
    unsafe {
        match stream.device {
            Device::Cpu => {
                let found = runs_on_cpu(scalar, n, values, run_values, run_lengths);
                count.cast::<i32>().write_unaligned(found as i32);
            }
            Device::Cuda(_) => cuda::runs(
                &cuda::on(stream)?,
                scalar,
                n,
                values,
                run_values,
                run_lengths,
                count,
            )?,
        }
    }
    Ok(())
}
