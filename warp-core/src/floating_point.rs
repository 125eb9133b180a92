//! The floating-point environment in which kernels run.
//!
//! It is the standard one, whatever the threads of the program have set: results are rounded to nearest, numbers below the
//! normal range are kept, and nothing traps. So a launch computes the same on all its threads, and what the interpreter does.

/// The control register as x86 processors start: all exceptions masked, rounding to nearest, no flushing to zero.
#[cfg(all(target_arch = "x86_64", not(miri)))]
const STANDARD: u32 = 0x1f80;
/// Its flags, which say what has happened and change nothing.
#[cfg(all(target_arch = "x86_64", not(miri)))]
const FLAGS: u32 = 0x3f;

/// While this lives, its thread has the standard environment; then it has its own again.
#[derive(Debug)]
#[must_use = "the environment lasts as long as this value"]
pub struct Standard {
    /// What the thread had, if that was another one.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    before: Option<u32>,
    /// A thread's own.
    _here: std::marker::PhantomData<*const ()>,
}

impl Standard {
    /// Sets the standard environment.
    #[inline]
    pub fn enter() -> Standard {
        Standard {
            #[cfg(all(target_arch = "x86_64", not(miri)))]
            before: {
                let now = control();
                (now & !FLAGS != STANDARD).then(|| {
                    set_control(STANDARD);
                    now
                })
            },
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
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        if let Some(before) = self.before {
            set_control(before | control() & FLAGS);
        }
    }
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline]
fn control() -> u32 {
    let mut word = 0u32;
    // SAFETY: it stores four bytes where `word` is.
    unsafe {
        std::arch::asm!("stmxcsr [{}]", in(reg) &mut word, options(nostack, preserves_flags));
    }
    word
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
#[cold]
fn set_control(word: u32) {
    // SAFETY: no reserved bit is set: the words are the standard one, and what the register held.
    unsafe {
        std::arch::asm!("ldmxcsr [{}]", in(reg) &word, options(nostack, readonly, preserves_flags));
    }
}

#[cfg(all(test, target_arch = "x86_64", not(miri)))]
mod tests {
    use super::*;

    /// Flush to zero, denormals are zero, and rounding down.
    const ODD: u32 = STANDARD | 0x8040 | 0x2000;

    #[test]
    fn a_thread_gets_its_own_environment_back() {
        let before = control();
        set_control(ODD);
        {
            let _standard = Standard::enter();
            assert_eq!(control() & !FLAGS, STANDARD);
            let _again = Standard::enter();
            assert_eq!(control() & !FLAGS, STANDARD);
        }
        assert_eq!(control() & !FLAGS, ODD);
        set_control(before);
    }
}
