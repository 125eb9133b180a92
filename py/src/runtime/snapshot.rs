//! The content of arrays when a launch was recorded: saved for backward, copied on write.
//!
//! A snapshot is copied when its memory is about to be overwritten, and not before. Launches, fills and copies announce
//! their writes ([`keep_overwritten`]). While there are no snapshots, that is one load. Launches of the same content share one
//! snapshot, and snapshots of the same memory one copy.
//!
//! Other libraries write memory without an announcement, or replace it: then the content is lost. torch and Paddle count
//! their changes, if a tensor is known. A digest detects writes through memory that was exported later ([`before_sharing`]),
//! and any write with `wp.config.verify_autograd_array_access`.

use super::captured;
use super::change_count::{ChangeCounts, Counted, Said};
use super::config;
use super::tapes;
use crate::object::error::refuse;
use crate::object::part::on_host;
use pyo3::prelude::*;
use smallvec::SmallVec;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use warp_core::abi::Strided;
use warp_core::array::{Array as Core, View};
use warp_core::command::{Capture, capture};
use warp_core::tape::Watch;

/// Snapshots whose memory was not overwritten yet. Taken only where Python's lock is held, and no Python code runs meanwhile.
static WATCH: Mutex<Watch<Weak<Snapshot>>> = Mutex::new(Watch::new());
/// How many these are: asked before every write, so without the lock.
static WATCHED: AtomicUsize = AtomicUsize::new(0);

/// What an array held at a time.
pub struct Snapshot {
    memory: Core,
    counts: ChangeCounts,
    digest: OnceLock<u64>,
    /// The moment of the last check whether all this is unchanged ([`tapes::moment`]).
    looked: AtomicU64,
    /// Set when the memory is about to be overwritten: what became of the content.
    end: OnceLock<End>,
    /// The capture in which it was taken ([`capture::number`]), 0 for none: of what steps write, content is known only
    /// when the graph runs.
    capture: u64,
}

enum End {
    Kept(Kept),
    /// The memory had been changed or replaced before, without an announcement.
    Lost,
    /// The capture has ended in which it was taken: what is there when the gradient is taken counts.
    Open,
}

/// A snapshot's copy.
pub struct Kept {
    /// Contiguous, and shared with nothing.
    pub copy: Core,
    /// The moment before the memory was overwritten ([`tapes::moment`]).
    pub moment: u64,
}

