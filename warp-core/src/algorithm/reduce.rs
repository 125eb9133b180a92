//! Sums of elements, and of products of elements.

use super::element::{Element, with_number};
use super::place::Place;
use super::{GRAIN, each};
use crate::dtype::Scalar;
use crate::floating_point::Standard;

/// A sum over the middle one of three dimensions of scalars that lie without gaps.
#[derive(Clone, Copy, Debug)]
pub struct Sum {
    /// The scalars' type, of the result too; not bool.
    pub scalar: Scalar,
    /// How many sums there are, apart from `inner`.
    pub outer: usize,
    /// From one of `outer` to the next, in rows.
    pub pitch: usize,
    /// How many rows are summed.
    pub rows: usize,
    /// Scalars per row.
    pub inner: usize,
    /// So many neighbours of a row are summed, too; `inner` is a multiple.
    pub fold: usize,
}

/// Columns that one task sums.
const WIDEST: usize = 4096;
/// Sums that are formed side by side where rows are narrower.
const LANES: usize = 64;

/// Writes `outer * inner / fold` sums to `out`, of `a` or of the products of `a` and `b`. Floats are summed in float64, in an
/// order that depends on the sizes alone.
///
/// # Safety
/// `a` and `b` hold the scalars that `sum` describes and nothing writes them meanwhile; `out` may be written, overlaps neither,
/// and nothing else uses it.
pub unsafe fn sum(of: &Sum, a: *const u8, b: Option<*const u8>, out: *mut u8) {
    let _standard = Standard::enter();
    // SAFETY: promised by the caller.
    unsafe { with_number!(of.scalar, T => sum_of::<T>(of, a, b, out)) }
        .expect("the scalar is a number");
}

/// # Safety
/// As [`sum`], whose scalar is `T`.
unsafe fn sum_of<T: Element>(of: &Sum, a: *const u8, b: Option<*const u8>, out: *mut u8) {
    let (a, out) = (Place::<T>::new(a.cast_mut()), Place::<T>::new(out));
    // SAFETY: promised by the caller; `reduce` asks for what is there.
    let at = |place: Place<T>, i: usize| unsafe { place.get(i) };
    match b.map(|b| Place::<T>::new(b.cast_mut())) {
        None => reduce(of, |i| at(a, i).wide(), out),
        Some(b) => reduce(of, |i| T::mul(at(a, i).wide(), at(b, i).wide()), out),
    }
}

fn reduce<T: Element>(of: &Sum, term: impl Fn(usize) -> T::Wide + Sync, out: Place<T>) {
    let Sum {
        outer,
        pitch,
        rows,
        inner,
        fold,
        ..
    } = *of;
    if outer * inner == 0 {
        return;
    }
    // Blocks of rows and of columns; each block's sums are formed by one task.
    let width = if inner > WIDEST {
        WIDEST / fold * fold
    } else {
        inner
    };
    let tall = (GRAIN / width).max(1);
    let (down, across) = (rows.div_ceil(tall).max(1), inner.div_ceil(width));
    let mut partial: Vec<T::Wide> = Vec::new();
    if down > 1 {
        partial.resize(outer * down * inner, T::ZERO);
    }
    let partial_at = Place::<T::Wide>::new(partial.as_mut_ptr().cast());
    let task = |task: usize| {
        let (o, rest) = (task / (down * across), task % (down * across));
        let (block, column) = (rest / across, rest % across * width);
        let (first, last) = (block * tall, rows.min((block + 1) * tall));
        let width = width.min(inner - column);
        let base = (o * pitch + first) * inner + column;
        let keep = |sums: &[T::Wide]| {
            if down == 1 {
                return store(sums, fold, out.from((o * inner + column) / fold));
            }
            let at = partial_at.from((o * down + block) * inner + column);
            for (j, sum) in sums.iter().enumerate() {
                // SAFETY: each task has its own part.
                unsafe { at.put(j, *sum) };
            }
        };
        // Clearing lanes would take longer than short sums do.
        if inner == 1 && last - first < 2 * LANES {
            let terms = (base..base + last - first).map(&term);
            keep(&[terms.fold(T::ZERO, T::add)]);
        } else if inner <= LANES {
            let mut lanes = [T::ZERO; 2 * LANES];
            flat::<T>(&term, base, (last - first) * inner, inner, &mut lanes);
            keep(&lanes[..inner]);
        } else {
            let mut lanes = [T::ZERO; WIDEST];
            for row in 0..last - first {
                let base = base + row * inner;
                for (j, lane) in lanes[..width].iter_mut().enumerate() {
                    *lane = T::add(*lane, term(base + j));
                }
            }
            keep(&lanes[..width]);
        }
    };
    each(outer * down * across, outer * rows * inner, task);
    if down > 1 {
        each(outer, outer * down * inner, |o| {
            let (sums, others) =
                // SAFETY: the tasks have written all of it, and each of these has its own part.
                unsafe { std::slice::from_raw_parts_mut(partial_at.address().add(o * down * inner), down * inner) }
                    .split_at_mut(inner);
            for row in others.chunks_exact(inner) {
                for (sum, x) in sums.iter_mut().zip(row) {
                    *sum = T::add(*sum, *x);
                }
            }
            store(sums, fold, out.from(o * inner / fold));
        });
    }
}

