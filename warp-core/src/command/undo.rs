//! Undo logs of snapshots: what was overwritten of an array, in place of a copy of all of it.

use crate::abi::Strided;
use crate::array::{Array, Owner, View, copy, nested_owners};
use crate::device::{Device, Streams};
use crate::error::Result;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A part of an array that is kept by itself holds at most one in this many of its bytes.
const SHARE: usize = 2;

/// What was overwritten of an array, in order.
#[derive(Default)]
pub(super) struct Undo(Mutex<Log>);

#[derive(Default)]
struct Log {
    /// Copies without gaps, and where the elements were.
    parts: Vec<(Array, View)>,
    bytes: usize,
}

impl Undo {
    fn log(&self) -> MutexGuard<'_, Log> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The part of an array that a write to `written` overwrites; None where all of the array is to be kept.
    pub fn part(memory: &Array, written: &Strided) -> Option<Array> {
        let view = &memory.view;
        let (all, bytes) = (view.addresses(), written.bytes());
        let inside = all.start <= bytes.start && bytes.end <= all.end;
        let few = SHARE.saturating_mul(written.len() * written.size) <= all.len();
        // Elsewhere the elements lie alike only where neither has gaps.
        let alike = view.is_contiguous() && written.size == view.elem.size();
        let plain = view.device == Device::Cpu
            && nested_owners::array_descriptors(view.elem).next().is_none();
        // Others may write memory of theirs at any time.
        let own = matches!(memory.owner, Owner::Own(_));
        if !(inside && few && alike && plain && own) {
            return None;
        }
        Some(memory.with_view(View {
            arg: written.array,
            ndim: written.ndim as u8,
            ..*view
        }))
    }

    /// Adds what is about to be overwritten, and where it is.
    pub fn add(&self, copy: Array, at: View) {
        let mut log = self.log();
        log.bytes += copy.view.layout().len() * copy.view.elem.size();
        log.parts.push((copy, at));
    }

    /// Bytes of the copies.
    pub fn bytes(&self) -> usize {
        self.log().bytes
    }

    /// Writes to `to`, which has no gaps, what was overwritten in an array that starts at the address `start`.
    ///
    /// # Errors
    /// What the device says.
    pub fn apply(&self, to: &Array, start: usize) -> Result<()> {
        let log = self.log();
        for (copy, at) in log.parts.iter().rev() {
            let offset = at.arg.data as usize - start;
            let mut part = *at;
            part.arg.data = to.view.arg.data.wrapping_add(offset);
            // SAFETY: the part is as far into `to` as it was into the array, which has the same bytes; the owners keep both.
            unsafe { copy::copy_on(&part, &copy.view, Streams::CURRENT) }?;
        }
        Ok(())
    }
}
