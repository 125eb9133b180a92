//! The queue of launches that have waited for long.

use super::memory::Memory;
use super::{Claims, Entry};
use std::sync::atomic::Ordering::Relaxed;

/// A place in the queue, until it is dropped.
#[derive(Debug)]
pub(super) struct Place<'a> {
    claims: &'a Claims,
    at: usize,
    pub(super) ticket: u64,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let claims = self.claims;
        claims.within(|| {
            // In a child of a fork it is nobody's any more.
            // SAFETY: no other thread is within.
            if unsafe { claims.queue[self.at].get() }.ticket == self.ticket {
                // SAFETY: as above.
                unsafe { claims.queue[self.at].set(Entry::NONE) };
                (claims.queued).store(claims.queued.load(Relaxed).saturating_sub(1), Relaxed);
            }
        });
    }
}

impl Claims {
    /// The launches in the queue. Only within the list.
    pub(super) fn waiting(&self) -> impl Iterator<Item = Entry> {
        let queue: &[_] = match self.queued.load(Relaxed) {
            0 => &[],
            _ => &self.queue,
        };
        // SAFETY: no other thread is within.
        let all = queue.iter().map(|entry| unsafe { entry.get() });
        all.filter(|entry| entry.ticket != 0)
    }

    /// A place in the queue. Only within the list.
    pub(super) fn stand_in_queue(&self, thread: usize, memory: Memory) -> Option<Place<'_>> {
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
            claims: self,
            at,
            ticket,
        })
    }

    /// Whether a launch in the queue before `place` waits for some of this memory. Only within the list.
    pub(super) fn is_waited_for(
        &self,
        thread: usize,
        memory: &[Memory],
        place: Option<u64>,
    ) -> bool {
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
}