/// Sums `n` terms from `base` on, term `i` into lane `i % inner`; `lanes` are zero before.
#[inline(always)]
fn flat<T: Element>(
    term: &impl Fn(usize) -> T::Wide,
    base: usize,
    n: usize,
    inner: usize,
    lanes: &mut [T::Wide; 2 * LANES],
) {
    // Several rows side by side: additions that wait for each other take longer than memory.
    let side = LANES.div_ceil(inner);
    let wide = inner * side;
    let whole = n / wide * wide;
    for i in (0..whole).step_by(wide) {
        for (j, lane) in lanes[..wide].iter_mut().enumerate() {
            *lane = T::add(*lane, term(base + i + j));
        }
    }
    // Halves of the rows that lie side by side, until there is one.
    let mut left = if whole == 0 { 1 } else { side };
    while left > 1 {
        let half = left.div_ceil(2);
        for j in half * inner..left * inner {
            lanes[j - half * inner] = T::add(lanes[j - half * inner], lanes[j]);
        }
        left = half;
    }
    for i in (whole..n).step_by(inner) {
        for (j, lane) in lanes[..inner].iter_mut().enumerate() {
            *lane = T::add(*lane, term(base + i + j));
        }
    }
}

/// Writes sums, `fold` neighbours as one.
fn store<T: Element>(sums: &[T::Wide], fold: usize, out: Place<T>) {
    for (j, group) in sums.chunks_exact(fold).enumerate() {
        let whole = group.iter().fold(T::ZERO, |a, b| T::add(a, *b));
        // SAFETY: the caller of `sum` promises room for all sums, and each task has its own.
        unsafe { out.put(j, T::narrow(whole)) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum_of(of: &Sum, a: &[f32], b: Option<&[f32]>) -> Vec<f32> {
        let mut out = vec![f32::NAN; of.outer * of.inner / of.fold];
        let b = b.map(|b| b.as_ptr().cast());
        // SAFETY: the slices are as long as the tests say.
        unsafe { sum(of, a.as_ptr().cast(), b, out.as_mut_ptr().cast()) };
        out
    }

    #[test]
    fn every_way_to_cut_gives_the_sum() {
        let cases = [
            (1, 100_000, 1, 1),
            (1, 7, 1, 1),
            (1, 0, 3, 1),
            (3, 40_000, 3, 3),
            (5, 3, 10_000, 1),
            (2, 9, 6144, 3),
            (1000, 10, 1, 1),
            (2, 20_001, 65, 1),
            (0, 5, 2, 1),
        ];
        for (outer, rows, inner, fold) in cases {
            let n = outer * rows * inner;
            let a: Vec<f32> = (0..n).map(|i| (i * 7 % 11) as f32).collect();
            let b: Vec<f32> = (0..n).map(|i| (i % 3) as f32).collect();
            let mut want = vec![[0.0f64; 2]; outer * inner / fold];
            for i in 0..n {
                let (o, j) = (i / (rows * inner), i % inner);
                let to = &mut want[(o * inner + j) / fold];
                to[0] += f64::from(a[i]);
                to[1] += f64::from(a[i] * b[i]);
            }
            let of = Sum {
                scalar: Scalar::F32,
                outer,
                pitch: rows,
                rows,
                inner,
                fold,
            };
            let want0: Vec<f32> = want.iter().map(|w| w[0] as f32).collect();
            let want1: Vec<f32> = want.iter().map(|w| w[1] as f32).collect();
            assert_eq!(sum_of(&of, &a, None), want0, "{of:?}");
            assert_eq!(sum_of(&of, &a, Some(&b)), want1, "{of:?}");
        }
    }

    #[test]
    fn integers_wrap() {
        let of = Sum {
            scalar: Scalar::U8,
            outer: 1,
            pitch: 300,
            rows: 300,
            inner: 1,
            fold: 1,
        };
        let (a, mut out) = (vec![1u8; 300], 0u8);
        // SAFETY: as long as `of` says.
        unsafe { sum(&of, a.as_ptr(), None, &raw mut out) };
        assert_eq!(out, 44);
    }
}
