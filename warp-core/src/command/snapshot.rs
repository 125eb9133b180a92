//! The content of arrays at a time: saved for backward, copied on write.
//!
//! A snapshot is copied when its memory is about to be overwritten, and not before. Launches, fills and copies announce
//! their writes ([`keep_overwritten`]). While there are no snapshots, that is one load. Launches of the same content share one
//! snapshot, and snapshots of the same memory one copy. Where a small part is overwritten, that part alone is copied (`Undo`), and
//! the snapshot is what a later one holds but for it.
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
use super::digest::digest_of;
use super::recorder::{self, moment};
use super::transfer::Copy;
use super::undo::Undo;
use super::watch::Watch;
use crate::abi::Strided;
use crate::array::{Array, View, copy};
use crate::device::Streams;
use crate::error::{Error, Result};
use smallvec::SmallVec;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
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
    /// Somebody needs the content itself, not only what another snapshot makes of it.
    wanted: AtomicBool,
    /// The walk that was here last.
    walk: AtomicU64,
    /// Of a snapshot that follows another one: what was overwritten in between.
    undo: Undo,
}

/// A look at many snapshots, each once.
pub struct Walk(u64);

impl Walk {
    /// One that was nowhere yet.
    pub fn begin() -> Walk {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        Walk(COUNT.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Whether this comes to a snapshot for the first time. Of two at once the other one may come again.
    pub fn is_new(&self, snapshot: &Snapshot) -> bool {
        snapshot.walk.swap(self.0, Ordering::Relaxed) != self.0
    }
}

/// What became of the content.
enum End {
    Kept(Kept),
    /// It is what another snapshot holds, but for what that one's [`Undo`] says.
    Before(Next),
    /// The memory had been changed or replaced before, without an announcement.
    Lost,
    /// The capture has ended in which it was taken: what is there when the gradient is taken counts.
    Open,
}

/// A snapshot's copy.
struct Kept {
    /// Contiguous, and shared with nothing.
    copy: Array,
    /// The moment before the memory was overwritten ([`recorder::moment`]).
    moment: u64,
}

/// The snapshot that follows one.
struct Next {
    snapshot: Arc<Snapshot>,
    /// As in [`Kept::moment`].
    moment: u64,
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
                snapshot.wanted.store(true, Ordering::Relaxed);
                return Ok(snapshot);
            }
            // It is lost.
            snapshot.keep()?;
        }
        let counts = ChangeCounts::default();
        if let Some(counted) = counted {
            counts.add(counted);
        }
        let mut snapshot = Snapshot::new(array.with_view(view));
        snapshot.counts = counts;
        snapshot.capture = capture::number();
        snapshot.wanted = AtomicBool::new(true);
        let snapshot = Arc::new(snapshot);
        if let Some(capture) = Capture::current() {
            let taken = Arc::downgrade(&snapshot);
            capture.at_end(Box::new(move || {
                if let Some(snapshot) = taken.upgrade() {
                    snapshot.open();
                }
            }));
        }
        snapshot.enter();
        Ok(snapshot)
    }

    fn new(memory: Array) -> Snapshot {
        Snapshot {
            memory,
            counts: ChangeCounts::default(),
            digest: OnceLock::new(),
            looked: AtomicU64::new(moment()),
            end: OnceLock::new(),
            capture: 0,
            wanted: AtomicBool::new(false),
            walk: AtomicU64::new(0),
            undo: Undo::default(),
        }
    }

    /// Is watched from now on.
    fn enter(self: &Arc<Snapshot>) {
        let mut watch = watch();
        watch.insert(self.memory.view, Arc::downgrade(self));
        WATCHED.store(watch.len(), Ordering::Relaxed);
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

    /// Whether the content is lost: the memory was changed or replaced without an announcement. Of a snapshot that another one
    /// follows, that one is asked too.
    ///
    /// # Errors
    /// There is no memory.
    pub fn is_lost(&self) -> Result<bool> {
        match self.end.get() {
            Some(End::Kept(_) | End::Before(_) | End::Open) => Ok(false),
            Some(End::Lost) => Ok(true),
            None => self.is_changed(),
        }
    }

    /// The copy of all of the content, where there is one.
    pub fn kept(&self) -> Option<&Array> {
        match self.end.get() {
            Some(End::Kept(kept)) => Some(&kept.copy),
            _ => None,
        }
    }

    /// The moment before the memory was overwritten, if that was announced ([`recorder::moment`]).
    pub fn overwritten(&self) -> Option<u64> {
        match self.end.get() {
            Some(End::Kept(kept)) => Some(kept.moment),
            Some(End::Before(next)) => Some(next.moment),
            _ => None,
        }
    }

    /// The snapshot that follows, where this one is part of what it holds.
    pub fn next(&self) -> Option<&Arc<Snapshot>> {
        match self.end.get() {
            Some(End::Before(next)) => Some(&next.snapshot),
            _ => None,
        }
    }

    /// Bytes of copies that this snapshot holds itself.
    pub fn bytes(&self) -> usize {
        let kept = self.kept().map_or(0, |copy| bytes_of(&copy.view));
        kept + self.undo.bytes()
    }

    /// Writes what the array held to memory of the same shape. `held`: the snapshot whose content is there already.
    ///
    /// # Errors
    /// There is no memory, or what the device says.
    pub fn restore(&self, to: &Array, held: Option<&Arc<Snapshot>>, on: Streams) -> Result<()> {
        if self.next().is_some() && !to.view.is_contiguous() {
            let dense = Array::empty(to.view.elem, &extents(&to.view), to.view.device)?;
            self.restore(&dense, None, on)?;
            return write(to, &dense, on);
        }
        let held = held.map(Arc::as_ptr);
        let mut at: &Snapshot = self;
        let mut later: Vec<&Snapshot> = Vec::new();
        while held != Some(std::ptr::from_ref(at)) {
            match at.next() {
                Some(next) => later.push(next),
                None => {
                    write(to, at.kept().unwrap_or(&at.memory), on)?;
                    break;
                }
            }
            at = later[later.len() - 1];
        }
        let start = self.memory.view.arg.data as usize;
        let mut undone = later.iter().rev();
        undone.try_for_each(|snapshot| snapshot.undo.apply(to, start))
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

    /// Keeps no more than what is about to be overwritten, where that is little. Returns whether it is.
    fn finish_part(self: &Arc<Snapshot>, written: &Strided) -> Result<bool> {
        // Changes that nobody announces would be missed later on.
        let counted = !self.counts.is_empty() || self.digest.get().is_some();
        let deferred = self.capture != 0 || capture::capturing();
        if counted || deferred || !self.memory.owner.is_current() {
            return Ok(false);
        }
        let Some(part) = Undo::part(&self.memory, written) else {
            return Ok(false);
        };
        if !self.wanted.load(Ordering::Relaxed) {
            if self.undo.bytes() + bytes_of(&part.view) >= bytes_of(&self.memory.view) {
                return Ok(false);
            }
            self.undo.add(copy_of(&part)?, part.view);
            self.enter();
            return Ok(true);
        }
        let next = Snapshot::new(self.memory.clone());
        next.undo.add(copy_of(&part)?, part.view);
        let snapshot = Arc::new(next);
        snapshot.enter();
        let moment = moment();
        // Nobody else was here, as the caller sees to it.
        let _ = self.end.set(End::Before(Next { snapshot, moment }));
        Ok(true)
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
        // A long chain is not dropped by calls within calls.
        let mut end = self.end.take();
        while let Some(End::Before(next)) = end {
            let last = Arc::into_inner(next.snapshot);
            end = last.and_then(|mut snapshot| snapshot.end.take());
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
    let shape = extents(view);
    let of_capture = |e: Error| e.within("a capture").of_array();
    let to = Array::zeros(view.elem, &shape, view.device).map_err(of_capture)?;
    let (made, from) = (to.clone(), memory.clone());
    let name = "copy";
    recorder::take(|| Command::Copy(Copy { to, from, name }))?;
    Ok(made)
}

fn extents(view: &View) -> SmallVec<[i64; 4]> {
    let layout = view.layout();
    layout.shape().iter().map(|n| i64::from(*n)).collect()
}

fn bytes_of(view: &View) -> usize {
    view.layout().len() * view.elem.size()
}

/// Copies elements between memory that is current.
fn write(to: &Array, from: &Array, on: Streams) -> Result<()> {
    // SAFETY: both have one shape and element, `to` was made for this and nobody else writes it, and the owners keep the memory.
    let outcome = unsafe { copy::copy_on(&to.view, &from.view, on) };
    outcome.map_err(|e| e.within("what a tape keeps").of_array())
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
        let copy = same.find_map(|s| s.kept());
        let outcome = match copy {
            None => match snapshot.finish_part(written) {
                Ok(false) => snapshot.finish(None),
                outcome => outcome.map(|_| ()),
            },
            copy => snapshot.finish(copy),
        };
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
