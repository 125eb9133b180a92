//! What keeps an array's memory alive.
//!
//! Memory of another library is given back by that library's deleter: exactly once, but only on a
//! thread where it can run without waiting. Some deleters take Python's lock, and a thread that waits for it while its
//! holder waits for that thread never ends. So the program that embeds this crate installs a [`Gate`],
//! which knows when deleters may run. Deleters that may not run yet wait in a queue; they are leaked when the gate says never.

use super::allocation::Allocation;
use std::ffi::c_void;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, TryLockError};

/// Keeps memory alive; cheap to clone.
#[derive(Clone, Debug)]
pub enum Owner {
    /// Memory of ours.
    Own(Arc<Allocation>),
    /// Memory of another library that is given back once.
    Foreign(Arc<Foreign>),
    /// Memory of another library that counts who uses it.
    Counted(Counted),
    /// The user gave a pointer and answers for it.
    Nobody,
}

impl Owner {
    /// Memory that `release(handle)` gives back.
    ///
    /// # Safety
    /// `release(handle)` must be sound to call once, on any thread that the gate lets through.
    #[inline]
    pub unsafe fn foreign(handle: *mut c_void, release: unsafe fn(*mut c_void)) -> Owner {
        Owner::Foreign(Arc::new(Foreign(Release { handle, release })))
    }
}

impl Owner {
    /// Memory that another library counts the users of: this takes over one of the counts.
    ///
    /// # Safety
    /// `release(handle)` must be sound to call once for this count and once for each call of `retain(handle)`, on any
    /// thread that the gate lets through; `retain` on any thread, while a count is held.
    #[inline]
    pub unsafe fn counted(
        handle: *mut c_void,
        retain: unsafe fn(*mut c_void),
        release: unsafe fn(*mut c_void),
    ) -> Owner {
        let release = Release { handle, release };
        Owner::Counted(Counted { release, retain })
    }
}

impl Owner {
    /// The handle, where this is a count of one that `release` gives back.
    pub fn counted_by(&self, release: unsafe fn(*mut c_void)) -> Option<&*mut c_void> {
        match self {
            Owner::Counted(counted) if std::ptr::fn_addr_eq(counted.release.release, release) => {
                Some(&counted.release.handle)
            }
            _ => None,
        }
    }
}

/// One count of a handle of another library's: needs no memory of its own.
pub struct Counted {
    release: Release,
    retain: unsafe fn(*mut c_void),
}

impl Clone for Counted {
    fn clone(&self) -> Counted {
        // SAFETY: promised by whoever called `Owner::counted`; this count is held.
        unsafe { (self.retain)(self.release.handle) };
        Counted {
            release: self.release,
            retain: self.retain,
        }
    }
}

impl fmt::Debug for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Counted({:p})", self.release.handle)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        give_back(self.release);
    }
}

/// A handle of another library's, and how to give it back.
pub struct Foreign(Release);

impl fmt::Debug for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Foreign({:p})", self.0.handle)
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        give_back(self.0);
    }
}

#[derive(Clone, Copy)]
struct Release {
    handle: *mut c_void,
    release: unsafe fn(*mut c_void),
}

// SAFETY: `Owner::foreign` demands that the release works on any thread the gate lets through,
// and nothing else uses the handle.
unsafe impl Send for Release {}
// SAFETY: no method reads through the handle.
unsafe impl Sync for Release {}

/// Whether a deleter may run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moment {
    /// On this thread, now.
    Now,
    /// Not on this thread; it waits for the next [`drain`].
    Later,
    /// Never again: the process is ending.
    Never,
}

/// What the embedder knows about deleters.
#[derive(Clone, Copy, Debug)]
pub struct Gate {
    /// May a deleter run here and now?
    pub moment: fn() -> Moment,
    /// Something waits: arrange for [`drain`] to be called on a thread where deleters may run.
    pub wake: fn(),
}

static GATE: OnceLock<Gate> = OnceLock::new();
static WAITING: Mutex<Vec<Release>> = Mutex::new(Vec::new());
/// Whether something may wait: asked on every release, so without the lock.
static SOME_WAIT: AtomicBool = AtomicBool::new(false);

/// Installs the gate of this process. The first one stays; without one every deleter runs at once.
pub fn install_gate(gate: Gate) {
    // A second call is the same embedder initialising again.
    let _ = GATE.set(gate);
}

fn give_back(release: Release) {
    match GATE.get() {
        // SAFETY: promised by whoever called `Owner::foreign`; this is the only call.
        None => unsafe { (release.release)(release.handle) },
        Some(gate) => match (gate.moment)() {
            Moment::Now => {
                // SAFETY: as above.
                unsafe { (release.release)(release.handle) };
                // The thread that was woken may not come for long: run the deleters that wait on this one.
                if SOME_WAIT.load(Ordering::Relaxed) {
                    drain();
                }
            }
            Moment::Later => {
                WAITING
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(release);
                SOME_WAIT.store(true, Ordering::Relaxed);
                (gate.wake)();
            }
            Moment::Never => {}
        },
    }
}

/// Runs the deleters that wait. Call it where deleters may run.
pub fn drain() {
    SOME_WAIT.store(false, Ordering::Relaxed);
    loop {
        // One at a time and outside the lock: a deleter may drop further owners.
        let next = match WAITING.try_lock() {
            Ok(mut waiting) => waiting.pop(),
            Err(TryLockError::Poisoned(waiting)) => waiting.into_inner().pop(),
            // This thread does not wait for the lock. The thread that holds it wakes the gate or drains the queue itself; after a
            // fork the lock may belong to a thread that does not exist any more.
            Err(TryLockError::WouldBlock) => {
                SOME_WAIT.store(true, Ordering::Relaxed);
                return;
            }
        };
        match next {
            // SAFETY: promised by whoever called `Owner::foreign`; it was taken off the queue.
            Some(r) => unsafe { (r.release)(r.handle) },
            None => return,
        }
    }
}
