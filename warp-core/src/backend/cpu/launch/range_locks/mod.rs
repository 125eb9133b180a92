//! Range locks: launches of several host threads that update the same memory at the same time.
//!
//! Most additions of a kernel are non-atomic: to elements that only one thread touches, or to a private copy that is merged at
//! the end. They would lose what another launch adds meanwhile. So a launch that updates arrays by atomic operations locks
//! their memory for as long as it runs, and exclusively (alone) if it has non-atomic updates. A launch waits for memory
//! that is locked exclusively, and for an exclusive lock on memory that is locked. Launches of one thread (by a signal
//! handler, within another launch) never wait for each other.
//!
//! A waiting launch polls. A thread that launches without a pause would always be first, so a launch that has waited for some
//! milliseconds enters a **queue**: no later launch gets what it waits for, except on threads that hold a lock already.

mod memory;
mod process;

use crate::sync::{AtomicU32, Guarded, sleep};
pub use memory::Memory;
pub use process::lock;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::time::Duration;

/// Locks at one time. A launch that finds no room waits.
const MOST: usize = 128;
/// A launch that updates more arrays locks everything between them.
const EACH: usize = 16;
/// How long a launch that waits sleeps before it looks again, at first and at most.
const PAUSES: [Duration; 2] = [Duration::from_micros(50), Duration::from_millis(2)];
/// How many launches stand in the queue at most; further ones go on as if they waited only shortly.
const QUEUE: usize = 32;
/// How often a thread that wants the list looks whether another one has left it, before it sleeps.
const SPIN: u32 = if cfg!(feature = "loom") { 0 } else { 200 };

/// All range locks of a process.
#[derive(Debug)]
pub struct RangeLocks {
    /// 1 while a thread reads or changes the list. Nothing that takes long, and no handler of a signal, runs then.
    locked: AtomicU32,
    /// How many entries count.
    used: AtomicU32,
    entries: [Guarded<Entry>; MOST],
    /// The ticket that was given last.
    last: Guarded<u64>,
    /// Launches that have waited for long; a ticket of 0: a free entry. And their number, so that an empty queue costs one load.
    queue: [Guarded<Entry>; QUEUE],
    queued: AtomicU32,
}

// SAFETY: the list is read and changed within [`RangeLocks::within`] alone, by one thread at a time.
unsafe impl Sync for RangeLocks {}

/// The lock of one launch on one array.
#[derive(Clone, Copy, Debug)]
struct Entry {
    ticket: u64,
    thread: usize,
    memory: Memory,
}

/// The locks of a launch, until it is dropped.
#[derive(Debug)]
pub struct RangeLock<'a> {
    locks: &'a RangeLocks,
    ticket: u64,
}

impl Entry {
    const NONE: Entry = Entry {
        ticket: 0,
        thread: 0,
        memory: Memory::NONE,
    };
}

impl RangeLocks {
    /// No locks.
    #[cfg(not(feature = "loom"))]
    pub const fn new() -> RangeLocks {
        RangeLocks {
            locked: AtomicU32::new(0),
            used: AtomicU32::new(0),
            entries: [const { Guarded::new(Entry::NONE) }; MOST],
            last: Guarded::new(0),
            queue: [const { Guarded::new(Entry::NONE) }; QUEUE],
            queued: AtomicU32::new(0),
        }
    }

    /// No locks.
    #[cfg(feature = "loom")]
    pub fn new() -> RangeLocks {
        RangeLocks {
            locked: AtomicU32::new(0),
            used: AtomicU32::new(0),
            entries: [(); MOST].map(|()| Guarded::new(Entry::NONE)),
            last: Guarded::new(0),
            queue: [(); QUEUE].map(|()| Guarded::new(Entry::NONE)),
            queued: AtomicU32::new(0),
        }
    }

