//! `fork` and LLVM: a child must not inherit a lock of LLVM's that some other thread held.
//!
//! Every call of LLVM but those of compiles is made while an [`InUse`] is held; `fork` waits until there is none. A compile
//! can take long, and holds locks of LLVM's for moments only: `fork` waits for it for a while and then goes on. The protocol is
//! [`ForkGuard`]'s.

use std::marker::PhantomData;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Instant;

use crate::backend::fork_guard::{ForkGuard, Own};

/// Of this process.
pub static GUARD: ForkGuard = ForkGuard::new();

thread_local! {
    static OWN: Own = const { Own::new() };
}

/// While one of these is alive no other thread forks. Stays on the thread that made it.
pub struct InUse(PhantomData<*const ()>);

impl InUse {
    pub fn new() -> InUse {
        static WATCHED: AtomicBool = AtomicBool::new(false);
        // Not a `Once`: a child would wait for ever for one that was under way in its parent.
        if !WATCHED.swap(true, SeqCst) {
            // SAFETY: the handlers touch atomics and the thread's own counts only, which is allowed around `fork`.
            unsafe { libc::pthread_atfork(Some(before), Some(after), Some(child)) };
        }
        OWN.with(|own| GUARD.enter(own));
        InUse(PhantomData)
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        OWN.with(|own| GUARD.leave(own));
    }
}

extern "C" fn before() {
    let start = Instant::now();
    OWN.with(|own| GUARD.begin_fork(own, |time| start.elapsed() >= time));
}

extern "C" fn after() {
    OWN.with(|own| GUARD.end_fork(own));
}

extern "C" fn child() {
    OWN.with(|own| GUARD.end_fork_in_child(own));
}
