//! How many traces and captures there are: everything that they have to know of asks here first.

use std::sync::atomic::{AtomicUsize, Ordering};

/// On all threads.
static ACTIVE: AtomicUsize = AtomicUsize::new(0);

/// Says that there is one more trace or capture.
pub fn enter() {
    ACTIVE.fetch_add(1, Ordering::Relaxed);
}

/// Says that there is one less.
pub fn leave() {
    ACTIVE.fetch_sub(1, Ordering::Relaxed);
}

/// Whether anything is traced or captured anywhere.
#[inline(always)]
pub fn active() -> bool {
    ACTIVE.load(Ordering::Relaxed) != 0
}
