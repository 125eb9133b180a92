//! A process that ends takes nothing away under a compile.

use super::fork;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;

unsafe extern "C" {
    /// Of the C library: as `atexit`, with the exit status.
    fn on_exit(leave: extern "C" fn(c_int, *mut c_void), data: *mut c_void) -> c_int;
}

/// From now on a process that ends in a compile ends before the destructors of globals that exist by now run. Called after
/// LLVM was used, since its globals are made at first use.
pub fn watch() {
    static WATCHED: AtomicBool = AtomicBool::new(false);
    if !WATCHED.swap(true, SeqCst) {
        // SAFETY: the handler is a plain function.
        unsafe { on_exit(leave, null_mut()) };
    }
}

/// No thread waits for such a compile: it was interrupted, or its thread is a daemon.
extern "C" fn leave(status: c_int, _: *mut c_void) {
    if fork::GUARD.compiles() {
        // SAFETY: writes out what programs in C have printed, and ends the process.
        unsafe {
            libc::fflush(null_mut());
            libc::_exit(status);
        }
    }
}
