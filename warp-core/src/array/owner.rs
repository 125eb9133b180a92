//! What keeps an array's memory alive.
//!
//! Memory of another library is given back by that library's deleter: exactly once, but only on a
//! thread where it can run without waiting. Some deleters take Python's lock, and a thread that waits for it while its
//! holder waits for that thread never ends. So the program that embeds this crate installs a [`Gate`],
//! which knows when deleters may run. Deleters that may not run yet wait in a queue; they are leaked when the gate says never.
//!
//! Some libraries give what we hold other memory and free the old. Such an owner remembers where the memory was and how
//! large, and every use of the memory asks [`Owner::is_current`] first.

use super::allocation::Allocation;
use crate::error::{Code, Error};
use crate::sync::{AtomicBool, Mutex};
use crate::ty::Pattern;
use std::ffi::c_void;
use std::fmt;
use std::ptr::null;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, TryLockError};

/// Keeps memory alive; cheap to clone.
#[derive(Clone, Debug)]
pub enum Owner {
    /// Memory of ours.
    Own(Arc<Allocation>),
    /// Memory of another library that is given back once.
    Foreign(Arc<Foreign>),
    /// Memory of another library that counts its users.
    Counted(Counted),
    /// The user gave a pointer and answers for it.
    Nobody,
    /// There is no memory: this is no array, but says what one is to be. Where several types are admitted, which.
    Annotation(Option<Arc<Pattern>>),
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
    /// Anything that keeps memory alive and may be dropped on any thread.
    pub fn of<T: Send + Sync + 'static>(keeper: Box<T>) -> Owner {
        unsafe fn release<T>(handle: *mut c_void) {
            // SAFETY: it was a box of such a value, and this is called once.
            drop(unsafe { Box::from_raw(handle.cast::<T>()) });
        }
        let handle = Box::into_raw(keeper).cast();
        // SAFETY: the value may be dropped on any thread.
        unsafe { Owner::foreign(handle, release::<T>) }
    }
    /// Memory that another library counts the users of: this takes over one of the counts.
    ///
    /// # Safety
    /// `counts.release(handle)` must be sound to call once for this count and once for each call of
    /// `counts.retain(handle)`, on any thread that the gate lets through; `retain` on any thread, while a count is held.
    #[inline]
    pub unsafe fn counted(handle: *mut c_void, counts: &'static Counts) -> Owner {
        Owner::Counted(Counted {
            handle,
            counts,
            watched: null(),
            seen: [0; 2],
        })
    }
    /// As [`Owner::counted`], for memory that may be replaced while the count is held: the words that say where it is are
    /// remembered, for [`Owner::is_current`].
    ///
    /// # Safety
    /// As for [`Owner::counted`]; and the words `counts.places` from `watched` on may be read while a count is held.
    #[inline]
    pub unsafe fn watched(
        handle: *mut c_void,
        counts: &'static Counts,
        watched: *const AtomicU64,
    ) -> Owner {
        // SAFETY: promised by the caller, who holds a count.
        let seen = unsafe { counts.places.read(watched) };
        Owner::Counted(Counted {
            handle,
            counts,
            watched,
            seen,
        })
    }
    /// The handle, where this is a count of one that `release` gives back.
    pub fn counted_by(&self, release: unsafe fn(*mut c_void)) -> Option<&*mut c_void> {
        match self {
            Owner::Counted(counted) if std::ptr::fn_addr_eq(counted.counts.release, release) => {
                Some(&counted.handle)
            }
            _ => None,
        }
    }
    /// Whether there is memory, and it is still that which was held. Where it is not, it may be gone and must not be accessed.
    #[inline(always)]
    pub fn is_current(&self) -> bool {
        match self {
            Owner::Counted(counted) => counted.is_current(),
            Owner::Annotation(_) => false,
            _ => true,
        }
    }
    /// What to say where [`Owner::is_current`] says no.
    #[cold]
    pub fn moved(&self) -> Error {
        let text = match self {
            Owner::Annotation(_) => {
                let text =
                    "this is an annotation: it says what an array is to be, and has no memory";
                return Error::new(Code::Type, text)
                    .hint("pass an array, as wp.zeros(n, dtype=...) makes");
            }
            Owner::Counted(counted) => counted.counts.moved,
            _ => "the memory has been replaced",
        };
        Error::new(Code::Runtime, text).hint("convert it again")
    }
}

/// How another library counts the users of memory, and where it says which memory that is.
#[derive(Debug)]
pub struct Counts {
    /// Adds one to the count of a handle.
    pub retain: unsafe fn(*mut c_void),
    /// Gives one back.
    pub release: unsafe fn(*mut c_void),
    /// Where an owner that is watched says what its memory is.
    pub places: Places,
    /// What to say where that has changed.
    pub moved: &'static str,
}

impl Counts {
    /// Counts of memory that cannot be replaced.
    pub const fn of_fixed(
        retain: unsafe fn(*mut c_void),
        release: unsafe fn(*mut c_void),
    ) -> Counts {
        Counts {
            retain,
            release,
            places: Places { data: 0, size: 0 },
            moved: "",
        }
    }
}

