//! Interruptible locks, for long work: waiting can be interrupted, and a child of `fork` does not wait for threads that
//! only its parent has.

use crate::sync::{AtomicU32, sleep};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::time::{Duration, Instant};

/// How long a thread that waits sleeps, at first and at most.
const PAUSES: [Duration; 2] = [Duration::from_micros(50), Duration::from_millis(2)];
/// How often it asks whether to go on.
const POLL: Duration = Duration::from_millis(50);

/// A lock that one thread of this process at a time holds.
#[derive(Debug, Default)]
pub struct InterruptibleLock {
    /// The process whose thread holds it; 0 for none. A thread of another process is not here.
    holder: AtomicU32,
}

/// While this lives no other thread holds the lock.
#[derive(Debug)]
pub struct LockGuard<'a>(&'a InterruptibleLock);

impl InterruptibleLock {
    /// A free lock.
    pub fn new() -> InterruptibleLock {
        InterruptibleLock::default()
    }

    /// Waits for the lock. `interrupted` is asked now and then; none if it says so first.
    pub fn lock(&self, interrupted: &dyn Fn() -> bool) -> Option<LockGuard<'_>> {
        let mut pause = PAUSES[0];
        let mut asked = Instant::now();
        loop {
            // Found out each time: `interrupted` runs code of the user's, which may fork.
            let own = std::process::id();
            let holder = self.holder.load(Relaxed);
            if holder != own
                && (self.holder.compare_exchange(holder, own, Acquire, Relaxed)).is_ok()
            {
                return Some(LockGuard(self));
            }
            if asked.elapsed() >= POLL {
                if interrupted() {
                    return None;
                }
                asked = Instant::now();
            }
            sleep(pause);
            pause = (2 * pause).min(PAUSES[1]);
        }
    }
}

impl Drop for LockGuard<'_> {
    fn drop(&mut self) {
        self.0.holder.store(0, Release);
    }
}

#[cfg(all(test, not(feature = "loom")))]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn one_thread_at_a_time() {
        let (lock, busy) = (InterruptibleLock::new(), AtomicBool::new(false));
        let work = || {
            for _ in 0..50 {
                let _guard = lock.lock(&|| false).expect("nobody interrupts");
                assert!(!busy.swap(true, Relaxed));
                std::thread::yield_now();
                busy.store(false, Relaxed);
            }
        };
        std::thread::scope(|s| {
            let all = [(); 4].map(|()| s.spawn(work));
            all.into_iter().for_each(|t| t.join().expect("no panic"));
        });
    }

    #[test]
    fn waiting_can_be_interrupted() {
        let lock = InterruptibleLock::new();
        let _guard = lock.lock(&|| false);
        assert!(lock.lock(&|| true).is_none());
    }

    #[test]
    fn a_thread_of_another_process_does_not_hold_it() {
        let lock = InterruptibleLock {
            holder: AtomicU32::new(std::process::id() + 1),
        };
        assert!(lock.lock(&|| true).is_some());
    }
}

#[cfg(all(test, feature = "loom"))]
mod models {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;

    #[test]
    fn loom_one_thread_at_a_time() {
        loom::model(|| {
            let shared = Arc::new((InterruptibleLock::new(), UnsafeCell::new(0)));
            let count = |shared: &(InterruptibleLock, UnsafeCell<i32>)| {
                let _guard = shared.0.lock(&|| false).expect("nobody interrupts");
                // SAFETY: loom checks that no other thread is here.
                shared.1.with_mut(|n| unsafe { *n += 1 });
            };
            let other = shared.clone();
            let thread = loom::thread::spawn(move || count(&other));
            count(&shared);
            thread.join().expect("no panic");
            // SAFETY: as above.
            assert_eq!(shared.1.with(|n| unsafe { *n }), 2);
        });
    }
}
