//! Memory pools: `cuMemPool...`.
use super::accounts::{find_pool, trim};
use super::identity::by_ordinal;
use crate::driver::base::{Error, Handle, Result};
use crate::driver::state::memory::Origin;
use crate::driver::state::{Pool, State};

/// `cuMemPoolCreate`.
pub fn create(
    s: &mut State,
    allocation: u32,
    handles: u32,
    location: u32,
    device: i32,
) -> Result<Handle> {
    let device = by_ordinal(s, device)?;
    if allocation != 1 || location != 1 {
        return Err(Error::INVALID_VALUE);
    }
    if handles != 0 {
        // Sharing with other processes needs file descriptors of memory, which there are none of.
        return Err(Error::NOT_SUPPORTED);
    }
    Ok(s.pools.insert(Pool::new(device, false)))
}

/// `cuMemPoolDestroy`: what was allocated from it stays until it is freed.
pub fn destroy(s: &mut State, handle: Handle) -> Result {
    let pool = find_pool(s, handle)?;
    if pool.default {
        return Err(Error::INVALID_VALUE);
    }
    pool.destroyed = true;
    let (device, used) = (pool.device, pool.used);
    trim(s, handle, 0);
    let d = &mut s.devices[device as usize];
    if d.pool == handle {
        d.pool = d.default_pool;
    }
    if used == 0 {
        s.pools.remove(handle);
    }
    Ok(())
}

/// `cuMemPoolTrimTo`.
pub fn trim_to(s: &mut State, handle: Handle, keep: u64) -> Result {
    find_pool(s, handle)?;
    trim(s, handle, keep);
    Ok(())
}

/// The value of an attribute. Those up to 3 are `int`, the others 64 bits wide.
pub fn attribute(s: &mut State, handle: Handle, attribute: u32) -> Result<u64> {
    let pool = find_pool(s, handle)?;
    Ok(match attribute {
        1..=3 => pool.reuse[attribute as usize - 1] as u64,
        4 => pool.threshold,
        5 => pool.reserved,
        6 => pool.reserved_high,
        7 => pool.used,
        8 => pool.used_high,
        _ => return Err(Error::INVALID_VALUE),
    })
}

/// `cuMemPoolSetAttribute`. A high mark can only be set back, by zero.
pub fn set_attribute(s: &mut State, handle: Handle, attribute: u32, value: u64) -> Result {
    let pool = find_pool(s, handle)?;
    match attribute {
        1..=3 => pool.reuse[attribute as usize - 1] = value as i32,
        4 => pool.threshold = value,
        6 if value == 0 => pool.reserved_high = pool.reserved,
        8 if value == 0 => pool.used_high = pool.used,
        _ => return Err(Error::INVALID_VALUE),
    }
    Ok(())
}

/// `cuMemPoolSetAccess` for one device: flags 0 none, 3 read and write.
pub fn set_access(s: &mut State, handle: Handle, device: i32, flags: u32) -> Result {
    let device = by_ordinal(s, device)?;
    let peer = s.settings.peer;
    let pool = find_pool(s, handle)?;
    match flags {
        3 if device == pool.device || peer => pool.accessible |= 1 << device,
        3 => return Err(Error::INVALID_DEVICE),
        // A device cannot be denied its own memory.
        0 if device != pool.device => pool.accessible &= !(1 << device),
        _ => return Err(Error::INVALID_VALUE),
    }
    let now = pool.accessible;
    s.memory.update_all(|a| {
        if let Origin::Pool {
            pool, accessible, ..
        } = &mut a.origin
            && *pool == handle
        {
            *accessible = now;
        }
    });
    Ok(())
}

/// `cuMemPoolGetAccess`.
pub fn access(s: &mut State, handle: Handle, device: i32) -> Result<u32> {
    let device = by_ordinal(s, device)?;
    let pool = find_pool(s, handle)?;
    Ok(if pool.accessible >> device & 1 == 1 {
        3
    } else {
        0
    })
}

/// `cuDeviceSetMemPool`: the pool that `cuMemAllocAsync` takes from.
pub fn set_current(s: &mut State, device: i32, handle: Handle) -> Result {
    let device = by_ordinal(s, device)?;
    if find_pool(s, handle)?.device != device {
        return Err(Error::INVALID_VALUE);
    }
    s.devices[device as usize].pool = handle;
    Ok(())
}
