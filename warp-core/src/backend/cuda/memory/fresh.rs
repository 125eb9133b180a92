//! Memory that the driver gives.

use crate::device::Stream;
use crate::device::cuda::{Current, Gpu, Unhindered};
use crate::error::Result;
use cudarc::driver::sys::{CUdeviceptr, CUstream};

/// New memory, and whether it came at once, from no pool.
///
/// # Errors
/// What the driver says.
pub fn take(
    gpu: &Gpu,
    current: &Current,
    room: usize,
    stream: Stream,
) -> Result<(CUdeviceptr, bool)> {
    let mut address = 0;
    let direct = !gpu.uses_pools();
    // SAFETY: writes an address.
    unsafe {
        if direct {
            let _unhindered = Unhindered::begin();
            current.driver().mem_alloc(&raw mut address, room)
        } else {
            current
                .driver()
                .mem_alloc_async(&raw mut address, room, stream.handle as CUstream)
        }
    }?;
    Ok((address, direct))
}
