//! Memory that the driver moves between host and GPU as they use it.

use super::gpu::Gpu;
use super::unhindered::Unhindered;
use crate::error::Result;
use cudarc::driver::sys::*;

/// New memory.
///
/// # Errors
/// There is not so much, or the driver has no such memory.
pub fn allocate_managed(gpu: &Gpu, size: usize) -> Result<usize> {
    let current = gpu.enter()?;
    let _unhindered = Unhindered::begin();
    let mut address = 0;
    let everybody = CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL as u32;
    // SAFETY: writes an address.
    unsafe {
        current
            .driver()
            .mem_alloc_managed(&raw mut address, size.max(1), everybody)
    }?;
    Ok(address as usize)
}

/// Frees it once the GPU has finished its queued work.
///
/// # Safety
/// [`allocate_managed`] made it, and nothing else uses it any more.
///
/// # Errors
/// What the driver says.
pub unsafe fn free_managed(gpu: &Gpu, address: usize) -> Result<()> {
    let current = gpu.enter()?;
    let _unhindered = Unhindered::begin();
    // SAFETY: promised by the caller.
    unsafe { current.driver().mem_free(address as CUdeviceptr) }
}
