//! The floating-point environment in which kernels run.
//!
//! It is the standard one, whatever the threads of the program have set: results are rounded to nearest, numbers below the
//! normal range are kept, and nothing traps. So a launch computes the same on all its threads, and what the interpreter does.

#[cfg(all(target_arch = "aarch64", not(miri)))]
mod aarch64;
#[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri))))]
mod other;
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod x86_64;

#[cfg(all(target_arch = "aarch64", not(miri)))]
use aarch64::{FLAGS, STANDARD, control, set_control};
#[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri))))]
use other::{FLAGS, STANDARD, control, set_control};
#[cfg(all(target_arch = "x86_64", not(miri)))]
use x86_64::{FLAGS, STANDARD, control, set_control};

/// While this lives, its thread has the standard environment; then it has its own again.
#[derive(Debug)]
#[must_use = "the environment lasts as long as this value"]
pub struct Standard {
    /// The control register as the thread had it, if that was another one.
    before: Option<u64>,
    /// A thread's own.
    _here: std::marker::PhantomData<*const ()>,
}

impl Standard {
    /// Sets the standard environment.
    #[inline]
    pub fn enter() -> Standard {
        let now = control();
        Standard {
            before: (now & !FLAGS != STANDARD).then(|| {
                set_control(STANDARD);
                now
            }),
            _here: std::marker::PhantomData,
        }
    }

    /// Sets it for the rest of a thread's life.
    pub fn stay() {
        std::mem::forget(Standard::enter());
    }
}

impl Drop for Standard {
    #[inline]
    fn drop(&mut self) {
        if let Some(before) = self.before {
            set_control(before | control() & FLAGS);
        }
    }
}

#[cfg(all(test, any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
mod tests {
    use super::*;

    /// Numbers below the normal range are taken for zero, and rounding is down.
    #[cfg(target_arch = "x86_64")]
    const ODD: u64 = STANDARD | 0x8040 | 0x2000;
    #[cfg(target_arch = "aarch64")]
    const ODD: u64 = STANDARD | 1 << 24 | 2 << 22;

    /// Half of the smallest normal number. Its product is named, too, or it may be computed after the next change of the register.
    fn half() -> f32 {
        use std::hint::black_box;
        black_box(black_box(f32::MIN_POSITIVE) * black_box(0.5))
    }

    #[test]
    fn a_thread_gets_its_own_environment_back() {
        let before = control();
        set_control(ODD);
        let odd = half();
        let standard = {
            let _standard = Standard::enter();
            assert_eq!(control() & !FLAGS, STANDARD);
            let _again = Standard::enter();
            assert_eq!(control() & !FLAGS, STANDARD);
            half()
        };
        assert_eq!(control() & !FLAGS, ODD);
        set_control(before);
        assert_eq!((odd, standard), (0.0, f32::MIN_POSITIVE / 2.0));
    }
}
