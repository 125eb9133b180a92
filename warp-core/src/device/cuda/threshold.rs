//! The default of how much freed memory a GPU's pool keeps.

use super::driver::Driver;
use crate::error::Result;
use cudarc::driver::sys::*;

/// Has the pool of a device keep a quarter of its memory, unless a threshold was set. The driver's own default is nothing: then
/// each wait for the device gives all of it to the system, and the next arrays cost hundreds of microseconds. Not all of it, as
/// torch does: what the pool keeps other allocators do not get.
///
/// # Errors
/// What the driver says.
pub fn keep_some(driver: &Driver, device: CUdevice, total_memory: usize) -> Result<()> {
    let threshold = CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
    let (mut pool, mut said) = (std::ptr::null_mut(), 0u64);
    let mut keep = total_memory as u64 / 4;
    // SAFETY: each writes or reads what its pointer leads to; the threshold is a number of 64 bits.
    unsafe {
        driver.device_default_pool(&raw mut pool, device)?;
        driver.pool_get_attribute(pool, threshold, (&raw mut said).cast())?;
        match said {
            0 => driver.pool_set_attribute(pool, threshold, (&raw mut keep).cast()),
            _ => Ok(()),
        }
    }
}