    /// Locks memory for a launch of a thread. Waits for conflicting locks of other threads; `interrupted` is asked meanwhile, and
    /// none comes if it says so first.
    pub fn lock(
        &self,
        thread: usize,
        memory: &[Memory],
        interrupted: Option<&dyn Fn() -> bool>,
    ) -> Option<RangeLock<'_>> {
        let all = memory.iter().copied().reduce(Memory::with);
        let memory = match &all {
            Some(all) if memory.len() > EACH => std::slice::from_ref(all),
            _ => memory,
        };
        let mut pause = PAUSES[0];
        let mut place: Option<Place<'_>> = None;
        loop {
            let before = place.as_ref().map(|place| place.ticket);
            if let Some(ticket) = self.within(|| self.try_lock(thread, memory, before)) {
                return Some(RangeLock {
                    locks: self,
                    ticket,
                });
            }
            if interrupted.is_some_and(|interrupted| interrupted()) {
                return None;
            }
            sleep(pause);
            pause = (2 * pause).min(PAUSES[1]);
            if pause == PAUSES[1] && place.is_none() {
                place = self.within(|| self.stand_in_queue(thread, all?));
                pause = PAUSES[0];
            }
        }
    }

    fn next_ticket(&self) -> u64 {
        // SAFETY: no other thread is within.
        unsafe {
            let ticket = self.last.get() + 1;
            self.last.set(ticket);
            ticket
        }
    }

    /// The launches in the queue. Only within the list.
    fn waiting(&self) -> impl Iterator<Item = Entry> {
        let queue: &[_] = match self.queued.load(Relaxed) {
            0 => &[],
            _ => &self.queue,
        };
        // SAFETY: no other thread is within.
        let all = queue.iter().map(|entry| unsafe { entry.get() });
        all.filter(|entry| entry.ticket != 0)
    }

    /// A place in the queue. Only within the list.
    fn stand_in_queue(&self, thread: usize, memory: Memory) -> Option<Place<'_>> {
        // SAFETY: no other thread is within.
        let at = (self.queue.iter()).position(|entry| unsafe { entry.get() }.ticket == 0)?;
        let ticket = self.next_ticket();
        let entry = Entry {
            ticket,
            thread,
            memory,
        };
        // SAFETY: as above.
        unsafe { self.queue[at].set(entry) };
        self.queued.store(self.queued.load(Relaxed) + 1, Relaxed);
        Some(Place {
            locks: self,
            at,
            ticket,
        })
    }

    /// Whether a launch in the queue before `place` waits for some of this memory. Only within the list.
    fn is_waited_for(&self, thread: usize, memory: &[Memory], place: Option<u64>) -> bool {
        if self.list().any(|e| e.thread == thread) {
            return false;
        }
        let waiting = self.waiting().filter(|e| e.thread != thread);
        let mut earlier = waiting.filter(|e| place.is_none_or(|place| e.ticket < place));
        earlier.any(|e| {
            let mut met = memory.iter();
            met.any(|m| (e.memory.alone || m.alone) && e.memory.meets(m))
        })
    }

    /// In the child after `fork`: no other thread is here, so the locks of this one are exclusive.
    pub fn forget(&self) {
        self.used.store(0, Relaxed);
        self.queued.store(0, Relaxed);
        for entry in &self.queue {
            // SAFETY: no other thread is here.
            unsafe { entry.set(Entry::NONE) };
        }
        self.locked.store(0, Release);
    }

    /// Does something with the list that no other thread looks at meanwhile.
    fn within<R>(&self, work: impl FnOnce() -> R) -> R {
        let mut spins = 0;
        while (self.locked.compare_exchange(0, 1, Acquire, Relaxed)).is_err() {
            spins += 1;
            if spins < SPIN {
                std::hint::spin_loop();
            } else {
                sleep(PAUSES[0]);
            }
        }
        let done = work();
        self.locked.store(0, Release);
        done
    }

    /// How many entries count. Only within the list.
    fn len(&self) -> usize {
        self.used.load(Relaxed) as usize
    }

    /// The entries that count. Only within the list.
    fn list(&self) -> impl Iterator<Item = Entry> {
        // SAFETY: no other thread is within.
        (self.entries[..self.len()].iter()).map(|entry| unsafe { entry.get() })
    }

    /// `place`: the ticket of the launch, if it is in the queue.
    fn try_lock(&self, thread: usize, memory: &[Memory], place: Option<u64>) -> Option<u64> {
        if self.is_waited_for(thread, memory, place) {
            return None;
        }
        let used = self.len();
        let free = |m: &Memory| {
            let mut others = self.list().filter(|e| e.thread != thread);
            !others.any(|e| (e.memory.alone || m.alone) && e.memory.meets(m))
        };
        if used + memory.len() > MOST || !memory.iter().all(free) {
            return None;
        }
        let ticket = self.next_ticket();
        for (entry, memory) in self.entries[used..].iter().zip(memory) {
            let memory = *memory;
            // SAFETY: no other thread is within.
            unsafe {
                entry.set(Entry {
                    ticket,
                    thread,
                    memory,
                });
            }
        }
        self.used.store((used + memory.len()) as u32, Relaxed);
        Some(ticket)
    }
}