fn watch() -> MutexGuard<'static, Watch<Weak<Snapshot>>> {
    WATCH.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Snapshot {
    /// The present content of an array, to be copied before the next write.
    ///
    /// # Errors
    /// There is no memory.
    pub fn take(
        py: Python<'_>,
        array: &Core,
        counted: Option<Counted<'_, '_>>,
    ) -> PyResult<Arc<Snapshot>> {
        let mut view = array.view;
        view.read_only = false;
        if let Some(snapshot) = Snapshot::of(&view) {
            let tensor = counted.map(|c| c.0);
            let moment = tapes::moment();
            // Between tapes, all is looked at. If a tape misses something while it records, it is refused in any case.
            let all = snapshot.looked.swap(moment, Ordering::Relaxed) != moment;
            let said = snapshot.counts.said(py, tensor, all);
            if said != Said::Changed && !snapshot.is_replaced(py, all)? {
                if let Some(counted) = counted
                    && said == Said::Unknown
                {
                    snapshot.counts.add(counted);
                }
                return Ok(snapshot);
            }
            // It is lost.
            snapshot.keep(py)?;
        }
        let counts = ChangeCounts::default();
        if let Some(counted) = counted {
            counts.add(counted);
        }
        let snapshot = Arc::new(Snapshot {
            memory: array.with_view(view),
            counts,
            digest: OnceLock::new(),
            looked: AtomicU64::new(tapes::moment()),
            end: OnceLock::new(),
            capture: capture::number(),
        });
        if let Some(capture) = Capture::current() {
            let taken = Arc::downgrade(&snapshot);
            capture.at_end(Box::new(move || {
                if let Some(snapshot) = taken.upgrade() {
                    snapshot.open();
                }
            }));
        }
        let mut watch = watch();
        watch.insert(view, Arc::downgrade(&snapshot));
        WATCHED.store(watch.len(), Ordering::Relaxed);
        Ok(snapshot)
    }

    /// The snapshot of exactly this array.
    fn of(view: &View) -> Option<Arc<Snapshot>> {
        if watched() {
            let capture = capture::number();
            let watch = watch();
            let mut all = watch.of(view).filter_map(Weak::upgrade);
            all.find(|snapshot| snapshot.capture == capture)
        } else {
            None
        }
    }

    /// Remembers a digest of the content, if the settings ask for it.
    ///
    /// # Errors
    /// There is no memory.
    pub fn verify_later(&self, py: Python<'_>) -> PyResult<()> {
        if config::verify_access() {
            self.remember(py)
        } else {
            Ok(())
        }
    }

    /// Remembers a digest of the content, once.
    fn remember(&self, py: Python<'_>) -> PyResult<()> {
        let is_there =
            self.end.get().is_none() && self.memory.owner.is_current() && self.capture == 0;
        if is_there && self.digest.get().is_none() {
            // Nobody else was here: Python's lock is held.
            let _ = self.digest.set(digest_of(py, &self.memory)?);
        }
        Ok(())
    }

    /// Whether the content is lost: the memory was changed or replaced without an announcement.
    ///
    /// # Errors
    /// There is no memory.
    pub fn is_lost(&self, py: Python<'_>) -> PyResult<bool> {
        match self.end.get() {
            Some(End::Kept(_) | End::Open) => Ok(false),
            Some(End::Lost) => Ok(true),
            None => self.is_changed(py),
        }
    }

    /// The copy, where there is one.
    pub fn kept(&self) -> Option<&Kept> {
        match self.end.get() {
            Some(End::Kept(kept)) => Some(kept),
            _ => None,
        }
    }

    /// Copies the content, once.
    ///
    /// # Errors
    /// There is no memory.
    pub fn keep(self: &Arc<Snapshot>, py: Python<'_>) -> PyResult<()> {
        if self.end.get().is_none() {
            self.finish(py, None)?;
            self.leave();
        }
        Ok(())
    }

    /// Keeps the content; `copy` is an earlier copy of the same memory, if there is one.
    fn finish(&self, py: Python<'_>, copy: Option<&Core>) -> PyResult<()> {
        let end = match copy {
            _ if self.is_changed(py)? => End::Lost,
            Some(copy) => End::kept(copy.clone()),
            None => match self.capture != 0 && self.capture == capture::number() {
                true => End::kept(captured::copy_of(py, &self.memory)?),
                false => End::kept(copy_of(py, &self.memory)?),
            },
        };
        // Nobody else was here: Python's lock is held.
        let _ = self.end.set(end);
        Ok(())
    }

    /// Whether the memory was changed or replaced without an announcement.
    fn is_changed(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.counts.changed(py) || self.is_replaced(py, true)?)
    }

    /// Whether it was replaced, or its digest, if that is asked for, is another one.
    fn is_replaced(&self, py: Python<'_>, digest: bool) -> PyResult<bool> {
        if !self.memory.owner.is_current() {
            return Ok(true);
        }
        match self.digest.get().filter(|_| digest) {
            Some(digest) => Ok(digest_of(py, &self.memory)? != *digest),
            None => Ok(false),
        }
    }

    /// The content at the time of the gradient counts, if it was not overwritten yet.
    fn open(&self) {
        if self.end.set(End::Open).is_ok() {
            self.leave();
        }
    }

    /// Is watched no more.
    fn leave(&self) {
        let mut watch = watch();
        let own = std::ptr::from_ref(self);
        watch.remove(&self.memory.view, |other| std::ptr::eq(other.as_ptr(), own));
        WATCHED.store(watch.len(), Ordering::Relaxed);
    }
}

impl End {
    fn kept(copy: Core) -> End {
        End::Kept(Kept {
            copy,
            moment: tapes::moment(),
        })
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        if self.end.get().is_none() {
            self.leave();
        }
    }
}

/// A copy of memory that is current.
fn copy_of(py: Python<'_>, memory: &Core) -> PyResult<Core> {
    // SAFETY: the owner keeps the memory, as was just asked; Python's lock keeps others from writing meanwhile.
    unsafe { memory.copy_to(memory.view.device) }.map_err(refuse(py, "what a tape keeps"))
}

