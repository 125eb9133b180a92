//! Whether tapes of this thread record: asked by everything that a tape may record. And when tapes began and ceased to.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// How many tapes of all threads record: while none does, those of a thread are not looked up.
static RECORDING: AtomicUsize = AtomicUsize::new(0);

/// Grows each time that a tape begins or ceases to record.
static MOMENT: AtomicU64 = AtomicU64::new(0);

/// Whether a tape of this thread records.
#[inline]
pub fn active() -> bool {
    RECORDING.load(Ordering::Relaxed) != 0 && DEPTH.get() > 0
}

/// Says that one more tape of this thread records, from the moment on that is returned.
pub fn enter() -> u64 {
    DEPTH.set(DEPTH.get() + 1);
    RECORDING.fetch_add(1, Ordering::Relaxed);
    MOMENT.fetch_add(1, Ordering::Relaxed) + 1
}

/// Says that one tape less does, from the moment on that is returned.
pub fn leave() -> u64 {
    if DEPTH.get() > 0 {
        DEPTH.set(DEPTH.get() - 1);
        RECORDING.fetch_sub(1, Ordering::Relaxed);
    }
    MOMENT.fetch_add(1, Ordering::Relaxed) + 1
}

/// The moment that it is.
pub fn moment() -> u64 {
    MOMENT.load(Ordering::Relaxed)
}
