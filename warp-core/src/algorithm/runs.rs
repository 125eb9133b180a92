//! Runs of equal elements.

use super::each;
use super::element::{Element, with_number};
use super::place::Place;
use crate::dtype::Scalar;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Elements of a block, which one thread looks at; a multiple of 64.
const BLOCK: usize = 1 << 14;

/// Writes what each run of equal elements holds, and how long it is; returns how many runs there are. Floats are compared as
/// numbers, so that each NaN is a run of its own.
///
/// # Safety
/// `values` holds `n` elements, the other two have room for `n`; nothing else uses them, and they do not overlap.
pub unsafe fn runs(
    scalar: Scalar,
    n: usize,
    values: *const u8,
    run_values: *mut u8,
    run_lengths: *mut u8,
) -> usize {
    with_number!(scalar, T => {
        let (values, run_values) = (Place::<T>::new(values.cast_mut()), Place::<T>::new(run_values));
        find(n, values, run_values, Place::<i32>::new(run_lengths))
    })
    .expect("the scalar is a number")
}

/// A bit for each of up to 64 elements from `i` on: whether it differs from the one before it. `i` is not 0.
#[inline(always)]
fn differ<T: Element>(values: Place<T>, i: usize, n: usize) -> u64 {
    if n < 64 {
        // SAFETY: these elements are there.
        let differs = |j| unsafe { values.get(i + j) != values.get(i + j - 1) };
        return (0..n).fold(0, |mask, j| mask | u64::from(differs(j)) << j);
    }
    let mut flags = [0u8; 64];
    for (j, flag) in flags.iter_mut().enumerate() {
        // SAFETY: these elements are there.
        *flag = u8::from(unsafe { values.get(i + j) != values.get(i + j - 1) });
    }
    let mut mask = 0;
    for (k, eight) in flags.chunks_exact(8).enumerate() {
        let eight = u64::from_le_bytes(eight.try_into().expect("8 flags"));
        // Moves bit 8 * j to bit 56 + j.
        mask |= (eight.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * k);
    }
    mask
}

fn find<T: Element>(
    n: usize,
    values: Place<T>,
    run_values: Place<T>,
    lengths: Place<i32>,
) -> usize {
    if n == 0 {
        return 0;
    }
    // Element 0 begins a run; the others do where they differ.
    let blocks = (n - 1).div_ceil(BLOCK);
    let range = |block: usize| 1 + block * BLOCK..n.min(1 + (block + 1) * BLOCK);
    // For each block: how many runs begin in it, and where the last one does.
    let begun: Vec<(AtomicUsize, AtomicUsize)> = (0..blocks).map(|_| Default::default()).collect();
    each(blocks, n, |block| {
        let range = range(block);
        let (mut count, mut last) = (0, 0);
        for i in range.clone().step_by(64) {
            let mask = differ(values, i, 64.min(range.end - i));
            count += mask.count_ones() as usize;
            if mask != 0 {
                last = i + 63 - mask.leading_zeros() as usize;
            }
        }
        begun[block].0.store(count, Relaxed);
        begun[block].1.store(last, Relaxed);
    });
    let (mut run, mut start) = (0, 0);
    let mut before = Vec::with_capacity(blocks);
    for (count, last) in &begun {
        before.push((run, start));
        run += count.load(Relaxed);
        start = start.max(last.load(Relaxed));
    }
    // SAFETY: there is room for as many runs as elements; each is written once, its length by who finds its end.
    unsafe {
        run_values.put(0, values.get(0));
        lengths.put(run, (n - start) as i32);
    }
    each(blocks, n, |block| {
        let range = range(block);
        let (mut run, mut start) = before[block];
        for first in range.clone().step_by(64) {
            let mut mask = differ(values, first, 64.min(range.end - first));
            while mask != 0 {
                let i = first + mask.trailing_zeros() as usize;
                mask &= mask - 1;
                // SAFETY: as above.
                unsafe {
                    lengths.put(run, (i - start) as i32);
                    run += 1;
                    run_values.put(run, values.get(i));
                }
                start = i;
            }
        }
    });
    run + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_any_length_across_blocks() {
        for n in [
            0usize,
            1,
            2,
            63,
            64,
            65,
            129,
            BLOCK,
            BLOCK + 1,
            BLOCK + 2,
            200_000,
        ] {
            for long in [1usize, 3, 64, 100, 70_000] {
                let values: Vec<i32> = (0..n).map(|i| (i / long) as i32 % 5).collect();
                let mut want: Vec<(i32, i32)> = Vec::new();
                for v in &values {
                    match want.last_mut() {
                        Some((last, count)) if last == v => *count += 1,
                        _ => want.push((*v, 1)),
                    }
                }
                let (mut found, mut lengths) = (vec![-1i32; n], vec![-1i32; n]);
                let (to, by) = (found.as_mut_ptr().cast(), lengths.as_mut_ptr().cast());
                // SAFETY: all have `n` elements.
                let count = unsafe { runs(Scalar::I32, n, values.as_ptr().cast(), to, by) };
                let got: Vec<(i32, i32)> = found.into_iter().zip(lengths).take(count).collect();
                assert!(got == want, "{n} elements in runs of {long}");
            }
        }
    }

    #[test]
    fn zeros_are_equal_and_nans_are_not() {
        let values = [0.0f32, -0.0, f32::NAN, f32::NAN];
        let (mut found, mut lengths) = ([0f32; 4], [0i32; 4]);
        let (to, by) = (found.as_mut_ptr().cast(), lengths.as_mut_ptr().cast());
        // SAFETY: all have 4 elements.
        let count = unsafe { runs(Scalar::F32, 4, values.as_ptr().cast(), to, by) };
        assert_eq!((count, &lengths[..3]), (3, &[2, 1, 1][..]));
    }
}
