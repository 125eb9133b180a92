//! The control register of x86 processors.

use std::arch::asm;

/// As processors start: all exceptions masked, rounding to nearest, no flushing to zero.
pub const STANDARD: u64 = 0x1f80;
/// Its flags, which say what has happened and change nothing.
pub const FLAGS: u64 = 0x3f;

#[inline]
pub fn control() -> u64 {
    let mut word = 0u32;
    // SAFETY: it stores four bytes where `word` is.
    unsafe { asm!("stmxcsr [{}]", in(reg) &mut word, options(nostack, preserves_flags)) };
    word.into()
}

#[cold]
pub fn set_control(word: u64) {
    let word = word as u32;
    // SAFETY: no reserved bit is set: the words are the standard one, and what the register held.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &word, options(nostack, readonly, preserves_flags)) };
}