/// Which words, counted from an address, hold the address of memory and the number of its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// The address.
    pub data: usize,
    /// The number of bytes.
    pub size: usize,
}

impl Places {
    /// # Safety
    /// Both words from `at` on may be read.
    #[inline(always)]
    unsafe fn read(self, at: *const AtomicU64) -> [u64; 2] {
        // SAFETY: promised by the caller.
        unsafe { [self.data, self.size].map(|word| (*at.add(word)).load(Ordering::Relaxed)) }
    }
}

/// One count of a handle of another library's: needs no memory of its own.
pub struct Counted {
    handle: *mut c_void,
    counts: &'static Counts,
    /// From where on the places are counted; null where nothing is watched.
    watched: *const AtomicU64,
    /// What stood there.
    seen: [u64; 2],
}

// SAFETY: `Owner::counted` demands that both functions work on any thread, and whoever holds a count may read the words.
unsafe impl Send for Counted {}
// SAFETY: as above.
unsafe impl Sync for Counted {}

impl Counted {
    #[inline(always)]
    fn is_current(&self) -> bool {
        // SAFETY: promised by whoever called `Owner::watched`; this count is held.
        self.watched.is_null() || unsafe { self.counts.places.read(self.watched) } == self.seen
    }
}

impl Clone for Counted {
    fn clone(&self) -> Counted {
        // SAFETY: promised by whoever called `Owner::counted`; this count is held.
        unsafe { (self.counts.retain)(self.handle) };
        Counted { ..*self }
    }
}

impl fmt::Debug for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Counted({:p})", self.handle)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        give_back(Release {
            handle: self.handle,
            release: self.counts.release,
        });
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

#[cfg(not(feature = "loom"))]
static WAITING: Waiting = Waiting {
    releases: Mutex::new(Vec::new()),
    some: AtomicBool::new(false),
};
#[cfg(feature = "loom")]
loom::lazy_static! {
    static ref WAITING: Waiting = Waiting::default();
}

/// Deleters that wait for a thread where they may run.
#[derive(Default)]
struct Waiting {
    releases: Mutex<Vec<Release>>,
    /// Whether there may be any: asked on every release, so without the lock.
    some: AtomicBool,
}

impl Waiting {
    fn push(&self, release: Release) {
        let mut releases = self.releases.lock().unwrap_or_else(PoisonError::into_inner);
        releases.push(release);
        drop(releases);
        self.some.store(true, Ordering::Relaxed);
    }

    fn drain(&self) {
        self.some.store(false, Ordering::Relaxed);
        loop {
            // One at a time and outside the lock: a deleter may drop further owners.
            let next = match self.releases.try_lock() {
                Ok(mut releases) => releases.pop(),
                Err(TryLockError::Poisoned(releases)) => releases.into_inner().pop(),
                // This thread does not wait for the lock. The thread that holds it wakes the gate or drains the queue itself;
                // after a fork the lock may belong to a thread that does not exist any more.
                Err(TryLockError::WouldBlock) => {
                    self.some.store(true, Ordering::Relaxed);
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
}

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
                if WAITING.some.load(Ordering::Relaxed) {
                    drain();
                }
            }
            Moment::Later => {
                WAITING.push(release);
                (gate.wake)();
            }
            Moment::Never => {}
        },
    }
}

/// Runs the deleters that wait. Call it where deleters may run.
pub fn drain() {
    WAITING.drain();
}

#[cfg(all(test, feature = "loom"))]
mod models {
    use super::*;
    use loom::thread;
    use std::sync::atomic::AtomicUsize;

    static RELEASED: AtomicUsize = AtomicUsize::new(0);

    unsafe fn release(_: *mut c_void) {
        RELEASED.fetch_add(1, Ordering::SeqCst);
    }

    /// Threads whose deleters must wait, each of which wakes the gate: that drains, on its own or on another thread.
    fn every_deleter_runs_once(wait_and_drain: [bool; 2]) {
        let waiting = Arc::new(Waiting::default());
        RELEASED.store(0, Ordering::SeqCst);
        let threads = wait_and_drain.map(|drains| {
            let waiting = waiting.clone();
            thread::spawn(move || {
                let handle = std::ptr::null_mut();
                waiting.push(Release { handle, release });
                if drains {
                    waiting.drain();
                }
            })
        });
        if wait_and_drain.contains(&false) {
            waiting.drain();
        }
        threads
            .into_iter()
            .for_each(|t| t.join().expect("no panic"));
        // Who was woken drains once more, where somebody did not.
        if wait_and_drain.contains(&false) {
            waiting.drain();
        }
        assert_eq!(RELEASED.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn loom_every_deleter_runs_once() {
        loom::model(|| every_deleter_runs_once([true, true]));
        loom::model(|| every_deleter_runs_once([true, false]));
    }
}
