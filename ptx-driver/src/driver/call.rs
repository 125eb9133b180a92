//! What every call of the driver begins with: is this process allowed to, is there a context, and is it sound?
use super::base::{Error, Handle, Result, thread};
use super::device;
use super::state::Guard;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

/// True in the child of a fork after `cuInit`: CUDA does not work there.
static FORKED: AtomicBool = AtomicBool::new(false);

extern "C" fn note_fork() {
    FORKED.store(true, Ordering::Relaxed);
}

fn guarded(name: &str, f: impl FnOnce(&mut Guard) -> Result) -> u32 {
    if FORKED.load(Ordering::Relaxed) {
        return Error::NOT_INITIALIZED.0;
    }
    let run = || {
        let mut g = Guard::lock();
        let code = f(&mut g).err().map_or(0, |e| e.0);
        if g.settings.log {
            eprintln!("ptx-driver: {name} = {code}");
        }
        code
    };
    // A panic must not cross into C.
    catch_unwind(AssertUnwindSafe(run)).unwrap_or(Error::UNKNOWN.0)
}

/// A call that needs nothing.
pub fn free(name: &str, f: impl FnOnce(&mut Guard) -> Result) -> u32 {
    guarded(name, f)
}

/// A call that needs `cuInit` before it.
pub fn init(name: &str, f: impl FnOnce(&mut Guard) -> Result) -> u32 {
    guarded(name, |g| {
        if g.initialized {
            f(g)
        } else {
            Err(Error::NOT_INITIALIZED)
        }
    })
}

/// A call that needs a current context without a sticky error. Host functions may not make it.
pub fn ctx(name: &str, f: impl FnOnce(&mut Guard, Handle) -> Result) -> u32 {
    guarded(name, |g| {
        if !g.initialized {
            return Err(Error::NOT_INITIALIZED);
        }
        if thread::in_host_function() {
            return Err(Error::NOT_PERMITTED);
        }
        let current = thread::current();
        if current == 0 {
            return Err(Error::INVALID_CONTEXT);
        }
        let context = g.contexts.get(current).ok_or(Error::CONTEXT_IS_DESTROYED)?;
        if let Some(error) = context.error {
            return Err(error);
        }
        let faults = g.faults;
        let result = f(g, current);
        if g.faults != faults
            && let Some(error) = g.contexts.get(current).and_then(|c| c.error)
        {
            return Err(error);
        }
        result
    })
}

/// `cuInit`.
pub fn initialize(g: &mut Guard, flags: u32) -> Result {
    static AT_FORK: Once = Once::new();
    if flags != 0 {
        return Err(Error::INVALID_VALUE);
    }
    if g.initialized {
        return Ok(());
    }
    device::start(g)?;
    AT_FORK.call_once(|| {
        // SAFETY: the handler only stores to an atomic.
        unsafe { libc::pthread_atfork(None, None, Some(note_fork)) };
    });
    Ok(())
}
