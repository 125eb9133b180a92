//! Objects in the memory of GPUs, whose kernels look ids up in a table of the GPU's own.
//!
//! Kernels run some time after they were launched. So what a GPU knows of an object that is gone, its memory and its slot stay until
//! all work that GPUs had been given by then is done.

use super::block::Block;
use crate::device::Device;
use crate::error::{Bug, Result};
use std::any::Any;
use std::sync::OnceLock;

/// What GPUs do for objects.
#[derive(Clone, Copy, Debug)]
pub struct Gpus {
    /// Writes an entry of the table of a GPU: slot, id and address.
    pub tell: fn(Device, usize, u64, u64) -> Result<()>,
    /// Lets go of something once all GPUs have done what they were given.
    pub later: fn(Box<dyn Any + Send>),
}

static GPUS: OnceLock<Gpus> = OnceLock::new();

/// Says what GPUs do, before there is an object on one.
pub fn serve_gpus(by: Gpus) {
    GPUS.get_or_init(|| by);
}

/// Tells a GPU of an object.
pub(super) fn tell(device: Device, slot: usize, id: u64, address: u64) -> Result<()> {
    match GPUS.get() {
        Some(gpus) => (gpus.tell)(device, slot, id, address),
        None => Err(Bug(format!("nobody serves objects on \"{device}\"")).into()),
    }
}

/// Lets go of something once GPUs have done what they were given.
pub fn drop_later(what: Box<dyn Any + Send>) {
    if let Some(gpus) = GPUS.get() {
        (gpus.later)(what);
    }
}

/// What is left of an object on a GPU.
struct Gone {
    slot: usize,
    block: Box<dyn Block>,
    free: fn(usize),
}

impl Drop for Gone {
    fn drop(&mut self) {
        // An error is that of a driver that has ended: then nobody asks.
        let _ = tell(self.block.device(), self.slot, 0, 0);
        (self.free)(self.slot);
    }
}

/// Frees the slot and the memory of an object once GPUs have done what they were given.
pub(super) fn end_later(slot: usize, block: Box<dyn Block>, free: fn(usize)) {
    if let Some(gpus) = GPUS.get() {
        (gpus.later)(Box::new(Gone { slot, block, free }));
    }
}
