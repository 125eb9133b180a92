//! Runs compiled kernels: from an argument block to the thread pool and back to an error.

use crate::abi::{ArrayArg, Entry, ErrorSlot};
use crate::backend::cpu::launch::{Cost, Launch, launch};
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

/// Whether two arrays are fields of the same structs: their bytes lie between each other without overlapping. Each
/// array comes with its number of dimensions and the size of an element.
pub fn interleaved(a: &(ArrayArg, usize, usize), b: &(ArrayArg, usize, usize)) -> bool {
    let (first, second) = if (a.0.data as usize) <= b.0.data as usize {
        (a, b)
    } else {
        (b, a)
    };
    let ndim = first.1;
    let same = ndim == second.1
        && first.0.shape[..ndim] == second.0.shape[..ndim]
        && first.0.strides[..ndim] == second.0.strides[..ndim];
    let offset = second.0.data as usize - first.0.data as usize;
    same && offset >= first.2 && !overlaps_itself(&first.0, ndim, offset.saturating_add(second.2))
}

/// Whether non-atomic adds to any of these arrays could lose one: two overlap, or one overlaps itself.
/// Each array comes with its number of dimensions and the size of an element.
pub fn any_overlap(arrays: &[(ArrayArg, usize, usize)]) -> bool {
    let mut ranges: smallvec::SmallVec<[(Range<usize>, usize); 8]> = smallvec::SmallVec::new();
    for (at, (array, ndim, size)) in arrays.iter().enumerate() {
        if overlaps_itself(array, *ndim, *size) {
            return true;
        }
        let range = bytes(array, *ndim, *size);
        if !range.is_empty() {
            ranges.push((range, at));
        }
    }
    ranges.sort_unstable_by_key(|r| r.0.start);
    if !ranges
        .windows(2)
        .any(|pair| pair[1].0.start < pair[0].0.end)
    {
        return false;
    }
    // Fields of structs lie between each other: every pair is looked at.
    let pairs = (0..ranges.len()).flat_map(|i| (i + 1..ranges.len()).map(move |j| (i, j)));
    pairs.into_iter().any(|(i, j)| {
        let ((x, a), (y, b)) = (&ranges[i], &ranges[j]);
        y.start < x.end && !interleaved(&arrays[*a], &arrays[*b])
    })
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
    fn fields_of_structs_lie_between_each_other() {
        let of =
            |data, shape: &[i32], strides: &[i64]| (array(data, shape, strides), shape.len(), 4);
        let (x, y, z) = (
            of(100, &[5], &[12]),
            of(104, &[5], &[12]),
            of(108, &[5], &[12]),
        );
        assert!(interleaved(&x, &y) && interleaved(&y, &x));
        assert!(!any_overlap(&[x, y, z]));
        assert!(!interleaved(&x, &x), "the same");
        assert!(!interleaved(&x, &of(102, &[5], &[12])), "half of it");
        assert!(!interleaved(&x, &of(110, &[5], &[12])), "half of the next");
        assert!(!interleaved(&x, &of(112, &[5], &[12])), "the next ones");
        assert!(!interleaved(&x, &of(104, &[4], &[12])), "another shape");
        assert!(!interleaved(&x, &of(104, &[5], &[8])), "other strides");
        assert!(any_overlap(&[x, y, of(112, &[4], &[12])]));
        let (p, q) = (of(100, &[2, 3], &[24, 8]), of(104, &[2, 3], &[24, 8]));
        assert!(interleaved(&p, &q), "two dimensions");
        assert!(
            interleaved(&of(100, &[2, 3], &[8, 16]), &of(104, &[2, 3], &[8, 16])),
            "transposed"
        );
        assert!(
            interleaved(&of(200, &[3], &[-8]), &of(204, &[3], &[-8])),
            "reversed"
        );
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
