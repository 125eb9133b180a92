//! What a kernel costs, observed by timing launches.

use super::profile::Profile;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::time::Duration;

/// Below this a second thread costs more than it brings.
pub const INLINE: Duration = Duration::from_micros(10);
/// One in so many inline launches is timed.
const SAMPLE: u32 = 64;
/// Below this a time is mostly that of reading the clock and of calling the kernel.
pub const CLOCK: Duration = Duration::from_micros(2);
/// More elements than this never run in one piece, however cheap they were last time.
pub const FEW_ENOUGH: i64 = 1 << 16;

/// What one kernel was observed to cost. Shared by all its launches.
///
/// A lower cost than known is believed at once: nothing makes a kernel look cheaper than it is. A much higher one
/// is more often a preempted thread than a changed kernel: the next launch is timed too, and decides.
#[derive(Debug, Default)]
pub struct Cost {
    /// Nanoseconds per element as `f32` bits; 0 is unknown.
    ns: AtomicU32,
    /// The last time was much higher than expected.
    doubted: AtomicBool,
    launches: AtomicU32,
    /// The expensive parts of a launch.
    profile: Profile,
}

impl Cost {
    /// Nothing is known yet.
    pub const fn new() -> Cost {
        Cost {
            ns: AtomicU32::new(0),
            doubted: AtomicBool::new(false),
            launches: AtomicU32::new(0),
            profile: Profile::new(),
        }
    }

    /// The expensive parts of long launches.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Forgets everything but the expensive parts of a launch.
    pub fn forget(&self) {
        self.ns.store(0, Relaxed);
        self.doubted.store(false, Relaxed);
    }

    /// Whether `n` elements are expected to take less than `INLINE` (no lock need be released).
    pub fn is_short(&self, n: i64) -> bool {
        let expected = f32::from_bits(self.ns.load(Relaxed)) * n as f32;
        n <= FEW_ENOUGH && expected > 0.0 && expected < INLINE.as_nanos() as f32
    }

    /// Nanoseconds per element, once known.
    pub fn ns_per_element(&self) -> Option<f64> {
        let ns = f64::from(f32::from_bits(self.ns.load(Relaxed)));
        (ns > 0.0).then_some(ns)
    }

    /// Whether this launch is to be timed even if it is short.
    pub fn is_sampled(&self) -> bool {
        // Not one atomic operation, which would take as long as a short kernel: where two threads launch
        // at once a count may be lost, and no more.
        let count = self.launches.load(Relaxed);
        self.launches.store(count.wrapping_add(1), Relaxed);
        count.is_multiple_of(SAMPLE) || self.doubted.load(Relaxed)
    }

    /// Takes account of an observation: `n` elements on one thread took `time`.
    pub fn observe(&self, n: i64, time: Duration) {
        if n <= 0 {
            return;
        }
        let observed = time.as_nanos().max(1) as f64 / n as f64;
        let ns = match self.ns_per_element() {
            None => observed,
            Some(known) if observed <= known => observed,
            // Short times say more about the clock and the call than about the kernel.
            Some(_) if time < CLOCK => {
                self.doubted.store(false, Relaxed);
                return;
            }
            Some(known) if observed > 2.0 * known && !self.doubted.load(Relaxed) => {
                self.doubted.store(true, Relaxed);
                return;
            }
            Some(known) if observed > 2.0 * known => observed,
            Some(known) => 0.5 * (known + observed),
        };
        self.doubted.store(false, Relaxed);
        let bits = (ns as f32).max(f32::MIN_POSITIVE).to_bits();
        self.ns.store(bits, Relaxed);
    }
}
