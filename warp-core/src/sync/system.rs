//! The standard library's, and futexes of Linux.

use std::cell::UnsafeCell;
use std::ops::Deref;
pub use std::sync::Mutex;
pub use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32};
pub use std::thread::sleep;

/// A number that threads can sleep on.
#[derive(Debug, Default)]
pub struct Futex(AtomicU32);

impl Futex {
    /// Begins at 0.
    pub const fn new() -> Futex {
        Futex(AtomicU32::new(0))
    }

    /// Sleeps while the number is `value`, until another thread wakes it, or so many milliseconds; may return early.
    pub fn wait(&self, value: u32, ms: Option<i64>) {
        let time = ms.map(|ms| libc::timespec {
            tv_sec: ms / 1000,
            tv_nsec: ms % 1000 * 1_000_000,
        });
        let time = time.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
        let op = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
        // SAFETY: the word and the time are alive during the call; spurious returns are expected.
        unsafe { libc::syscall(libc::SYS_futex, self.0.as_ptr(), op, value, time) };
    }

    /// Wakes as many as `count` of the threads that sleep.
    pub fn wake(&self, count: i32) {
        let op = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
        // SAFETY: the word is alive during the call.
        unsafe { libc::syscall(libc::SYS_futex, self.0.as_ptr(), op, count) };
    }
}

impl Deref for Futex {
    type Target = AtomicU32;
    fn deref(&self) -> &AtomicU32 {
        &self.0
    }
}

/// A value that one thread at a time accesses, by a protocol that its user has.
#[derive(Debug, Default)]
pub struct Guarded<T>(UnsafeCell<T>);

impl<T> Guarded<T> {
    /// Holds `value`.
    pub const fn new(value: T) -> Guarded<T> {
        Guarded(UnsafeCell::new(value))
    }
}

impl<T: Copy> Guarded<T> {
    /// What it holds.
    ///
    /// # Safety
    /// Nothing writes it meanwhile.
    #[inline]
    pub unsafe fn get(&self) -> T {
        // SAFETY: promised by the caller.
        unsafe { *self.0.get() }
    }

    /// Replaces what it holds.
    ///
    /// # Safety
    /// Nothing else reads or writes it meanwhile.
    #[inline]
    pub unsafe fn set(&self, value: T) {
        // SAFETY: promised by the caller.
        unsafe { *self.0.get() = value }
    }
}
