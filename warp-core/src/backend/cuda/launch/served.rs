//! What GPUs do for the objects that lie on them.

use crate::abi::object::GridObject;
use crate::backend::cuda::launch::state::State;
use crate::backend::cuda::memory::deferred::{Deferred, give_back};
use crate::device::Device;
use crate::device::cuda::gpu_of;
use crate::error::Result;
use crate::objects::{Gpus, serve_gpus};
use std::any::Any;

/// Lets objects lie on GPUs.
pub fn serve() {
    serve_gpus(Gpus { tell, later });
}

fn tell(device: Device, slot: usize, id: u64, address: u64) -> Result<()> {
    let gpu = gpu_of(device)?;
    let objects = State::of(gpu)?.objects(gpu)?;
    objects.write(gpu, slot, GridObject { id, address })
}

fn later(what: Box<dyn Any + Send>) {
    // SAFETY: an owner is not memory of the driver's.
    unsafe { give_back(Deferred::Owner(what)) };
}
