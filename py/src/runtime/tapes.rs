//! Whether tapes of this thread record: asked by everything that a tape may record.

use std::cell::Cell;

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Whether a tape of this thread records.
pub fn active() -> bool {
    DEPTH.get() > 0
}

/// Says that one more tape of this thread records.
pub fn enter() {
    DEPTH.set(DEPTH.get() + 1);
}

/// Says that one tape less does.
pub fn leave() {
    DEPTH.set(DEPTH.get().saturating_sub(1));
}
