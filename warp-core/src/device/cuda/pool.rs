//! Memory pools of GPUs, and which GPU reaches another one's memory.

use super::gpu::{Gpu, gpu};
use crate::device::kind::Device;
use crate::error::{Bug, Result};
use cudarc::driver::sys::*;

/// A number that the driver keeps of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolFact {
    /// Bytes that it keeps when it could give them back.
    ReleaseThreshold,
    /// Bytes in use.
    Used,
    /// Bytes in use at most.
    UsedHigh,
}

impl PoolFact {
    const fn attribute(self) -> CUmemPool_attribute {
        match self {
            PoolFact::ReleaseThreshold => CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
            PoolFact::Used => CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT,
            PoolFact::UsedHigh => CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_HIGH,
        }
    }
}

fn pool(gpu: &Gpu) -> Result<CUmemoryPool> {
    let current = gpu.enter()?;
    let mut pool = std::ptr::null_mut();
    // SAFETY: writes a handle.
    unsafe {
        current
            .driver()
            .device_default_pool(&raw mut pool, gpu.handle)
    }?;
    Ok(pool)
}

/// A number of a GPU's pool.
///
/// # Errors
/// What the driver says.
pub fn pool_fact(gpu: &Gpu, fact: PoolFact) -> Result<u64> {
    let (pool, current) = (pool(gpu)?, gpu.enter()?);
    let mut value = 0u64;
    // SAFETY: these facts are numbers of 64 bits.
    unsafe {
        current
            .driver()
            .pool_get_attribute(pool, fact.attribute(), (&raw mut value).cast())
    }?;
    Ok(value)
}

/// Sets how many bytes a GPU's pool keeps.
///
/// # Errors
/// What the driver says.
pub fn set_release_threshold(gpu: &Gpu, bytes: u64) -> Result<()> {
    let (pool, current) = (pool(gpu)?, gpu.enter()?);
    let mut value = bytes;
    let fact = PoolFact::ReleaseThreshold.attribute();
    // SAFETY: as above.
    unsafe {
        current
            .driver()
            .pool_set_attribute(pool, fact, (&raw mut value).cast())
    }
}

/// Whether `peer` can be let reach the memory of `target`.
///
/// # Errors
/// What the driver says.
pub fn can_reach(target: &Gpu, peer: &Gpu) -> Result<bool> {
    if target.ordinal == peer.ordinal {
        return Ok(true);
    }
    let current = peer.enter()?;
    let mut can = 0;
    // SAFETY: writes an integer.
    unsafe {
        current
            .driver()
            .peer_can_access(&raw mut can, peer.handle, target.handle)
    }?;
    Ok(can != 0)
}

fn context(gpu: &Gpu) -> Result<CUcontext> {
    let _entered = gpu.enter()?;
    let handle = gpu
        .context_handle()
        .ok_or_else(|| Bug("a context was entered that there is not".into()))?;
    Ok(handle as CUcontext)
}

/// Lets `peer` reach the memory of `target` that comes from no pool, or not. True if that is new.
///
/// # Errors
/// What the driver says.
pub fn set_peer_access(target: &Gpu, peer: &Gpu, enable: bool) -> Result<bool> {
    if target.ordinal == peer.ordinal {
        return Ok(false);
    }
    let other = context(target)?;
    let current = peer.enter()?;
    // SAFETY: both contexts are there.
    let (done, already) = unsafe {
        match enable {
            true => (
                current.driver().peer_enable(other, 0),
                ["PEER_ACCESS_ALREADY_ENABLED", "error 704"],
            ),
            false => (
                current.driver().peer_disable(other),
                ["PEER_ACCESS_NOT_ENABLED", "error 705"],
            ),
        }
    };
    match done {
        Ok(()) => Ok(true),
        Err(e) if already.iter().any(|said| e.message.contains(said)) => Ok(false),
        Err(e) => Err(e),
    }
}

/// Whether `peer` may reach the memory of `target` that comes from no pool. The driver says so only when it is changed.
///
/// # Errors
/// What the driver says.
pub fn has_peer_access(target: &Gpu, peer: &Gpu) -> Result<bool> {
    if target.ordinal == peer.ordinal {
        return Ok(true);
    }
    if !can_reach(target, peer)? {
        return Ok(false);
    }
    let new = set_peer_access(target, peer, true)?;
    if new {
        set_peer_access(target, peer, false)?;
    }
    Ok(!new)
}

const fn location(peer: &Gpu) -> CUmemLocation {
    CUmemLocation {
        type_: CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE,
        id: peer.handle,
    }
}

/// Lets `peer` reach the memory of the pool of `target`, or not.
///
/// # Errors
/// What the driver says.
pub fn set_pool_access(target: &Gpu, peer: &Gpu, enable: bool) -> Result<()> {
    if target.ordinal == peer.ordinal {
        return Ok(());
    }
    let (pool, current) = (pool(target)?, target.enter()?);
    let access = CUmemAccessDesc {
        location: location(peer),
        flags: match enable {
            true => CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
            false => CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE,
        },
    };
    // SAFETY: one description is read.
    unsafe { current.driver().pool_set_access(pool, &raw const access, 1) }
}

/// Whether `peer` may reach the memory of the pool of `target`.
///
/// # Errors
/// What the driver says.
pub fn has_pool_access(target: &Gpu, peer: &Gpu) -> Result<bool> {
    if target.ordinal == peer.ordinal {
        return Ok(true);
    }
    let (pool, current) = (pool(target)?, target.enter()?);
    let mut flags = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE;
    let mut place = location(peer);
    // SAFETY: writes one of three values.
    unsafe {
        current
            .driver()
            .pool_get_access(&raw mut flags, pool, &raw mut place)
    }?;
    Ok(flags == CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
}

/// Whether kernels on `device` reach memory at an address of `home`.
pub fn reaches(device: Device, home: Device, address: usize) -> bool {
    match (device, home) {
        (a, b) if a == b => true,
        (Device::Cuda(_), Device::Cpu) => super::gpu::is_pinned(address),
        (Device::Cuda(peer), Device::Cuda(target)) => {
            let both = gpu(target).and_then(|target| Ok((target, gpu(peer)?)));
            // Which of the two ways memory came is not known here, so both must lead to it.
            both.is_ok_and(|(target, peer)| {
                let pool = !target.has_pools || has_pool_access(target, peer).unwrap_or(false);
                pool && has_peer_access(target, peer).unwrap_or(false)
            })
        }
        _ => false,
    }
}
