//! No control register is known: threads are taken to have the standard environment.

pub const STANDARD: u64 = 0;
pub const FLAGS: u64 = 0;

pub fn control() -> u64 {
    STANDARD
}

pub fn set_control(_: u64) {}
