//! A thread for each compile, because LLVM ends the process after a fatal error unless the thread
//! that met it never returns, and because its passes recurse deeply on long kernels.
//!
//! The thread is made with `pthread_create`: the standard library's threads take a lock of their
//! own as they start and end, which a child forked at that moment would inherit locked.

use std::any::Any;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use super::error::{Error, Result, THREAD};
use super::exit;
use super::fatal::report_to;
use super::fork::{GUARD, InUse};
use super::init::init;
use crate::floating_point::Standard;

/// Room for the recursion of LLVM's passes; where there is not so much, as much as most kernels need.
const STACKS: [usize; 2] = [64 << 20, 8 << 20];

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
    // SAFETY: `start_thread` passes a box of this type and forgets it. The closure catches panics.
    let work = unsafe { Box::from_raw(work.cast::<Work>()) };
    // Constants are folded here.
    Standard::stay();
    work();
    std::ptr::null_mut()
}

/// How often a thread that waits for a compile asks whether to go on.
const POLL: Duration = Duration::from_millis(50);

/// How waiting for a thread ended.
enum Ended<T> {
    /// With what it made.
    Done(T),
    /// It was interrupted; the thread is left to itself.
    Interrupted,
    /// This is a child, forked by a signal's handler: the thread is the parent's.
    Lost,
}

/// Runs `work` on a thread of its own. `interrupted` is asked now and then; when it says so there is nothing, and what comes of
/// the work is dropped.
pub fn run<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Clone + Send + 'static,
    interrupted: &dyn Fn() -> bool,
) -> Result<Option<T>> {
    loop {
        // It may have come while the caller waited for others.
        if interrupted() {
            return Ok(None);
        }
        match wait(start_thread(work.clone())?, interrupted)? {
            Ended::Done(value) => return Ok(Some(value)),
            Ended::Interrupted => return Ok(None),
            Ended::Lost => {}
        }
    }
}

type Started<T> = (libc::pthread_t, Receiver<Outcome<T>>);

fn start_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<Started<T>> {
    // No compile begins while another thread forks.
    let in_use = InUse::new();
    init(&in_use);
    let (send, receive) = channel::<Outcome<T>>();
    let fatal: Sender<Outcome<T>> = send.clone();
    let work: Work = Box::new(move || {
        report_to(move |reason| {
            let _ = fatal.send(Outcome::Fatal(reason));
            GUARD.end_compile();
        });
        let outcome = match catch_unwind(AssertUnwindSafe(work)) {
            Ok(result) => Outcome::Done(result),
            Err(panic) => Outcome::Panic(panic),
        };
        let _ = send.send(outcome);
        GUARD.end_compile();
    });
    let work = Box::into_raw(Box::new(work));
    GUARD.begin_compile();
    let mut failed = 0;
    for stack in STACKS {
        // SAFETY: the attributes are set up before use; a thread that starts takes over the box.
        unsafe {
            let (mut thread, mut attributes) = (std::mem::zeroed(), std::mem::zeroed());
            libc::pthread_attr_init(&mut attributes);
            libc::pthread_attr_setstacksize(&mut attributes, stack);
            failed = libc::pthread_create(&mut thread, &attributes, start, work.cast());
            libc::pthread_attr_destroy(&mut attributes);
            if failed == 0 {
                return Ok((thread, receive));
            }
        }
    }
    GUARD.end_compile();
    // SAFETY: no thread has started.
    drop(unsafe { Box::from_raw(work) });
    let why = std::io::Error::from_raw_os_error(failed);
    Err(Error::new(
        THREAD,
        format!("a thread to compile a kernel on cannot be started: {why}"),
    ))
}

fn wait<T>((thread, receive): Started<T>, interrupted: &dyn Fn() -> bool) -> Result<Ended<T>> {
    let process = std::process::id();
    let outcome = loop {
        match receive.recv_timeout(POLL) {
            Err(RecvTimeoutError::Timeout) => {}
            outcome => break Some(outcome),
        }
        let stop = interrupted();
        if std::process::id() != process {
            // The thread may have been about to send when the handler forked.
            std::mem::forget(receive);
            return Ok(Ended::Lost);
        }
        if stop {
            break None;
        }
    };
    exit::watch();
    // SAFETY: the thread is ours and neither joined nor detached before.
    unsafe {
        match &outcome {
            Some(Ok(Outcome::Done(_) | Outcome::Panic(_))) => {
                libc::pthread_join(thread, std::ptr::null_mut())
            }
            _ => libc::pthread_detach(thread),
        }
    };
    match outcome {
        None => Ok(Ended::Interrupted),
        Some(Ok(Outcome::Done(result))) => result.map(Ended::Done),
        Some(Ok(Outcome::Panic(panic))) => resume_unwind(panic),
        Some(Ok(Outcome::Fatal(reason))) => Err(Error::new("emit", reason)),
        Some(Err(_)) => Err(Error::new("emit", "the compile thread ended")),
    }
}
