//! Runs compiled kernels: from an argument block to the thread pool and back to an error.

use crate::abi::{ArrayArg, Entry, ErrorSlot};
use crate::target::cpu::launch::{Cost, Launch, launch};
use crate::ty::MAX_NDIM;
use std::ops::Range;

/// A launch that is ready to run.
#[derive(Clone, Debug)]
pub struct Job<'a> {
    /// The kernel.
    pub entry: Entry,
    /// Its argument block.
    pub block: *const u8,
    /// Launch dimensions, unused ones 1.
    pub dims: [i32; MAX_NDIM],
    /// What the kernel has been seen to cost.
    pub cost: &'a Cost,
    /// Threads run in index order, one after the other.
    pub in_order: bool,
    /// Adds that the kernel makes without atomics may meet: see [`any_overlap`].
    pub overlap: bool,
}

impl Job<'_> {
    /// Number of threads.
    pub fn total(&self) -> i64 {
        self.dims.iter().map(|d| i64::from(*d)).product()
    }
    /// Whether the launch is expected to take so little time that it runs on the caller.
    pub fn is_short(&self) -> bool {
        self.cost.is_short(self.total())
    }
}

/// Runs a job. `interrupted` is asked every few milliseconds; true ends the launch.
///
/// # Safety
/// The block was packed for the kernel, and its arrays are alive and as large as it says.
pub unsafe fn run(job: &Job<'_>, interrupted: Option<&dyn Fn() -> bool>) -> Result<(), ErrorSlot> {
    let inner = job
        .dims
        .iter()
        .rev()
        .find(|d| **d != 1)
        .copied()
        .unwrap_or(1);
    let one_row = job.dims.iter().filter(|d| **d != 1).count() <= 1;
    let l = Launch {
        entry: job.entry,
        args: job.block,
        n: job.total(),
        grain: if one_row { 1 } else { inner.into() },
        cost: job.cost,
        in_order: job.in_order,
        overlap: job.overlap,
        cancel: None,
        interrupted,
        sink: None,
    };
    // SAFETY: the caller's promise.
    unsafe { launch(&l) }
}

/// Bytes that an array may touch; empty if it has no elements or no data.
pub fn bytes(array: &ArrayArg, ndim: usize, elem_size: usize) -> Range<usize> {
    let extents = &array.shape[..ndim];
    if array.data.is_null() || extents.contains(&0) {
        return 0..0;
    }
    let base = array.data as i64;
    let (mut low, mut high) = (base, base + elem_size as i64);
    for (extent, stride) in extents.iter().zip(&array.strides) {
        let reach = (i64::from(*extent) - 1) * stride;
        low += reach.min(0);
        high += reach.max(0);
    }
    low as usize..high as usize
}

/// Whether two index tuples may name overlapping bytes. Exact for the usual layouts (dense, padded,
/// sliced, transposed, broadcast); for exotic interleavings it may say yes wrongly.
pub fn overlaps_itself(array: &ArrayArg, ndim: usize, elem_size: usize) -> bool {
    let mut dims: smallvec::SmallVec<[(i64, i64); 4]> = (0..ndim)
        .map(|d| (array.strides[d].abs(), i64::from(array.shape[d])))
        .filter(|(_, extent)| *extent > 1)
        .collect();
    if array.shape[..ndim].contains(&0) {
        return false;
    }
    dims.sort_unstable();
    let mut reach = elem_size as i64;
    for (stride, extent) in dims {
        if stride < reach {
            return true;
        }
        reach += stride * (extent - 1);
    }
    false
}

/// Whether non-atomic adds to any of these arrays could lose one: two overlap, or one overlaps itself.
/// Each array comes with its number of dimensions and the size of an element.
pub fn any_overlap(arrays: &[(ArrayArg, usize, usize)]) -> bool {
    let mut ranges: smallvec::SmallVec<[Range<usize>; 8]> = smallvec::SmallVec::new();
    for (array, ndim, size) in arrays {
        if overlaps_itself(array, *ndim, *size) {
            return true;
        }
        let range = bytes(array, *ndim, *size);
        if !range.is_empty() {
            ranges.push(range);
        }
    }
    ranges.sort_unstable_by_key(|r| r.start);
    ranges.windows(2).any(|pair| pair[1].start < pair[0].end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(data: usize, shape: &[i32], strides: &[i64]) -> ArrayArg {
        let mut arg = ArrayArg {
            data: data as *mut u8,
            ..ArrayArg::MISSING
        };
        arg.shape[..shape.len()].copy_from_slice(shape);
        arg.strides[..strides.len()].copy_from_slice(strides);
        arg
    }

    #[test]
    fn bytes_of_views() {
        assert_eq!(bytes(&array(100, &[3], &[4]), 1, 4), 100..112);
        assert_eq!(bytes(&array(100, &[3], &[-4]), 1, 4), 92..104);
        assert_eq!(bytes(&array(100, &[0, 5], &[4, 4]), 2, 4), 0..0);
        assert_eq!(bytes(&array(100, &[2, 3], &[4, 8]), 2, 4), 100..124);
    }

    #[test]
    fn self_overlap() {
        assert!(!overlaps_itself(&array(0, &[3, 4], &[16, 4]), 2, 4));
        assert!(
            !overlaps_itself(&array(0, &[4, 3], &[4, 16]), 2, 4),
            "transposed"
        );
        assert!(overlaps_itself(&array(0, &[5], &[0]), 1, 4), "broadcast");
        assert!(!overlaps_itself(&array(0, &[1], &[0]), 1, 4), "one element");
        assert!(
            overlaps_itself(&array(0, &[3, 3], &[4, 4]), 2, 4),
            "sliding window"
        );
        assert!(!overlaps_itself(&array(0, &[0, 3], &[4, 4]), 2, 4), "empty");
    }

    #[test]
    fn overlap_of_two() {
        let a = (array(100, &[4], &[4]), 1, 4);
        let b = (array(112, &[4], &[4]), 1, 4);
        let c = (array(116, &[4], &[4]), 1, 4);
        assert!(any_overlap(&[a, b]));
        assert!(!any_overlap(&[a, c]));
        assert!(any_overlap(&[a, a]));
    }
}