/// A digest of memory that is current. One word that changes changes it for certain.
fn digest_of(py: Python<'_>, memory: &Core) -> PyResult<u64> {
    let whole = &on_host(py, memory)?;
    let size = whole.view.layout().len() * whole.view.elem.size();
    if size == 0 {
        return Ok(0);
    }
    // SAFETY: contiguous memory has so many bytes, which its owner keeps; Python's lock keeps others from writing meanwhile.
    let bytes = unsafe { std::slice::from_raw_parts(whole.view.arg.data, size) };
    let mix = |sum: u64, word: u64| {
        (sum ^ word)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29)
    };
    // Lanes that do not wait for each other: as fast as memory.
    let (blocks, rest) = bytes.as_chunks::<32>();
    let mut lanes = [1u64, 2, 3, 4];
    for block in blocks {
        for (lane, word) in lanes.iter_mut().zip(block.as_chunks::<8>().0) {
            *lane = mix(*lane, u64::from_ne_bytes(*word));
        }
    }
    let rest = rest.iter().map(|byte| u64::from(*byte));
    Ok(lanes.into_iter().chain(rest).fold(0, mix))
}

/// Whether there are snapshots that a write may have to keep.
#[inline(always)]
pub fn watched() -> bool {
    WATCHED.load(Ordering::Relaxed) != 0
}

/// Keeps what is about to be overwritten, where a tape needs it. Asked after [`watched`]. Returns whether a tape does: only
/// then may code of the user's have run.
///
/// # Errors
/// There is no memory; nothing may be written then.
#[cold]
pub fn keep_overwritten(py: Python<'_>, written: &Strided) -> PyResult<bool> {
    let taken = {
        let mut watch = watch();
        let taken = watch.take(written);
        WATCHED.store(watch.len(), Ordering::Relaxed);
        taken
    };
    let mut finished: SmallVec<[Arc<Snapshot>; 2]> = SmallVec::new();
    for (at, (view, snapshot)) in taken.iter().enumerate() {
        let Some(snapshot) = snapshot.upgrade() else {
            continue;
        };
        // Those of the same memory come one after the other.
        let start = view.arg.data;
        let mut near = finished.iter().rev();
        let near = near
            .by_ref()
            .take_while(|s| s.memory.view.arg.data == start);
        let mut same = near.filter(|s| s.memory.view == *view);
        let copy = same.find_map(|s| Some(&s.kept()?.copy));
        let outcome = snapshot.finish(py, copy);
        finished.push(snapshot);
        if let Err(error) = outcome {
            // The write does not happen, and the content is still there.
            let mut watch = watch();
            for (view, snapshot) in &taken[at..] {
                watch.insert(*view, snapshot.clone());
            }
            WATCHED.store(watch.len(), Ordering::Relaxed);
            return Err(error);
        }
    }
    Ok(!taken.is_empty())
}

/// [`keep_overwritten`] of one array, for writes without a launch.
///
/// # Errors
/// As there.
#[inline(always)]
pub fn before_write(py: Python<'_>, view: &View) -> PyResult<()> {
    if watched() {
        keep_overwritten(py, &view.strided())?;
    }
    Ok(())
}

/// Called before an array's memory is exported and may be written without an announcement: digests detect that.
///
/// # Errors
/// There is no memory.
#[inline(always)]
pub fn before_sharing(py: Python<'_>, view: &View) -> PyResult<()> {
    if watched() && !view.read_only {
        remember_shared(py, view)
    } else {
        Ok(())
    }
}

#[cold]
fn remember_shared(py: Python<'_>, view: &View) -> PyResult<()> {
    let shared = view.strided();
    let found: Vec<Arc<Snapshot>> = {
        let watch = watch();
        let all = watch.overlapping(&shared);
        all.filter_map(Weak::upgrade).collect()
    };
    found.iter().try_for_each(|snapshot| snapshot.remember(py))
}

/// How many snapshots are watched: tests look for those that stay.
#[pyfunction]
fn _watched() -> usize {
    WATCHED.load(Ordering::Relaxed)
}

/// Adds the function to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_watched, m)?)
}