impl RangeLock<'_> {
    /// Upgrades the locks to exclusive if no other launch has a lock on this memory or waits in the queue for it. Returns whether
    /// it did. Never waits.
    pub fn try_alone(&self) -> bool {
        let locks = self.locks;
        locks.within(|| {
            let own = |e: &Entry| e.ticket == self.ticket;
            let met = (locks.list().filter(own)).any(|own| {
                let waits = |e: &Entry| e.thread != own.thread && e.memory.meets(&own.memory);
                (locks.list()).any(|e| e.ticket != self.ticket && e.memory.meets(&own.memory))
                    || locks.waiting().any(|e| waits(&e))
            });
            if met {
                return false;
            }
            for entry in &locks.entries[..locks.len()] {
                // SAFETY: no other thread is within.
                let mut e = unsafe { entry.get() };
                if own(&e) {
                    e.memory.alone = true;
                    // SAFETY: as above.
                    unsafe { entry.set(e) };
                }
            }
            true
        })
    }
}

impl Drop for RangeLock<'_> {
    fn drop(&mut self) {
        let locks = self.locks;
        locks.within(|| {
            let mut used = locks.len();
            for at in (0..used).rev() {
                // SAFETY: no other thread is within.
                if unsafe { locks.entries[at].get() }.ticket == self.ticket {
                    used -= 1;
                    // SAFETY: as above.
                    unsafe { locks.entries[at].set(locks.entries[used].get()) };
                }
            }
            locks.used.store(used as u32, Relaxed);
        });
    }
}

/// A place in the queue, until it is dropped.
#[derive(Debug)]
struct Place<'a> {
    locks: &'a RangeLocks,
    at: usize,
    ticket: u64,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let locks = self.locks;
        locks.within(|| {
            // In a child of a fork it is nobody's any more.
            // SAFETY: no other thread is within.
            if unsafe { locks.queue[self.at].get() }.ticket == self.ticket {
                // SAFETY: as above.
                unsafe { locks.queue[self.at].set(Entry::NONE) };
                (locks.queued).store(locks.queued.load(Relaxed).saturating_sub(1), Relaxed);
            }
        });
    }
}

#[cfg(all(test, not(feature = "loom")))]
mod tests {
    use super::*;
    use std::ops::Range;

    fn memory(bytes: Range<usize>, alone: bool) -> [Memory; 1] {
        [Memory::new(&bytes, alone)]
    }

    fn may(locks: &RangeLocks, thread: usize, memory: &[Memory]) -> bool {
        locks.lock(thread, memory, Some(&|| true)).is_some()
    }

