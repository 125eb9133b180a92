//! Sets LLVM up before it is needed, on a thread of its own: a millisecond or two that the first
//! launch then does not wait for.

use super::host::host_id;
use super::jit::Jit;
use crate::backend::llvm::fork::InUse;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU8, Ordering::SeqCst};
use std::time::{Duration, Instant};

const IDLE: u8 = 0;
const RUNNING: u8 = 1;
const DONE: u8 = 2;
static STATE: AtomicU8 = AtomicU8::new(IDLE);

/// Begins to set LLVM up and then runs `practice`, once per process; returns at once. A thread that needs
/// LLVM meanwhile waits for the same set-up, so calling this is never necessary.
///
/// `practice` may compile and load; it must not panic.
pub fn prepare(practice: fn()) {
    if STATE
        .compare_exchange(IDLE, RUNNING, SeqCst, SeqCst)
        .is_err()
    {
        return;
    }
    // See `apart` for why it is a plain pthread.
    // SAFETY: `set_up` gets the function that it expects; `at_exit` is a plain function.
    unsafe {
        libc::atexit(at_exit);
        let mut thread = std::mem::zeroed();
        let practice = practice as *mut c_void;
        if libc::pthread_create(&mut thread, std::ptr::null(), set_up, practice) == 0 {
            libc::pthread_detach(thread);
        } else {
            STATE.store(DONE, SeqCst);
        }
    }
}

extern "C" fn set_up(practice: *mut c_void) -> *mut c_void {
    // A fork waits for this thread: the child would have its locks but not the thread.
    let guard = InUse::new();
    host_id();
    // The first kernel that needs the JIT gets the error again.
    let _ = Jit::get();
    // SAFETY: `prepare` passes a function of this type.
    let practice = unsafe { std::mem::transmute::<*mut c_void, fn()>(practice) };
    practice();
    STATE.store(DONE, SeqCst);
    drop(guard);
    std::ptr::null_mut()
}

/// Waits until the set-up has ended, if it has begun. A process that ends must not take LLVM's globals away under the thread.
/// The C library's list of what to do at exit has this one, too, but after the destructors of globals that the thread has
/// made since: so programs that can call it earlier do.
pub fn finish_preparing() {
    let start = Instant::now();
    while STATE.load(SeqCst) == RUNNING && start.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_micros(50));
    }
}

extern "C" fn at_exit() {
    finish_preparing();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_up_ends_and_is_begun_once() {
        prepare(|| {});
        prepare(|| panic!("begun twice"));
        finish_preparing();
        assert_eq!(STATE.load(SeqCst), DONE);
    }
}
