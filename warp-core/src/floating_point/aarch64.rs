//! The control register of Arm processors of 64 bits. What has happened stands in another register.

use std::arch::asm;

/// As processors start: nothing traps, rounding to nearest, no flushing to zero.
pub const STANDARD: u64 = 0;
/// It has none.
pub const FLAGS: u64 = 0;

#[inline]
pub fn control() -> u64 {
    let word: u64;
    // SAFETY: it reads the register. Memory is named, so that no computation moves across what sets it.
    unsafe { asm!("mrs {}, fpcr", out(reg) word, options(nostack, preserves_flags)) };
    word
}

#[cold]
pub fn set_control(word: u64) {
    // SAFETY: no reserved bit is set: the words are the standard one, and what the register held.
    unsafe { asm!("msr fpcr, {}", in(reg) word, options(nostack, preserves_flags)) };
}
