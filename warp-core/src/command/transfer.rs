//! Fills and copies.

use super::place::Place;
use crate::array::{Array, Owner, View, copy};
use crate::device::cuda::is_pinned;
use crate::device::{Device, Streams};
use crate::error::Result;
use smallvec::SmallVec;

/// One element is written to all of an array.
#[derive(Debug)]
pub struct Fill {
    /// Of whose elements.
    pub to: Array,
    /// Its bytes.
    pub element: SmallVec<[u8; 64]>,
    /// What it is called.
    pub name: &'static str,
}

/// The elements of an array become those of another one of the same type and shape.
#[derive(Debug)]
pub struct Copy {
    /// Written.
    pub to: Array,
    /// Read.
    pub from: Array,
    /// What it is called.
    pub name: &'static str,
}

impl Fill {
    /// Does it.
    ///
    /// # Errors
    /// What the device says.
    pub(super) fn run(&self, streams: Streams) -> Result<()> {
        // SAFETY: the owner keeps the memory; who made the command has checked that it may be written and that the element fits,
        // and who runs it says who else uses it.
        unsafe { copy::fill_on(&self.to.view, &self.element, streams) }
    }
}

impl Copy {
    /// Does it.
    ///
    /// # Errors
    /// What the device says.
    pub(super) fn run(&self, streams: Streams) -> Result<()> {
        // SAFETY: both owners keep their memory; who made the command has checked shapes, elements and whether the target may be
        // written, and who runs it says who else uses them.
        unsafe { copy::copy_on(&self.to.view, &self.from.view, streams) }
    }

    pub(super) fn place(&self) -> Place {
        let (to, from) = (&self.to.view, &self.from.view);
        // The host moves what is not in one piece, and what the GPU cannot reach by itself.
        let reached = |host: &View| host.is_contiguous() && is_pinned(host.arg.data as usize);
        match (to.device, from.device) {
            (a, b) if a == b => Place::of(to),
            (Device::Cpu, gpu) if reached(to) => Place::Gpu(gpu),
            (gpu, Device::Cpu) if reached(from) => Place::Gpu(gpu),
            _ => Place::Host,
        }
    }
}

/// Whether a fill or a copy of an array is quick.
pub fn is_short(view: &View) -> bool {
    view.layout().len() * view.elem.size() <= 1 << 16
}

/// An array in a name: its type and shape.
pub(super) fn shown(view: &View) -> String {
    format!("{}{:?}", view.elem, view.layout().shape())
}

/// Asked before a command is done again: whether the memory of an array is what it was.
///
/// # Errors
/// It has been replaced.
pub(super) fn check(array: &Array) -> Result<()> {
    match array.owner.is_current() || matches!(array.owner, Owner::Annotation(_)) {
        true => Ok(()),
        false => Err(array.owner.moved().within("a graph").of_array()),
    }
}
