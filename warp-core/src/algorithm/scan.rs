//! Running sums.

use super::each;
use super::element::{Element, with_number};
use super::place::Place;
use crate::backend::cpu::pool;
use crate::dtype::Scalar;
use crate::floating_point::Standard;

/// Scalars of a block: its sum and its running sums are formed by one thread, the second time from its cache.
const BLOCK: usize = 1 << 14;
/// Blocks that are read at a time, before they leave the cache that threads share.
const BLOCKS: usize = 64;

/// Writes the running sums of `n` rows of `inner` scalars each; row `i` of them includes row `i`, or ends before it.
/// Floats are summed in float64.
///
/// # Safety
/// `from` holds the scalars and nothing else writes them meanwhile; `to` has room for as many, may be written, nothing else uses
/// it, and it is `from` or does not overlap it.
pub unsafe fn scan(
    scalar: Scalar,
    n: usize,
    inner: usize,
    from: *const u8,
    to: *mut u8,
    inclusive: bool,
) {
    let _standard = Standard::enter();
    // SAFETY: promised by the caller.
    unsafe { with_number!(scalar, T => scan_of::<T>(n, inner, from, to, inclusive)) }
        .expect("the scalar is a number");
}

/// # Safety
/// As [`scan`], whose scalar is `T`.
unsafe fn scan_of<T: Element>(
    n: usize,
    inner: usize,
    from: *const u8,
    to: *mut u8,
    inclusive: bool,
) {
    let (from, to) = (Place::<T>::new(from.cast_mut()), Place::<T>::new(to));
    match inner {
        // SAFETY: promised by the caller.
        1 => unsafe { blocks(n, 1, from, to, |f, t, n, c| line(f, t, n, c, inclusive)) },
        // SAFETY: as above.
        _ => unsafe { blocks(n, inner, from, to, |f, t, n, c| rows(f, t, n, c, inclusive)) },
    }
}

/// # Safety
/// As [`scan`]. `pass` writes the running sums of one block of rows, from what its last argument holds.
unsafe fn blocks<T: Element>(
    n: usize,
    inner: usize,
    from: Place<T>,
    to: Place<T>,
    pass: impl Fn(Place<T>, Place<T>, usize, &mut [T::Wide]) + Sync,
) {
    if T::EXACT && pool::threads() == 1 {
        // Nobody waits for the sums of blocks.
        return pass(from, to, n, &mut vec![T::ZERO; inner]);
    }
    let tall = (BLOCK / inner).max(1);
    let count = n.div_ceil(tall);
    // What each block begins with; the first of the next round behind them.
    let mut carries = vec![T::ZERO; (BLOCKS + 1) * inner];
    let carry_at = Place::<T::Wide>::new(carries.as_mut_ptr().cast());
    for first in (0..count).step_by(BLOCKS) {
        let blocks = BLOCKS.min(count - first);
        let at = |block: usize| ((first + block) * tall, tall.min(n - (first + block) * tall));
        let cost = blocks * tall * inner;
        // The last block's sum is of use only to a next round.
        let summed = if first + blocks == count {
            blocks - 1
        } else {
            blocks
        };
        each(summed, cost, |block| {
            let (row, rows) = at(block);
            let from = from.from(row * inner);
            let sums: &mut [T::Wide] =
                // SAFETY: each block has its own carry.
                unsafe { std::slice::from_raw_parts_mut(carry_at.address().add((block + 1) * inner), inner) };
            // SAFETY: the rows are there.
            unsafe { total(from, rows, sums) };
        });
        for block in 1..=summed {
            for j in 0..inner {
                let at = block * inner + j;
                carries[at] = T::add(carries[at - inner], carries[at]);
            }
        }
        each(blocks, cost, |block| {
            let (row, rows) = at(block);
            let carry: &mut [T::Wide] =
                // SAFETY: each block has its own carry.
                unsafe { std::slice::from_raw_parts_mut(carry_at.address().add(block * inner), inner) };
            let mut carry: smallvec::SmallVec<[T::Wide; 16]> = carry.iter().copied().collect();
            pass(
                from.from(row * inner),
                to.from(row * inner),
                rows,
                &mut carry,
            );
        });
        carries.copy_within(blocks * inner..(blocks + 1) * inner, 0);
    }
}

