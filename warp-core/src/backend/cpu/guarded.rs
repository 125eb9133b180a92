//! A call of compiled code that sees whether it leaves what is its caller's alone.
//!
//! The registers that a function must keep hold patterns, and so do words of the stack right above its frame. Done in debug builds, and
//! where `WARP_CHECK_CODE` is set.

use crate::abi::{Ctx, Entry};

#[cfg(all(target_arch = "aarch64", not(miri)))]
mod aarch64;
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod x86_64;

#[cfg(all(target_arch = "aarch64", not(miri)))]
use aarch64 as processor;
#[cfg(all(target_arch = "x86_64", not(miri)))]
use x86_64 as processor;

/// Runs `entry`.
///
/// # Panics
/// If it does not keep what the calling convention says, which is a bug of the compiler.
///
/// # Safety
/// As for the entry itself.
pub unsafe fn call(entry: Entry, ctx: *mut Ctx, args: *const u8, begin: i64, end: i64) {
    #[cfg(not(miri))]
    {
        // SAFETY: the caller's promise.
        let broken = unsafe { processor::watched(entry, ctx, args, begin, end) };
        assert_eq!(
            broken,
            0,
            "compiled code does not keep what is its caller's ({})",
            processor::BITS
        );
    }
    #[cfg(miri)]
    // SAFETY: the caller's promise.
    unsafe {
        entry(ctx, args, begin, end)
    };
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;

    unsafe extern "C" fn good(ctx: *mut Ctx, args: *const u8, begin: i64, end: i64) {
        // SAFETY: tests pass a context.
        unsafe { (*ctx).worker = (begin + 10 * end + args as i64) as u32 };
    }

    #[test]
    fn what_is_the_caller_s_is_watched() {
        let mut ctx = Ctx::new();
        // SAFETY: the functions take what they are given.
        unsafe {
            call(good, &mut ctx, 100 as *const u8, 1, 2);
            assert_eq!(ctx.worker, 121);
            for (entry, bit) in processor::broken::ALL {
                let found = processor::watched(entry, &mut ctx, std::ptr::null(), 0, 0);
                assert_eq!(found, bit);
            }
        }
    }
}
