//! Whether tapes of this thread record: asked by everything that a tape may record.

use crate::object::Array;
use pyo3::prelude::*;
use std::any::Any;
use std::sync::Arc;
use warp_core::command::{Command, Recorder, recorder};
use warp_core::error::Result as Outcome;

/// A tape, as far as those know it who do something that it records.
pub trait Tape: Any + Send + Sync {
    /// Is told that an array is about to be filled, which has a gradient: it ends there.
    fn filled(&self, array: Bound<'_, Array>);
}

/// A tape among the recorders of a thread. Where gradients are, only Python's objects say: so it is told of launches and fills by
/// those who have these, and commands tell it nothing.
pub struct Taping(pub Arc<dyn Tape>);

impl Recorder for Taping {
    fn defers(&self) -> bool {
        false
    }
    fn take(&self, _: Command) -> Outcome<()> {
        Ok(())
    }
}

/// Whether a tape of this thread records.
#[inline]
pub fn active() -> bool {
    recorder::active() && recorder::has::<Taping>()
}

/// The tape of this thread that records.
pub fn current() -> Option<Arc<Taping>> {
    recorder::find()
}

/// Says that a tape of this thread records, from the moment on that is returned.
pub fn enter(tape: Arc<dyn Tape>) -> u64 {
    recorder::push(Arc::new(Taping(tape)))
}

/// Says that it does no more, from the moment on that is returned; None if it does not record on this thread.
pub fn leave(tape: &dyn Tape) -> Option<u64> {
    let own = std::ptr::from_ref(tape);
    let taping = current().filter(|taping| std::ptr::addr_eq(Arc::as_ptr(&taping.0), own))?;
    recorder::remove(&*taping)
}
