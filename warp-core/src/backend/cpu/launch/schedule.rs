//! Which elements a thread runs next: guided self-scheduling (Polychronopoulos and Kuck, 1987), guided by time.
//!
//! A chunk is a part of what is left, so that chunks shrink towards the end and no thread is left with a long one when the
//! others are done. How long a chunk takes each thread learns from its own last one, which lies nearby, and from what the last
//! launch found ([`crate::backend::cpu::profile`]).
//!
//! In a short launch each thread begins with a portion of its own, the same one in each launch, and then helps with the others'
//! (affinity scheduling: Markatos and LeBlanc, 1992). What a thread wrote in the last launch is then still in its own cache.

use crate::backend::cpu::profile::Shape;
use crate::ty::MAX_NDIM;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// A chunk is one of so many parts of what is left for each thread: with fewer, the first chunk of a launch whose expensive
/// elements come first would be too long.
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
/// Nanoseconds that an element takes at least.
const LEAST: f64 = 1e-3;
/// How many times as long as its last chunk a thread's next one is at most.
const GROWTH: i64 = 8;
/// How many times more expensive than average elements are taken to be at most: the average may be that of a launch with other
/// arguments.
const MOST_SLOWER: f64 = 8.0;
/// Elements of a chunk are multiples of this, if it has so many: whole cache lines, and whole gangs.
const LANES: i64 = 64;
/// Nanoseconds of each thread's work up to which a launch is short: in longer ones a thread's cache does not hold what it wrote.
/// Portions of its own make a longer launch that sums 4 MB take 1.2 times as long, and made none take less than 0.95 of the time.
const CACHED: f64 = 5e4;

/// The elements of a launch that no thread has taken.
#[derive(Debug)]
pub struct Schedule {
    /// One for each thread, or one for all.
    portions: Vec<Portion>,
    end: i64,
    threads: usize,
    /// Elements of a row, or 1.
    grain: i64,
    /// How many threads run at once in lanes, or 1.
    gang: i64,
    /// The parts that are expected to be expensive, if that is known.
    shape: Option<Shape>,
}

/// Elements that follow each other.
#[derive(Debug)]
// Threads write it while they read what is beside it.
#[repr(align(128))]
struct Portion {
    next: AtomicI64,
    end: i64,
}

/// Worker state: what one thread knows of the launch.
#[derive(Clone, Copy, Debug)]
pub struct WorkerState {
    /// Its own portion.
    home: usize,
    /// How many portions it has found empty, its own first.
    passed: usize,
    /// Nanoseconds that an element took in the last chunk.
    ns: f64,
    /// What it is expected to take in the whole launch.
    average: f64,
    /// Elements of the last chunk.
    last: Option<i64>,
}

/// The number of tasks: how many of `threads` have enough to do with `left` elements of so many nanoseconds each, in gangs of `gang` threads.
pub fn tasks(left: i64, ns: f64, gang: i64, threads: usize) -> i64 {
    let short = (SHORT / ns.max(LEAST)).clamp(1.0, left.max(1) as f64);
    let gangs = (left.max(1) - 1) / gang + 1;
    ((left as f64 / short).ceil())
        .clamp(1.0, threads.max(1) as f64)
        .min(gangs as f64) as i64
}

impl Schedule {
    /// The elements from `begin` to `end`, for so many threads. Chunks are multiples of `grain` where possible.
    pub fn new(begin: i64, end: i64, threads: usize, grain: i64) -> Schedule {
        Schedule {
            portions: vec![Portion::new(begin, end)],
            end,
            threads: threads.max(1),
            grain,
            gang: 1,
            shape: None,
        }
    }

    /// For elements of which so many run at once: a piece of fewer takes as long.
    pub fn in_gangs(self, gang: i64) -> Schedule {
        Schedule { gang, ..self }
    }

    /// As it is expected to be shaped.
    pub fn shaped(self, shape: Shape) -> Schedule {
        let shape = Some(shape);
        Schedule { shape, ..self }
    }

    /// With a portion for each thread if it is short, elements being expected to take `average` nanoseconds each.
    pub fn divided(self, average: f64) -> Schedule {
        let threads = self.threads as i64;
        let all = &self.portions[0];
        let (begin, end) = (all.next.load(Relaxed), all.end);
        let each = (end - begin) / threads;
        if threads == 1 || each == 0 || each as f64 * average > CACHED {
            return self;
        }
        let unit = match each {
            each if self.grain > 1 && each >= self.grain => self.grain,
            each if each >= LANES => LANES,
            each if each >= self.gang => self.gang,
            _ => 1,
        };
        let bound = |k: i64| match k {
            0 => begin,
            k if k == threads => end,
            // In whole numbers of 64 bits this could overflow.
            k => {
                (begin + (i128::from(end - begin) * i128::from(k) / i128::from(threads)) as i64)
                    / unit
                    * unit
            }
        };
        let portions =
            (0..threads).map(|k| Portion::new(bound(k).max(begin), bound(k + 1).max(begin)));
        Schedule {
            portions: portions.collect(),
            ..self
        }
    }

