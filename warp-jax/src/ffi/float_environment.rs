//! How floats are rounded on this thread.
//!
//! XLA lets its threads take tiny numbers for zero. A kernel runs there and on our pool at the same time, and must
//! give one result: as everywhere else, tiny numbers are numbers.

/// The default environment until this is dropped, then the one from before, which it holds.
pub struct DefaultFloatEnvironment(u64);

impl DefaultFloatEnvironment {
    /// Sets it.
    #[inline]
    pub fn enter() -> DefaultFloatEnvironment {
        let before = control::read();
        if control::is_altered(before) {
            control::write(control::without_alterations(before));
        }
        DefaultFloatEnvironment(before)
    }
}

impl Drop for DefaultFloatEnvironment {
    #[inline]
    fn drop(&mut self) {
        if control::is_altered(self.0) {
            control::write(self.0);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod control {
    use std::arch::asm;

    /// Flush to zero, rounding, denormals are zero: the bits that change results.
    const BITS: u32 = 1 << 15 | 3 << 13 | 1 << 6;

    #[inline]
    pub fn read() -> u64 {
        let mut bits: u32 = 0;
        // SAFETY: stores the control register, four bytes, and nothing else.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut bits, options(nostack, preserves_flags)) };
        bits.into()
    }

    #[inline]
    pub fn write(bits: u64) {
        let bits = bits as u32;
        // SAFETY: the value was read from the register, with bits that every processor has.
        unsafe {
            asm!("ldmxcsr [{}]", in(reg) &raw const bits, options(nostack, readonly, preserves_flags))
        };
    }

    pub const fn is_altered(bits: u64) -> bool {
        bits as u32 & BITS != 0
    }

    pub const fn without_alterations(bits: u64) -> u64 {
        bits & !(BITS as u64)
    }
}

#[cfg(target_arch = "aarch64")]
mod control {
    use std::arch::asm;

    /// Flush to zero (also of halves), rounding.
    const BITS: u64 = 1 << 24 | 1 << 19 | 3 << 22;

    #[inline]
    pub fn read() -> u64 {
        let bits: u64;
        // SAFETY: reads the control register and nothing else.
        unsafe { asm!("mrs {}, fpcr", out(reg) bits, options(nomem, nostack, preserves_flags)) };
        bits
    }

    #[inline]
    pub fn write(bits: u64) {
        // SAFETY: the value was read from the register, with bits that every processor has.
        unsafe { asm!("msr fpcr, {}", in(reg) bits, options(nomem, nostack, preserves_flags)) };
    }

    pub const fn is_altered(bits: u64) -> bool {
        bits & BITS != 0
    }

    pub const fn without_alterations(bits: u64) -> u64 {
        bits & !BITS
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod control {
    pub const fn read() -> u64 {
        0
    }
    pub const fn write(_bits: u64) {}
    pub const fn is_altered(_bits: u64) -> bool {
        false
    }
    pub const fn without_alterations(bits: u64) -> u64 {
        bits
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::{DefaultFloatEnvironment, control};
    use std::hint::black_box;

    fn half_of_the_smallest() -> f32 {
        black_box(f32::MIN_POSITIVE) * black_box(0.5)
    }

    #[test]
    fn tiny_numbers_are_numbers_until_it_is_dropped() {
        let before = control::read();
        control::write(before | 1 << 15);
        assert_eq!(half_of_the_smallest(), 0.0);
        {
            let _environment = DefaultFloatEnvironment::enter();
            assert!(half_of_the_smallest() > 0.0);
        }
        assert_eq!(half_of_the_smallest(), 0.0);
        control::write(before);
    }
}
