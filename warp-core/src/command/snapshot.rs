//! The content of arrays at a time: saved for backward, copied on write.
//!
//! A snapshot is copied when its memory is about to be overwritten, and not before. Launches, fills and copies announce
//! their writes ([`keep_overwritten`]). While there are no snapshots, that is one load. Launches of the same content share one
//! snapshot, and snapshots of the same memory one copy.
//!
//! Other libraries write memory without an announcement, or replace it: then the content is lost. torch and Paddle count
//! their changes, if a tensor is known ([`super::changes`]). A digest detects writes through memory that was exported later
//! ([`before_sharing`]), and any write where [`Snapshot::remember`] is asked for.
//!
//! Who takes a snapshot or announces a write sees to it that nothing else does so or writes meanwhile: Python's lock, in the
//! extension.

use super::capture::{self, Capture};
use super::changes::{ChangeCounts, Counted, Said};
use super::data::Command;
use super::recorder::{self, moment};
use super::transfer::Copy;
use super::watch::Watch;
use crate::abi::Strided;
use crate::array::{Array, View};
use crate::device::Device;
use crate::error::{Error, Result};
use smallvec::SmallVec;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

/// Snapshots whose memory was not overwritten yet.
static WATCH: Mutex<Watch<Weak<Snapshot>>> = Mutex::new(Watch::new());
/// How many these are: asked before every write, so without the lock.
static WATCHED: AtomicUsize = AtomicUsize::new(0);

/// What an array held at a time.
pub struct Snapshot {
    memory: Array,
    counts: ChangeCounts,
    digest: OnceLock<u64>,
    /// The moment of the last check whether all this is unchanged ([`recorder::moment`]).
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
    pub copy: Array,
    /// The moment before the memory was overwritten ([`recorder::moment`]).
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
    pub fn take(array: &Array, counted: Option<&dyn Counted>) -> Result<Arc<Snapshot>> {
        let mut view = array.view;
        view.read_only = false;
        if let Some(snapshot) = Snapshot::of(&view) {
            let moment = moment();
            // Between tapes, all is looked at. If a tape misses something while it records, it is refused in any case.
            let all = snapshot.looked.swap(moment, Ordering::Relaxed) != moment;
            let said = snapshot.counts.said(counted, all);
            if said != Said::Changed && !snapshot.is_replaced(all)? {
                if let Some(counted) = counted
                    && said == Said::Unknown
                {
                    snapshot.counts.add(counted);
                }
                return Ok(snapshot);
            }
            // It is lost.
            snapshot.keep()?;
        }
        let counts = ChangeCounts::default();
        if let Some(counted) = counted {
            counts.add(counted);
        }
        let snapshot = Arc::new(Snapshot {
            memory: array.with_view(view),
            counts,
            digest: OnceLock::new(),
            looked: AtomicU64::new(moment()),
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

    /// Remembers a digest of the content, once: what changes it unannounced is then found out.
    ///
    /// # Errors
    /// There is no memory.
    pub fn remember(&self) -> Result<()> {
        let is_there =
            self.end.get().is_none() && self.memory.owner.is_current() && self.capture == 0;
        if is_there && self.digest.get().is_none() {
            // Nobody else was here, as the caller sees to it.
            let _ = self.digest.set(digest_of(&self.memory)?);
        }
        Ok(())
    }

    /// Whether the content is lost: the memory was changed or replaced without an announcement.
    ///
    /// # Errors
    /// There is no memory.
    pub fn is_lost(&self) -> Result<bool> {
        match self.end.get() {
            Some(End::Kept(_) | End::Open) => Ok(false),
            Some(End::Lost) => Ok(true),
            None => self.is_changed(),
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
    pub fn keep(self: &Arc<Snapshot>) -> Result<()> {
        if self.end.get().is_none() {
            self.finish(None)?;
            self.leave();
        }
        Ok(())
    }

    /// Keeps the content; `copy` is an earlier copy of the same memory, if there is one.
    fn finish(&self, copy: Option<&Array>) -> Result<()> {
        let end = match copy {
            _ if self.is_changed()? => End::Lost,
            Some(copy) => End::kept(copy.clone()),
            None => match self.capture != 0 && self.capture == capture::number() {
                true => End::kept(deferred_copy(&self.memory)?),
                false => End::kept(copy_of(&self.memory)?),
            },
        };
        // Nobody else was here, as the caller sees to it.
        let _ = self.end.set(end);
        Ok(())
    }

    /// Whether the memory was changed or replaced without an announcement.
    fn is_changed(&self) -> Result<bool> {
        Ok(self.counts.changed() || self.is_replaced(true)?)
    }

    /// Whether it was replaced, or its digest, if that is asked for, is another one.
    fn is_replaced(&self, digest: bool) -> Result<bool> {
        if !self.memory.owner.is_current() {
            return Ok(true);
        }
        match self.digest.get().filter(|_| digest) {
            Some(digest) => Ok(digest_of(&self.memory)? != *digest),
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
    fn kept(copy: Array) -> End {
        End::Kept(Kept {
            copy,
            moment: moment(),
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
fn copy_of(memory: &Array) -> Result<Array> {
    // SAFETY: the owner keeps the memory, as was just asked; the caller keeps others from writing meanwhile.
    let copy = unsafe { memory.copy_to(memory.view.device) };
    copy.map_err(|e| e.within("what a tape keeps").of_array())
}

/// A copy that a graph makes each time that it runs.
fn deferred_copy(memory: &Array) -> Result<Array> {
    let view = &memory.view;
    let shape: SmallVec<[i64; 4]> = (view.layout().shape().iter())
        .map(|n| i64::from(*n))
        .collect();
    let of_capture = |e: Error| e.within("a capture").of_array();
    let to = Array::zeros(view.elem, &shape, view.device).map_err(of_capture)?;
    let (made, from) = (to.clone(), memory.clone());
    let name = "copy";
    recorder::take(|| Command::Copy(Copy { to, from, name }))?;
    Ok(made)
}

/// The same elements in memory of the host, without gaps.
fn on_host(memory: &Array) -> Result<Array> {
    if memory.view.device == Device::Cpu && memory.view.is_contiguous() {
        return Ok(memory.clone());
    }
    // SAFETY: as in `copy_of`.
    let copy = unsafe { memory.copy_to(Device::Cpu) };
    copy.map_err(|e| e.within("a copy to the host").of_array())
}

/// A digest of memory that is current. One word that changes changes it for certain.
fn digest_of(memory: &Array) -> Result<u64> {
    let whole = &on_host(memory)?;
    let size = whole.view.layout().len() * whole.view.elem.size();
    if size == 0 {
        return Ok(0);
    }
    // SAFETY: contiguous memory has so many bytes, which its owner keeps; the caller keeps others from writing meanwhile.
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
/// then may code of others have run.
///
/// # Errors
/// There is no memory; nothing may be written then.
#[cold]
pub fn keep_overwritten(written: &Strided) -> Result<bool> {
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
        let outcome = snapshot.finish(copy);
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

/// Called before an array's memory is exported and may be written without an announcement: digests detect that.
///
/// # Errors
/// There is no memory.
#[cold]
pub fn before_sharing(view: &View) -> Result<()> {
    if view.read_only {
        return Ok(());
    }
    let shared = view.strided();
    let found: Vec<Arc<Snapshot>> = {
        let watch = watch();
        let all = watch.overlapping(&shared);
        all.filter_map(Weak::upgrade).collect()
    };
    found.iter().try_for_each(|snapshot| snapshot.remember())
}

/// How many snapshots are watched.
pub fn count() -> usize {
    WATCHED.load(Ordering::Relaxed)
}