    /// The next chunk for a thread; none if all are taken.
    pub fn take(&self, state: &mut WorkerState) -> Option<(i64, i64)> {
        while state.passed < self.portions.len() {
            let portion = &self.portions[(state.home + state.passed) % self.portions.len()];
            let alone = state.passed == 0 && self.portions.len() > 1;
            let mut begin = portion.next.load(Relaxed);
            while begin < portion.end {
                let end = self.end_of(begin, portion.end, alone, state);
                match (portion.next).compare_exchange_weak(begin, end, Relaxed, Relaxed) {
                    Ok(_) => return Some((begin, end)),
                    Err(now) => begin = now,
                }
            }
            state.passed += 1;
        }
        None
    }

    /// Where the chunk at `begin` of a portion ends. Others help with that portion only when they are done with theirs, if it is
    /// the thread's own.
    fn end_of(&self, begin: i64, end_of_portion: i64, alone: bool, state: &WorkerState) -> i64 {
        let left = (end_of_portion - begin) as f64;
        let threads = if alone { 1.0 } else { self.threads as f64 };
        let at = begin as f64 / self.end as f64;
        let shape = self.shape.as_ref();
        let weight = shape.map_or(1.0, |shape| shape.weight(at)).max(1.0);
        // Where elements take longer than expected, the same time is fewer of them.
        let slower = (state.ns / (state.average * weight)).clamp(1.0, MOST_SLOWER);
        // One thread of one waits for nobody.
        let parts = if self.threads == 1 {
            1.0
        } else {
            PARTS * threads * slower
        };
        // What is expected makes chunks shorter, never longer: this may be a launch of another kind.
        let share = shape.map_or(1.0, |shape| shape.share(at, parts)) * self.end as f64;
        let share = share.min(left / parts);
        // What comes next may be slower than the last chunk was: nothing is too short that is not so on average.
        let each = state.ns.max(state.average * weight);
        let short = (SHORT / each).min(left / (2.0 * threads));
        let fair = share.max(short).max(SHORTEST / each);
        let (longest, grown) = match state.last {
            None => (FIRST, i64::MAX),
            Some(last) => (LONGEST, last.saturating_mul(GROWTH)),
        };
        let most = (longest / state.ns).min(grown as f64);
        // Whole rows if they are short enough.
        let size = (fair.min(most).clamp(1.0, left) as i64).max(self.gang.min(left as i64));
        let unit = match size {
            size if self.grain > 1 && size >= self.grain => self.grain,
            size if size >= LANES => LANES,
            _ => self.gang,
        };
        let end = begin + size;
        let whole = end / unit * unit;
        let end = if whole > begin { whole } else { end };
        // What would be left is not worth a chunk.
        match end_of_portion - end < unit.max((SHORTEST / each) as i64) {
            true => end_of_portion,
            false => end,
        }
    }
}

impl Portion {
    fn new(begin: i64, end: i64) -> Portion {
        Portion {
            next: AtomicI64::new(begin),
            end,
        }
    }
}

impl WorkerState {
    /// The first elements are expected to take `ns` nanoseconds each, all of them `average`.
    pub fn new(ns: f64, average: f64) -> WorkerState {
        WorkerState {
            home: 0,
            passed: 0,
            ns: ns.max(LEAST),
            average: average.max(LEAST),
            last: None,
        }
    }

    /// That of a worker of the pool.
    pub fn of(self, worker: usize) -> WorkerState {
        WorkerState {
            home: worker,
            ..self
        }
    }

    /// Takes account of a chunk of `n` elements that took `time`.
    pub fn observe(&mut self, n: i64, time: Duration) {
        self.ns = (time.as_nanos() as f64 / n as f64).max(LEAST);
        self.last = Some(n);
    }
}

/// What chunks are multiples of where possible.
#[inline]
pub fn grain(dims: &[i32; MAX_NDIM]) -> i64 {
    if dims[1..] == [1; MAX_NDIM - 1] {
        return 1;
    }
    let last = dims.iter().rposition(|d| *d != 1).unwrap_or(0);
    let one_row = dims[..last].iter().all(|d| *d == 1);
    if one_row { 1 } else { dims[last].into() }
}

#[cfg(test)]
mod tests;
