//! `fork` and LLVM: a child must not inherit a lock of LLVM's that some other thread held.
//!
//! Whoever calls LLVM holds a [`InUse`]; `fork` waits until nobody does. Written with atomics alone,
//! since the child could not unlock a lock that belongs to a thread it does not have.

use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::thread::sleep;
use std::time::{Duration, Instant};

static USERS: AtomicU32 = AtomicU32::new(0);
static FORKING: AtomicU32 = AtomicU32::new(0);
static WATCHED: AtomicBool = AtomicBool::new(false);

const PAUSE: Duration = Duration::from_micros(100);
/// Longer than any compile; then the fork takes its chance.
const PATIENCE: Duration = Duration::from_secs(20);

/// While one of these is alive no other thread forks. Never held twice by one thread: the second
/// would wait for a fork that waits for the first.
pub(super) struct InUse(());

impl InUse {
    pub(super) fn new() -> InUse {
        // Not a `Once`: a child would wait for ever for one that was under way in its parent.
        if !WATCHED.swap(true, SeqCst) {
            // SAFETY: the handlers touch atomics only, which is allowed around `fork`.
            unsafe { libc::pthread_atfork(Some(before), Some(after), Some(child)) };
        }
        loop {
            USERS.fetch_add(1, SeqCst);
            if FORKING.load(SeqCst) == 0 {
                return InUse(());
            }
            USERS.fetch_sub(1, SeqCst);
            sleep(PAUSE);
        }
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        USERS.fetch_sub(1, SeqCst);
    }
}

extern "C" fn before() {
    FORKING.fetch_add(1, SeqCst);
    let start = Instant::now();
    while USERS.load(SeqCst) != 0 && start.elapsed() < PATIENCE {
        sleep(PAUSE);
    }
}

extern "C" fn after() {
    FORKING.fetch_sub(1, SeqCst);
}

/// The threads that counted are not here.
extern "C" fn child() {
    USERS.store(0, SeqCst);
    FORKING.store(0, SeqCst);
}
