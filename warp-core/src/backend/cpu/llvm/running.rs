//! Counts the threads that compile: a fork waits a little for them, and a process that ends takes nothing away under one.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicU32};

unsafe extern "C" {
    /// Of the C library: as `atexit`, with the exit status.
    fn on_exit(leave: extern "C" fn(c_int, *mut c_void), data: *mut c_void) -> c_int;
}

static RUNNING: AtomicU32 = AtomicU32::new(0);

/// A compile begins.
pub(super) fn begin() {
    RUNNING.fetch_add(1, SeqCst);
}

/// It has ended, or its thread sleeps for ever.
pub(super) fn end() {
    RUNNING.fetch_sub(1, SeqCst);
}

/// Whether any runs.
pub(super) fn any() -> bool {
    RUNNING.load(SeqCst) != 0
}

/// In the child after `fork`: it has none.
pub(super) fn forget() {
    RUNNING.store(0, SeqCst);
}

/// From now on a process that ends in a compile ends before the destructors of globals that exist by now run. Called after
/// LLVM was used, since its globals are made at first use.
pub(super) fn watch_exit() {
    static WATCHED: AtomicBool = AtomicBool::new(false);
    if !WATCHED.swap(true, SeqCst) {
        // SAFETY: the handler is a plain function.
        unsafe { on_exit(leave, null_mut()) };
    }
}

/// Nobody waits for such a compile: it was interrupted, or its thread is a daemon.
extern "C" fn leave(status: c_int, _: *mut c_void) {
    if any() {
        // SAFETY: writes out what programs in C have printed, and ends the process.
        unsafe {
            libc::fflush(null_mut());
            libc::_exit(status);
        }
    }
}
