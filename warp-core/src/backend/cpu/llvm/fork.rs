//! `fork` and LLVM: a child must not inherit a lock of LLVM's that some other thread held.
//!
//! Every call of LLVM but those of compiles is made while an [`InUse`] is held; `fork` waits until there is none. A compile
//! can take long, and holds locks of LLVM's for moments only: `fork` waits for it for a while and then goes on. Written with
//! atomics alone, since the child could not unlock a lock that belongs to a thread it does not have.

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::running;

static USERS: AtomicU32 = AtomicU32::new(0);
static FORKING: AtomicU32 = AtomicU32::new(0);
static WATCHED: AtomicBool = AtomicBool::new(false);

const PAUSE: Duration = Duration::from_micros(100);
/// Longer than anything takes that holds locks; then the fork takes its chance.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long a fork waits for compiles. Most end in this time.
const FOR_COMPILES: Duration = Duration::from_millis(80);

thread_local! {
    /// How many guards this thread holds: with one it never waits for a fork, which waits for it.
    static HELD: Cell<u32> = const { Cell::new(0) };
}

/// While one of these is alive no other thread forks. Stays on the thread that made it.
pub(super) struct InUse(PhantomData<*const ()>);

impl InUse {
    pub(super) fn new() -> InUse {
        // Not a `Once`: a child would wait for ever for one that was under way in its parent.
        if !WATCHED.swap(true, SeqCst) {
            // SAFETY: the handlers touch atomics only, which is allowed around `fork`.
            unsafe { libc::pthread_atfork(Some(before), Some(after), Some(child)) };
        }
        loop {
            USERS.fetch_add(1, SeqCst);
            if FORKING.load(SeqCst) == 0 || HELD.get() > 0 {
                HELD.set(HELD.get() + 1);
                return InUse(PhantomData);
            }
            USERS.fetch_sub(1, SeqCst);
            sleep(PAUSE);
        }
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        HELD.set(HELD.get() - 1);
        USERS.fetch_sub(1, SeqCst);
    }
}

extern "C" fn before() {
    FORKING.fetch_add(1, SeqCst);
    let start = Instant::now();
    // A signal's handler may fork on a thread that uses LLVM itself.
    let own = HELD.get();
    while USERS.load(SeqCst) > own && start.elapsed() < PATIENCE
        || running::any() && start.elapsed() < FOR_COMPILES
    {
        sleep(PAUSE);
    }
}

extern "C" fn after() {
    FORKING.fetch_sub(1, SeqCst);
}

/// Other threads that counted are not here.
extern "C" fn child() {
    USERS.store(HELD.get(), SeqCst);
    running::forget();
    FORKING.store(0, SeqCst);
}
