//! Which elements a thread runs next: guided self-scheduling (Polychronopoulos and Kuck, 1987), guided by time.
//!
//! A chunk is a part of what is left, so that chunks shrink towards the end and no thread is left with a long one when the
//! others are done. How long a chunk takes each thread learns from its own last one, which lies nearby, and from what the last
//! launch found ([`crate::backend::cpu::profile`]).

use crate::backend::cpu::profile::Shape;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// A chunk is one of so many parts of what is left for each thread: with fewer, the first chunk of a launch whose dear elements
/// come first would be too long.
const PARTS: f64 = 8.0;
/// Nanoseconds from which on taking a chunk costs nothing in comparison.
const SHORT: f64 = 5e3;
/// Nanoseconds of a last chunk. There are a few such for each thread.
const SHORTEST: f64 = 1e3;
/// Nanoseconds of a chunk at most, so that a cancelled launch ends soon. Where it takes longer, loops in the kernel ask
/// whether to go on ([`crate::abi::Ctx::fuel`]).
const LONGEST: f64 = 1e6;
/// Nanoseconds that a thread's first chunk is expected to take at most: the average, which is all that is known, may be far from
/// what the first elements take.
const FIRST: f64 = 5e3;
/// How many times as long as its last chunk a thread's next one is at most.
const GROWTH: i64 = 8;
/// How many times dearer than on average elements are taken to be at most: the average may be that of a launch with other
/// arguments.
const DEARER: f64 = 8.0;
/// Elements of a chunk are multiples of this, if it has so many: whole cache lines, and whole groups of lanes.
const LANES: i64 = 64;

/// The elements of a launch that no thread has taken.
#[derive(Debug)]
// Threads write it while they read what is beside it.
#[repr(align(128))]
pub struct Schedule {
    next: AtomicI64,
    end: i64,
    /// A chunk is one of so many parts of what is left.
    parts: f64,
    threads: f64,
    /// Elements of a row, or 1.
    grain: i64,
    /// How many threads run at once in lanes, or 1.
    group: i64,
    /// Which parts are expected to be dear, if that is known.
    shape: Option<Shape>,
}

/// What one thread knows of the launch.
#[derive(Clone, Copy, Debug)]
pub struct Hand {
    /// Nanoseconds that an element took in the last chunk.
    ns: f64,
    /// What it is expected to take in the whole launch.
    average: f64,
    /// Elements of the last chunk.
    last: Option<i64>,
}

impl Schedule {
    /// The elements from `begin` to `end`, for so many threads. Chunks are multiples of `grain` where possible.
    pub fn new(begin: i64, end: i64, threads: usize, grain: i64) -> Schedule {
        let threads = threads.max(1) as f64;
        Schedule {
            next: AtomicI64::new(begin),
            end,
            // One thread waits for nobody.
            parts: if threads == 1.0 { 1.0 } else { PARTS * threads },
            threads,
            grain,
            group: 1,
            shape: None,
        }
    }

    /// For elements of which so many run at once: a piece of fewer takes as long.
    pub fn grouped(self, group: i64) -> Schedule {
        Schedule { group, ..self }
    }

    /// As it is expected to be shaped.
    pub fn shaped(self, shape: Shape) -> Schedule {
        let shape = Some(shape);
        Schedule { shape, ..self }
    }

    /// How many threads have enough to do.
    pub fn hands(&self, hand: &Hand) -> i64 {
        let left = self.end - self.next.load(Relaxed);
        let short = (SHORT / hand.ns).clamp(1.0, left.max(1) as f64);
        ((left as f64 / short).ceil()).clamp(1.0, self.threads) as i64
    }

    /// The next chunk for a thread; none if all are taken.
    pub fn take(&self, hand: &Hand) -> Option<(i64, i64)> {
        let mut begin = self.next.load(Relaxed);
        while begin < self.end {
            let end = self.end_of(begin, hand);
            match (self.next).compare_exchange_weak(begin, end, Relaxed, Relaxed) {
                Ok(_) => return Some((begin, end)),
                Err(now) => begin = now,
            }
        }
        None
    }

    fn end_of(&self, begin: i64, hand: &Hand) -> i64 {
        let left = (self.end - begin) as f64;
        let at = begin as f64 / self.end as f64;
        let shape = self.shape.as_ref();
        let weight = shape.map_or(1.0, |shape| shape.weight(at)).max(1.0);
        // Where elements are dearer than expected, the same time is fewer of them.
        let dearer = (hand.ns / (hand.average * weight)).clamp(1.0, DEARER);
        let parts = self.parts * if self.parts > 1.0 { dearer } else { 1.0 };
        // What is expected makes chunks shorter, never longer: this may be a launch of another kind.
        let share = shape.map_or(1.0, |shape| shape.share(at, parts)) * self.end as f64;
        let share = share.min(left / parts);
        // What comes next may be dearer than the last chunk was: nothing is too short that is not so on average.
        let dear = hand.ns.max(hand.average * weight);
        let short = (SHORT / dear).min(left / (2.0 * self.threads));
        let fair = share.max(short).max(SHORTEST / dear);
        let (longest, grown) = match hand.last {
            None => (FIRST, i64::MAX),
            Some(last) => (LONGEST, last.saturating_mul(GROWTH)),
        };
        let most = (longest / hand.ns).min(grown as f64);
        // Whole rows if they are short enough.
        let size = (fair.min(most).clamp(1.0, left) as i64).max(self.group.min(left as i64));
        let unit = match size {
            size if self.grain > 1 && size >= self.grain => self.grain,
            size if size >= LANES => LANES,
            _ => self.group,
        };
        let end = begin + size;
        let whole = end / unit * unit;
        let end = if whole > begin { whole } else { end };
        // What would be left is not worth a chunk.
        match self.end - end < unit {
            true => self.end,
            false => end,
        }
    }
}

impl Hand {
    /// The first elements are expected to take `ns` nanoseconds each, all of them `average`.
    pub fn new(ns: f64, average: f64) -> Hand {
        Hand {
            ns: ns.max(1e-3),
            average: average.max(1e-3),
            last: None,
        }
    }

    /// Takes account of a chunk of `n` elements that took `time`.
    pub fn observe(&mut self, n: i64, time: Duration) {
        self.ns = (time.as_nanos() as f64 / n as f64).max(1e-3);
        self.last = Some(n);
    }
}

#[cfg(test)]
mod tests;
