//! Sorting by digits of 8 bits, the lowest first.

use super::half::Half;
use super::keys::{Bits, Range};
use crate::algorithm::place::Place;
use crate::algorithm::{GRAIN, each};
use crate::backend::cpu::pool;

/// Counts of the 256 digits.
type Counts = [u32; 256];

/// Sorts `n` pairs with the help of as much free room, on the pool if there are many.
pub(in crate::algorithm) fn radix<K: Bits, V: Copy + Send + Sync>(
    pairs: Half<K, V>,
    free: Half<K, V>,
    n: usize,
    range: Range,
) {
    if n <= 1 || range.begin == range.end {
        return;
    }
    let digits = (range.end - range.begin).div_ceil(8) as usize;
    // Each part of the pairs is counted, and then moved, by one thread; more parts than threads only cost.
    let parts = if n < 4 * GRAIN {
        1
    } else {
        2 * pool::threads()
    };
    let long = n.div_ceil(parts);
    let part = |i: usize| i * long..n.min((i + 1) * long);
    let mut counts: Vec<Counts> = vec![[0; 256]; parts * digits];
    let counts_at = Place::<Counts>::new(counts.as_mut_ptr().cast());
    each(parts, n, |p| {
        let counts: &mut [Counts] =
            // SAFETY: each part has its own counts.
            unsafe { std::slice::from_raw_parts_mut(counts_at.address().add(p * digits), digits) };
        for i in part(p) {
            // SAFETY: the pairs are there.
            let key = range.of(unsafe { pairs.keys.get(i) });
            for (d, counts) in counts.iter_mut().enumerate() {
                counts[key.digit(8 * d as u32)] += 1;
            }
        }
    });
    let (mut from, mut to) = (pairs, free);
    let mut moved = 0;
    for digit in 0..digits {
        let shift = 8 * digit as u32;
        let mut all: Counts = [0; 256];
        for p in 0..parts {
            let counts = &counts[p * digits + digit];
            (all.iter_mut().zip(counts)).for_each(|(all, count)| *all += count);
        }
        // All keys have this digit in common.
        if all.iter().any(|count| *count as usize == n) {
            continue;
        }
        let mut places: Vec<Counts> = (0..parts).map(|p| counts[p * digits + digit]).collect();
        if moved > 0 && parts > 1 {
            // The parts hold other keys than when they were counted.
            let places_at = Place::<Counts>::new(places.as_mut_ptr().cast());
            each(parts, n, |p| {
                let mut counts: Counts = [0; 256];
                for i in part(p) {
                    // SAFETY: the pairs are there.
                    counts[range.of(unsafe { from.keys.get(i) }).digit(shift)] += 1;
                }
                // SAFETY: each part has its own counts.
                unsafe { places_at.put(p, counts) };
            });
        }
        start_at(&mut places);
        let places_at = Place::<Counts>::new(places.as_mut_ptr().cast());
        each(parts, n, |p| {
            // SAFETY: each part has its own places.
            let places = unsafe { &mut *places_at.address().add(p) };
            for i in part(p) {
                // SAFETY: the pairs are there; each goes to a place of its own.
                unsafe {
                    let pair = from.get(i);
                    let place = &mut places[range.of(pair.0).digit(shift)];
                    to.put(*place as usize, pair);
                    *place += 1;
                }
            }
        });
        (from, to) = (to, from);
        moved += 1;
    }
    if moved % 2 == 1 {
        copy(from, to, parts, n, &part);
    }
}

/// Makes places of counts: where the first key of each part with each digit goes.
fn start_at(places: &mut [Counts]) {
    let mut next = 0;
    for d in 0..256 {
        for counts in places.iter_mut() {
            let count = counts[d];
            counts[d] = next;
            next += count;
        }
    }
}

/// Copies sorted pairs from one half to the other.
fn copy<K: Bits, V: Copy + Send + Sync>(
    from: Half<K, V>,
    to: Half<K, V>,
    parts: usize,
    n: usize,
    part: &(impl Fn(usize) -> std::ops::Range<usize> + Sync),
) {
    each(parts, n, |p| {
        let part = part(p);
        // SAFETY: what was sorted lies in the other half.
        unsafe {
            let (keys, values) = (from.keys.from(part.start), from.values.from(part.start));
            let len = part.end.saturating_sub(part.start);
            let at = to.from(part.start);
            std::ptr::copy_nonoverlapping(
                keys.address().cast::<u8>(),
                at.keys.address().cast::<u8>(),
                len * size_of::<K>(),
            );
            std::ptr::copy_nonoverlapping(
                values.address().cast::<u8>(),
                at.values.address().cast::<u8>(),
                len * size_of::<V>(),
            );
        }
    });
}
