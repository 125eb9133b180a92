//! A thread for each compile, because LLVM ends the process after a fatal error unless the thread
//! that met it never returns, and because its passes recurse deeply on long kernels.
//!
//! The thread is made with `pthread_create`: the standard library's threads take a lock of their
//! own as they start and end, which a child forked at that moment would inherit locked.

use std::any::Any;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Sender, channel};

use super::error::{Error, Result};
use super::fatal::report_to;
use super::fork::InUse;
use super::init::init;

/// Room for the recursion of LLVM's passes.
const STACK: usize = 64 << 20;

/// What the thread says, once.
enum Outcome<T> {
    /// The work is done, well or not; the thread ends.
    Done(Result<T>),
    /// The work panicked; the thread ends.
    Panic(Box<dyn Any + Send>),
    /// LLVM gave up; the thread sleeps for ever.
    Fatal(String),
}

type Work = Box<dyn FnOnce() + Send>;

extern "C" fn start(work: *mut c_void) -> *mut c_void {
    // SAFETY: `run` passes a box of this type and forgets it. The closure catches panics.
    let work = unsafe { Box::from_raw(work.cast::<Work>()) };
    work();
    std::ptr::null_mut()
}

/// Runs `work` on a thread of its own. `fork` waits meanwhile.
pub(super) fn run<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    // Held here and not by the thread, which may never end.
    let _in_use = InUse::new();
    init();
    let (send, receive) = channel::<Outcome<T>>();
    let fatal: Sender<Outcome<T>> = send.clone();
    let work: Work = Box::new(move || {
        report_to(move |reason| {
            let _ = fatal.send(Outcome::Fatal(reason));
        });
        let outcome = match catch_unwind(AssertUnwindSafe(work)) {
            Ok(result) => Outcome::Done(result),
            Err(panic) => Outcome::Panic(panic),
        };
        let _ = send.send(outcome);
    });
    let work = Box::into_raw(Box::new(work));
    // SAFETY: the attributes are set up before use; the thread takes over the box.
    let thread = unsafe {
        let (mut thread, mut attributes) = (std::mem::zeroed(), std::mem::zeroed());
        libc::pthread_attr_init(&mut attributes);
        libc::pthread_attr_setstacksize(&mut attributes, STACK);
        let failed = libc::pthread_create(&mut thread, &attributes, start, work.cast());
        libc::pthread_attr_destroy(&mut attributes);
        if failed != 0 {
            drop(Box::from_raw(work));
            let why = std::io::Error::from_raw_os_error(failed);
            return Err(Error::new(
                "parse",
                format!("no thread to compile on: {why}"),
            ));
        }
        thread
    };
    let outcome = receive.recv();
    // SAFETY: the thread is ours and neither joined nor detached before.
    unsafe {
        match &outcome {
            Ok(Outcome::Done(_) | Outcome::Panic(_)) => {
                libc::pthread_join(thread, std::ptr::null_mut())
            }
            _ => libc::pthread_detach(thread),
        }
    };
    match outcome {
        Ok(Outcome::Done(result)) => result,
        Ok(Outcome::Panic(panic)) => resume_unwind(panic),
        Ok(Outcome::Fatal(reason)) => Err(Error::new("emit", reason)),
        Err(_) => Err(Error::new("emit", "the compile thread ended")),
    }
}
