//! Sets LLVM up before it is needed, on a thread of its own: about a millisecond that the first launch
//! then does not wait for.

use super::compile::host_id;
use super::fork::InUse;
use super::jit::Jit;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU8, Ordering::SeqCst};
use std::time::{Duration, Instant};

const IDLE: u8 = 0;
const RUNNING: u8 = 1;
const DONE: u8 = 2;
static STATE: AtomicU8 = AtomicU8::new(IDLE);

/// Begins to set LLVM up, unless that has happened; returns at once. Whoever needs LLVM meanwhile waits
/// for the same set-up, so calling this is never necessary.
pub fn prepare() {
    if STATE
        .compare_exchange(IDLE, RUNNING, SeqCst, SeqCst)
        .is_err()
    {
        return;
    }
    // The thread owns the guard, so that a fork waits for it; see `apart` for why it is a plain pthread.
    let guard = Box::into_raw(Box::new(InUse::new()));
    // SAFETY: `set_up` takes over the guard; `wait` is a plain function.
    unsafe {
        libc::atexit(wait);
        let mut thread = std::mem::zeroed();
        if libc::pthread_create(&mut thread, std::ptr::null(), set_up, guard.cast()) == 0 {
            libc::pthread_detach(thread);
        } else {
            drop(Box::from_raw(guard));
            STATE.store(DONE, SeqCst);
        }
    }
}

extern "C" fn set_up(guard: *mut c_void) -> *mut c_void {
    // SAFETY: `prepare` passes a box of this type and forgets it.
    let guard = unsafe { Box::from_raw(guard.cast::<InUse>()) };
    host_id();
    // Whoever needs the JIT gets the error again.
    let _ = Jit::get();
    STATE.store(DONE, SeqCst);
    drop(guard);
    std::ptr::null_mut()
}

/// A process that ends at once must not take LLVM's globals away under the thread.
extern "C" fn wait() {
    let start = Instant::now();
    while STATE.load(SeqCst) == RUNNING && start.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_micros(50));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_up_ends_and_is_begun_once() {
        prepare();
        prepare();
        wait();
        assert_eq!(STATE.load(SeqCst), DONE);
    }
}
