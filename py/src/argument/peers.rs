//! Arrays of one GPU in launches on another one that reaches their memory.

use crate::object::Array;
use crate::runtime::cuda_memory::reaches_array;
use std::sync::atomic::{AtomicBool, Ordering};
use warp_core::device::cuda::device_of_address;
use warp_core::device::{Device, cuda};
use warp_core::ir::ParamType;
use warp_core::launch::Block;
use warp_core::module::Program;

/// Whether any launch had such an argument. From then on all are looked at.
static ANY: AtomicBool = AtomicBool::new(false);

/// Whether any launch had such an argument.
#[inline(always)]
pub fn any() -> bool {
    ANY.load(Ordering::Relaxed)
}

/// Whether a launch on `device` reaches an array that lies on another GPU.
#[cold]
pub fn array_is_reached(device: Device, array: &Array) -> bool {
    let (home, reached) = (array.view().device, || reaches_array(device, array));
    noted(device != Device::Cpu && home != Device::Cpu && reached())
}

/// Whether a launch on `device` reaches memory of another GPU, whose allocator is unknown.
#[cold]
pub fn is_reached(device: Device, home: Device, address: usize) -> bool {
    let reached = || cuda::reaches(device, home, address);
    noted(device != Device::Cpu && home != Device::Cpu && reached())
}

/// Whether any array of a launch on `device` lies on another GPU.
#[cold]
pub fn are_reached(program: &Program, block: &Block, device: Device) -> bool {
    let params = program.func.arguments();
    let mut arrays = params.iter().zip(&program.layout.offsets);
    device != Device::Cpu
        && arrays.any(|(param, offset)| {
            let address = match param.ty {
                ParamType::Array { .. } => block.array(*offset).data as usize,
                _ => 0,
            };
            address != 0 && device_of_address(address).is_some_and(|home| home != device)
        })
}

fn noted(reached: bool) -> bool {
    if reached {
        ANY.store(true, Ordering::Relaxed);
    }
    reached
}