    #[test]
    fn memory_that_is_locked_exclusively_is_for_no_other_thread() {
        let locks = RangeLocks::new();
        let alone = locks.lock(1, &memory(10..20, true), None).expect("free");
        assert!(may(&locks, 2, &memory(0..10, true)));
        assert!(may(&locks, 2, &memory(20..30, true)));
        assert!(!may(&locks, 2, &memory(19..30, false)));
        // A launch within a launch.
        assert!(may(&locks, 1, &memory(10..20, true)));
        drop(alone);
        let first = locks.lock(1, &memory(10..20, false), None).expect("free");
        assert!(may(&locks, 2, &memory(10..20, false)));
        assert!(!may(&locks, 2, &memory(10..20, true)));
        drop(first);
        assert!(may(&locks, 2, &memory(10..20, true)));
        assert_eq!(locks.len(), 0);
    }

    #[test]
    fn memory_is_had_alone_later_if_nobody_else_has_it() {
        let locks = RangeLocks::new();
        let two = [memory(0..8, false), memory(10..20, false)].concat();
        let lock = locks.lock(1, &two, None).expect("free");
        let other = locks.lock(2, &memory(15..25, false), None).expect("shared");
        assert!(!lock.try_alone());
        drop(other);
        assert!(lock.try_alone());
        assert!(!may(&locks, 2, &memory(15..25, false)));
        assert!(may(&locks, 2, &memory(20..25, true)));
    }

    #[test]
    fn there_is_room_for_so_many() {
        let locks = RangeLocks::new();
        let many: Vec<Memory> = (0..EACH + 1)
            .map(|k| Memory::new(&(4 * k..4 * k + 1), false))
            .collect();
        let all: Vec<_> = (0..MOST)
            .map(|_| locks.lock(1, &many, None).expect("room"))
            .collect();
        assert_eq!(locks.len(), MOST);
        assert!(!may(&locks, 2, &memory(1 << 20..1 << 21, false)));
        drop(all);
        assert_eq!(locks.len(), 0);
    }

    #[test]
    fn who_has_waited_for_long_comes_next() {
        let locks = RangeLocks::new();
        let (first, other) = (memory(10..20, true), memory(100..110, true));
        let own = locks.lock(1, &first, None).expect("free");
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| locks.lock(2, &first, None).is_some());
            while locks.queued.load(Relaxed) == 0 {
                std::thread::yield_now();
            }
            // Who has something locked already goes on: the one in the queue may wait for that.
            assert!(may(&locks, 1, &first));
            // Nobody waits for this.
            assert!(may(&locks, 3, &other));
            assert!(!may(&locks, 3, &memory(15..16, false)));
            assert!(!own.try_alone());
            let tickets = locks.within(|| locks.next_ticket());
            drop(own);
            assert!(waits.join().expect("no panic"));
            assert!(locks.within(|| locks.next_ticket()) > tickets + 1);
        });
        assert_eq!(locks.queued.load(Relaxed), 0);
        assert!(may(&locks, 3, &first));
        // One that is interrupted leaves the queue.
        let own = locks.lock(1, &first, None).expect("free");
        let asked = std::cell::Cell::new(0);
        let stop = || asked.replace(asked.get() + 1) > 50;
        assert!(locks.lock(2, &first, Some(&stop)).is_none());
        assert_eq!(locks.queued.load(Relaxed), 0);
        drop(own);
    }

    #[test]
    fn a_child_has_no_locks_of_others() {
        let locks = RangeLocks::new();
        let lock = locks.lock(1, &memory(10..20, true), None);
        locks.locked.store(1, Relaxed);
        locks.forget();
        assert!(may(&locks, 2, &memory(10..20, true)));
        drop(lock);
        assert_eq!(locks.len(), 0);
    }
}

/// In every order of steps, up to a bound on how often a thread is interrupted.
#[cfg(all(test, feature = "loom"))]
mod models;
