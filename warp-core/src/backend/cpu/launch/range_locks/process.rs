//! The range locks of this process.

use super::{Memory, RangeLock, RangeLocks};
use crate::abi::{Change, ChangedArrays};
use smallvec::SmallVec;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

#[cfg(not(feature = "loom"))]
static LOCKS: RangeLocks = RangeLocks::new();

#[cfg(feature = "loom")]
loom::lazy_static! { static ref LOCKS: RangeLocks = RangeLocks::new(); }

/// Locks what a launch of this thread updates by atomic operations. None if the caller, who is asked while this waits, says
/// that the launch is to stop.
///
/// # Safety
/// The argument block is one of the kernel's.
pub unsafe fn lock(
    changed: &ChangedArrays,
    args: *const u8,
    interrupted: Option<&dyn Fn() -> bool>,
) -> Option<RangeLock<'static>> {
    static WATCHED: AtomicBool = AtomicBool::new(false);
    thread_local! {
        static HERE: u8 = const { 0 };
    }
    // Not a `Once`: a child would wait for ever for one that was under way in its parent.
    if !WATCHED.load(Relaxed) && !WATCHED.swap(true, Relaxed) {
        // SAFETY: the handler only stores to atomics, which is allowed after `fork`.
        unsafe { libc::pthread_atfork(None, None, Some(forget)) };
    }
    let memory: SmallVec<[Memory; 8]> = (changed.arrays.iter())
        .filter_map(|passed| {
            let alone = passed.change? == Change::NonAtomic;
            // SAFETY: the caller's promise.
            let bytes = unsafe { passed.of(args) }.bytes();
            (!bytes.is_empty()).then(|| Memory::new(&bytes, alone))
        })
        .collect();
    let thread = HERE.with(|here| std::ptr::from_ref(here).addr());
    LOCKS.lock(thread, &memory, interrupted)
}

/// In the child after `fork`.
extern "C" fn forget() {
    LOCKS.forget();
}
