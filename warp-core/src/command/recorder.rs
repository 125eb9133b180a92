//! Recorders: who takes what a thread does, or is told of it.
//!
//! Each thread has a stack of them. One that defers takes commands in place of doing them; the innermost of these gets them.
//! Those that listen are told of all commands ([`super::perform`]); what no command says, such as a gradient of Python's, those tell
//! who know it.

use super::data::Command;
use crate::array::{Array, View};
use crate::error::Result;
use std::any::Any;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// What memory held when it was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// Nothing that matters.
    Any,
    /// Zeros.
    Zeros,
    /// What is in it.
    Content,
}

/// On all threads.
static ACTIVE: AtomicUsize = AtomicUsize::new(0);
/// Grows each time that a recorder begins or ceases to record.
static MOMENT: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static STACK: RefCell<Stack> = const { RefCell::new(Stack(Vec::new())) };
}

/// The recorders of a thread, the innermost last.
struct Stack(Vec<Arc<dyn Recorder>>);

impl Drop for Stack {
    fn drop(&mut self) {
        ACTIVE.fetch_sub(self.0.len(), Ordering::Relaxed);
    }
}

/// Who takes what a thread does, or is told of it ([`super::perform`]).
pub trait Recorder: Any + Send + Sync {
    /// Whether commands are not done while this records, but later.
    fn defers(&self) -> bool;

    /// Takes a command. Only one that defers is asked.
    ///
    /// # Errors
    /// It cannot have the command, or has no memory for it.
    fn take(&self, command: Command) -> Result<()>;

    /// Whether it is told of commands.
    fn listens(&self) -> bool {
        self.defers()
    }

    /// Is told of a command that is about to be done or taken, before what it overwrites is kept.
    ///
    /// # Errors
    /// It cannot go on with the command; this is not done then.
    fn before(&self, _command: &Command) -> Result<()> {
        Ok(())
    }

    /// The same once that is kept: a snapshot that is taken now is of what the command leaves.
    ///
    /// # Errors
    /// As [`Recorder::before`].
    fn after(&self, _command: &Command) -> Result<()> {
        Ok(())
    }

    /// Is told that memory is new, and what it holds. Returns whether that is its business, and no outer one's.
    fn made(&self, _array: &Array, _start: Start) -> bool {
        false
    }

    /// Is asked before the content of memory is looked at.
    ///
    /// # Errors
    /// The content exists later.
    fn look(&self, _view: &View, _what: &str) -> Result<()> {
        Ok(())
    }
}

/// Whether any thread has a recorder: everything that one may have to know of asks here first.
#[inline(always)]
pub fn active() -> bool {
    ACTIVE.load(Ordering::Relaxed) != 0
}

/// The moment that it is: how often recorders began and ceased to record.
pub fn moment() -> u64 {
    MOMENT.load(Ordering::Relaxed)
}

/// Makes a recorder the innermost one of this thread, from the moment on that is returned.
pub fn push(recorder: Arc<dyn Recorder>) -> u64 {
    STACK.with_borrow_mut(|stack| stack.0.push(recorder));
    ACTIVE.fetch_add(1, Ordering::Relaxed);
    MOMENT.fetch_add(1, Ordering::Relaxed) + 1
}

/// Takes a recorder from the stack of this thread, from the moment on that is returned; None if it is not there.
pub fn remove(recorder: &dyn Recorder) -> Option<u64> {
    let own = std::ptr::from_ref(recorder);
    let found = STACK.with_borrow_mut(|stack| {
        let mut all = stack.0.iter();
        let at = all.rposition(|other| std::ptr::addr_eq(Arc::as_ptr(other), own))?;
        Some(stack.0.remove(at))
    });
    // Outside of the borrow: it may be the last reference.
    let removed = found.is_some();
    drop(found);
    removed.then(|| {
        ACTIVE.fetch_sub(1, Ordering::Relaxed);
        MOMENT.fetch_add(1, Ordering::Relaxed) + 1
    })
}

/// The innermost recorder of a type on this thread.
pub fn find<R: Recorder>() -> Option<Arc<R>> {
    if !active() {
        return None;
    }
    STACK.with_borrow(|stack| {
        let all = stack.0.iter().rev();
        all.cloned()
            .find_map(|recorder| (recorder as Arc<dyn Any + Send + Sync>).downcast().ok())
    })
}

/// Whether there is a recorder of a type on this thread.
pub fn has<R: Recorder>() -> bool {
    active()
        && STACK.with_borrow(|stack| {
            let mut all = stack.0.iter();
            all.any(|recorder| (&**recorder as &dyn Any).is::<R>())
        })
}

/// Whether this thread has a recorder that is told of commands: others need none to be made.
#[inline(always)]
pub fn listening() -> bool {
    active() && STACK.with_borrow(|stack| stack.0.iter().any(|recorder| recorder.listens()))
}

/// The innermost recorder of this thread that defers.
pub fn deferring() -> Option<Arc<dyn Recorder>> {
    if !active() {
        return None;
    }
    STACK.with_borrow(|stack| {
        let mut all = stack.0.iter().rev();
        all.find(|recorder| recorder.defers()).cloned()
    })
}

/// Offers a command to the recorders of this thread; true if one has taken it, so that it is not to be done now.
///
/// # Errors
/// The recorder cannot have it.
#[inline(always)]
pub fn take(command: impl FnOnce() -> Command) -> Result<bool> {
    match deferring() {
        None => Ok(false),
        Some(recorder) => recorder.take(command()).map(|()| true),
    }
}

/// The recorders of this thread, the innermost first.
pub(super) fn all() -> Vec<Arc<dyn Recorder>> {
    STACK.with_borrow(|stack| stack.0.iter().rev().cloned().collect())
}

/// Says that memory is new, and what it holds.
#[inline(always)]
pub fn made(array: &Array, start: Start) {
    if active() {
        all().iter().any(|recorder| recorder.made(array, start));
    }
}

/// Asks the recorders of this thread before the content of memory is looked at.
///
/// # Errors
/// One puts off what writes the content.
pub fn look(view: &View, what: &str) -> Result<()> {
    match active() {
        true => all()
            .iter()
            .try_for_each(|recorder| recorder.look(view, what)),
        false => Ok(()),
    }
}