/// The sum of a block, by column.
///
/// # Safety
/// The rows are there.
unsafe fn total<T: Element>(from: Place<T>, rows: usize, sums: &mut [T::Wide]) {
    sums.fill(T::ZERO);
    let inner = sums.len();
    if inner == 1 {
        let mut lanes = [T::ZERO; 16];
        let whole = rows / 16 * 16;
        for i in (0..whole).step_by(16) {
            for (j, lane) in lanes.iter_mut().enumerate() {
                // SAFETY: promised by the caller.
                *lane = T::add(*lane, unsafe { from.get(i + j) }.wide());
            }
        }
        // SAFETY: as above.
        let rest = (whole..rows).map(|i| unsafe { from.get(i) }.wide());
        sums[0] = lanes.into_iter().chain(rest).fold(T::ZERO, T::add);
        return;
    }
    for row in 0..rows {
        for (j, sum) in sums.iter_mut().enumerate() {
            // SAFETY: as above.
            *sum = T::add(*sum, unsafe { from.get(row * inner + j) }.wide());
        }
    }
}

/// The running sums of single scalars.
fn line<T: Element>(
    from: Place<T>,
    to: Place<T>,
    n: usize,
    carry: &mut [T::Wide],
    inclusive: bool,
) {
    let mut sum = carry[0];
    let mut i = 0;
    // Four at a time, so that only one addition of four waits for the one before.
    while i + 4 <= n {
        // SAFETY: the caller of `scan` promises all of them.
        let x = [0, 1, 2, 3].map(|k| unsafe { from.get(i + k) }.wide());
        let two = T::add(x[0], x[1]);
        let three = T::add(two, x[2]);
        let four = T::add(two, T::add(x[2], x[3]));
        let (s0, s1) = (T::add(sum, x[0]), T::add(sum, two));
        let (s2, s3) = (T::add(sum, three), T::add(sum, four));
        let all = if inclusive {
            [s0, s1, s2, s3]
        } else {
            [sum, s0, s1, s2]
        };
        for (k, s) in all.into_iter().enumerate() {
            // SAFETY: as above.
            unsafe { to.put(i + k, T::narrow(s)) };
        }
        sum = s3;
        i += 4;
    }
    while i < n {
        // SAFETY: as above.
        let next = T::add(sum, unsafe { from.get(i) }.wide());
        // SAFETY: as above.
        unsafe { to.put(i, T::narrow(if inclusive { next } else { sum })) };
        sum = next;
        i += 1;
    }
}

/// The running sums of rows of several scalars.
fn rows<T: Element>(
    from: Place<T>,
    to: Place<T>,
    n: usize,
    carry: &mut [T::Wide],
    inclusive: bool,
) {
    let inner = carry.len();
    for row in 0..n {
        for (j, sum) in carry.iter_mut().enumerate() {
            let at = row * inner + j;
            // SAFETY: the caller of `scan` promises all of them.
            let next = T::add(*sum, unsafe { from.get(at) }.wide());
            // SAFETY: as above.
            unsafe { to.put(at, T::narrow(if inclusive { next } else { *sum })) };
            *sum = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_sums_over_blocks_and_rounds() {
        for (n, inner) in [
            (0, 1),
            (1, 1),
            (7, 1),
            (20_000, 1),
            (3_000_001, 1),
            (50_000, 3),
            (4, 7),
        ] {
            let x: Vec<i32> = (0..n * inner).map(|i| (i * 31 % 17) as i32 - 5).collect();
            for inclusive in [true, false] {
                let mut want = vec![0i32; n * inner];
                let mut sums = vec![0i32; inner];
                for i in 0..n * inner {
                    let before = sums[i % inner];
                    sums[i % inner] = before.wrapping_add(x[i]);
                    want[i] = if inclusive { sums[i % inner] } else { before };
                }
                let mut out = vec![-1i32; n * inner];
                let mut own = x.clone();
                // SAFETY: as long as the arguments say.
                unsafe {
                    scan(
                        Scalar::I32,
                        n,
                        inner,
                        x.as_ptr().cast(),
                        out.as_mut_ptr().cast(),
                        inclusive,
                    );
                    let own = own.as_mut_ptr().cast::<u8>();
                    scan(Scalar::I32, n, inner, own, own, inclusive);
                }
                assert!(out == want, "{n} rows of {inner}");
                assert!(own == want, "{n} rows of {inner} in place");
            }
        }
    }

    #[test]
    fn floats_are_summed_in_double_precision() {
        let x = vec![0.1f32; 200_000];
        let mut out = vec![0f32; x.len()];
        // SAFETY: as long as the arguments say.
        unsafe {
            scan(
                Scalar::F32,
                x.len(),
                1,
                x.as_ptr().cast(),
                out.as_mut_ptr().cast(),
                true,
            )
        };
        assert_eq!(out[199_999], (200_000.0 * f64::from(0.1f32)) as f32);
    }
}
