//! The expensive parts of a kernel's launches, as the last launch showed: no thread could know them from its own last chunk.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::time::Duration;

/// Parts of a launch that are distinguished.
const PARTS: usize = 64;

/// What each part cost in relation to the whole: `f32` bits, 0 for unknown. Shared by all launches of a kernel.
#[derive(Debug)]
pub struct Profile([AtomicU32; PARTS]);

/// What a launch finds.
#[derive(Debug)]
pub struct Found {
    n: i64,
    elements: [AtomicU64; PARTS],
    nanoseconds: [AtomicU64; PARTS],
}

/// What is expected of a launch: as [`Profile`], read once.
#[derive(Clone, Debug)]
pub struct Shape {
    weights: [f32; PARTS],
    /// Of each part and all after it.
    ahead: [f32; PARTS],
}

impl Profile {
    /// Nothing is known.
    pub const fn new() -> Profile {
        Profile([const { AtomicU32::new(0) }; PARTS])
    }

    /// What is expected of the next launch.
    pub fn shape(&self) -> Shape {
        let weights: [f32; PARTS] =
            std::array::from_fn(|p| match f32::from_bits(self.0[p].load(Relaxed)) {
                weight if weight > 0.0 => weight,
                _ => 1.0,
            });
        let mut ahead = weights;
        for p in (0..PARTS - 1).rev() {
            ahead[p] += ahead[p + 1];
        }
        Shape { weights, ahead }
    }

    /// Takes account of a launch that has ended.
    pub fn learn(&self, found: &Found) {
        let sum = |of: &[AtomicU64; PARTS]| of.iter().map(|n| n.load(Relaxed)).sum::<u64>();
        let average = sum(&found.nanoseconds) as f32 / sum(&found.elements).max(1) as f32;
        for (part, weight) in self.0.iter().enumerate() {
            let elements = found.elements[part].load(Relaxed);
            if elements > 0 && average > 0.0 {
                let ns = found.nanoseconds[part].load(Relaxed) as f32 / elements as f32;
                weight.store((ns / average).max(1e-3).to_bits(), Relaxed);
            }
        }
    }
}

impl Default for Profile {
    fn default() -> Profile {
        Profile::new()
    }
}

impl Found {
    /// Nothing yet, of a launch of so many elements.
    pub fn new(n: i64) -> Found {
        Found {
            n,
            elements: [const { AtomicU64::new(0) }; PARTS],
            nanoseconds: [const { AtomicU64::new(0) }; PARTS],
        }
    }

    /// The elements from `begin` to `end` took `time`.
    pub fn note(&self, begin: i64, end: i64, time: Duration) {
        let each = time.as_nanos() as f64 / (end - begin) as f64;
        let mut at = begin;
        while at < end {
            let part = part(at as f64 / self.n as f64);
            let rest = ((part + 1) as f64 / PARTS as f64 * self.n as f64).ceil() as i64;
            let stop = rest.clamp(at + 1, end);
            let count = stop - at;
            self.elements[part].fetch_add(count as u64, Relaxed);
            self.nanoseconds[part].fetch_add((each * count as f64) as u64, Relaxed);
            at = stop;
        }
    }
}

/// The part in which this share of the elements ends.
fn part(at: f64) -> usize {
    ((at * PARTS as f64) as usize).min(PARTS - 1)
}

impl Shape {
    /// How many times more expensive than average elements are there, `at` being the share of the elements before.
    pub fn weight(&self, at: f64) -> f64 {
        self.weights[part(at)].into()
    }

    /// The share of all elements that is one of `parts` of the work ahead.
    pub fn share(&self, at: f64, parts: f64) -> f64 {
        let mut p = part(at);
        let passed = at * PARTS as f64 - p as f64;
        let ahead = f64::from(self.ahead[p]) - passed * f64::from(self.weights[p]);
        let (mut work, mut share, mut rest) = (ahead / parts, 0.0, 1.0 - passed);
        loop {
            let weight = f64::from(self.weights[p]);
            if work <= rest * weight || p + 1 == PARTS {
                return (share + (work / weight).min(rest)) / PARTS as f64;
            }
            work -= rest * weight;
            share += rest;
            (p, rest) = (p + 1, 1.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_launch_is_even() {
        let shape = Profile::new().shape();
        for at in [0.0, 0.3, 0.77, 0.999] {
            assert!((shape.share(at, 16.0) - (1.0 - at) / 16.0).abs() < 1e-6);
            assert_eq!(shape.weight(at), 1.0);
        }
    }

    #[test]
    fn what_was_dear_is_expected_to_be() {
        let (profile, found) = (Profile::new(), Found::new(6400));
        found.note(0, 3200, Duration::from_nanos(3200));
        found.note(3200, 3300, Duration::from_nanos(93_700));
        found.note(3300, 6400, Duration::from_nanos(3100));
        profile.learn(&found);
        let shape = profile.shape();
        assert!((shape.weight(0.505) - 59.968).abs() < 0.01);
        // Half of the work ahead is in that part; before it are all elements before.
        let half = shape.share(0.0, 2.0);
        assert!((half - 0.5).abs() < 0.02, "{half}");
        assert!(shape.share(0.5, 16.0) < 0.002);
        // Behind it all is as it were even.
        assert!((shape.share(0.6, 4.0) - 0.1).abs() < 1e-3);
    }

    #[test]
    fn every_element_is_noted_once() {
        for n in [1, 7, 64, 1000, 100_003] {
            let found = Found::new(n);
            let mut at = 0;
            for size in (1..).map(|k| k * k) {
                let end = (at + size).min(n);
                if at == end {
                    break;
                }
                found.note(at, end, Duration::from_micros(1));
                at = end;
            }
            let sum: u64 = found.elements.iter().map(|e| e.load(Relaxed)).sum();
            assert_eq!(sum, n as u64);
        }
    }
}
