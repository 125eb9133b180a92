//! Pinned memory of the host: GPUs copy from and to it while the caller goes on.
//!
//! Freed memory waits until all streams have finished their queued work, since copies may still read or write it.

use crate::backend::cuda::memory::deferred::{Deferred, any, give_back, settle};
use crate::backend::memory::{Content, Memory, Origin};
use crate::device::cuda::Unhindered;
use crate::error::{Code, Error, Result};
use cudarc::driver::sys::*;
use std::ffi::c_void;
use std::ptr::NonNull;

/// New memory of the host that is pinned; None on a machine without GPUs.
///
/// # Errors
/// [`Code::Memory`] if there is not so much.
pub fn allocate(size: usize, content: Content) -> Result<Option<Memory>> {
    let Some(gpu) = any() else { return Ok(None) };
    settle();
    let current = gpu.enter()?;
    let _unhindered = Unhindered::begin();
    let mut base: *mut c_void = std::ptr::null_mut();
    let flags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
    let room = size.max(1);
    // SAFETY: writes an address.
    unsafe { current.driver().mem_host_alloc(&raw mut base, room, flags) }?;
    let lacking = || {
        Error::new(
            Code::Memory,
            format!("there are no {size} bytes of memory to be pinned"),
        )
    };
    let data = NonNull::new(base.cast::<u8>()).ok_or_else(lacking)?;
    if content == Content::Zeros {
        // SAFETY: new memory of this size, which the host writes like any other.
        unsafe { data.write_bytes(0, room) };
    }
    let base = base as usize;
    Ok(Some(Memory {
        data,
        size,
        base,
        origin: Origin::Pinned,
    }))
}

/// Frees pinned memory once streams have finished their queued work.
///
/// # Safety
/// [`allocate`] made it, it is given back once, and nothing uses it but what streams were given before.
pub unsafe fn release(memory: &Memory) {
    // SAFETY: promised by the caller.
    unsafe { give_back(Deferred::Host(memory.base)) };
}
