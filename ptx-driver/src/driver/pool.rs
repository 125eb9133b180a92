//! Memory pools. Only their accounts are kept: addresses are never used again, so nothing is truly cached.
use super::error::{Error, Result};
use super::handle::Handle;
use super::memory::Home;
use super::state::{Guard, State};

pub struct Pool {
    pub device: u32,
    /// The device's own: it cannot be destroyed.
    pub default: bool,
    /// Devices that may touch its memory, as bits.
    pub admitted: u64,
    pub threshold: u64,
    pub used: u64,
    pub used_high: u64,
    pub reserved: u64,
    pub reserved_high: u64,
    /// Follow event dependencies, allow opportunistic reuse, allow internal dependencies.
    pub reuse: [i32; 3],
    pub destroyed: bool,
}

impl Pool {
    pub fn new(device: u32, default: bool) -> Pool {
        Pool {
            device,
            default,
            admitted: 1 << device,
            threshold: 0,
            used: 0,
            used_high: 0,
            reserved: 0,
            reserved_high: 0,
            reuse: [1; 3],
            destroyed: false,
        }
    }
}

fn find(s: &mut State, pool: Handle) -> Result<&mut Pool> {
    s.pools
        .get_mut(pool)
        .filter(|p| !p.destroyed)
        .ok_or(Error::INVALID_VALUE)
}

/// `cuMemPoolCreate`.
pub fn create(
    s: &mut State,
    allocation: u32,
    handles: u32,
    location: u32,
    device: i32,
) -> Result<Handle> {
    let device = super::device::check(s, device)?;
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
    let pool = find(s, handle)?;
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

/// Counts an allocation; the pool takes more of the device's memory if it has to.
pub fn take(g: &mut Guard, handle: Handle, bytes: u64) -> Result {
    let pool = find(g, handle)?;
    let (device, needed) = (
        pool.device,
        (pool.used + bytes).saturating_sub(pool.reserved),
    );
    if g.devices[device as usize].take(needed).is_err() {
        trim_device(g, device);
        // Trimming may have taken from this pool as well.
        let pool = find(g, handle)?;
        let needed = (pool.used + bytes).saturating_sub(pool.reserved);
        g.devices[device as usize].take(needed)?;
    }
    let pool = find(g, handle)?;
    pool.used += bytes;
    pool.used_high = pool.used_high.max(pool.used);
    pool.reserved = pool.reserved.max(pool.used);
    pool.reserved_high = pool.reserved_high.max(pool.reserved);
    Ok(())
}

/// Counts a free. The pool keeps the memory until something synchronises.
pub fn give(s: &mut State, handle: Handle, bytes: u64) {
    let Some(pool) = s.pools.get_mut(handle) else {
        return;
    };
    pool.used = pool.used.saturating_sub(bytes);
    if pool.destroyed {
        let empty = pool.used == 0;
        trim(s, handle, 0);
        if empty {
            s.pools.remove(handle);
        }
    }
}

/// Gives memory back to the device until the pool keeps `keep` bytes, or what is in use.
fn trim(s: &mut State, handle: Handle, keep: u64) {
    let Some(pool) = s.pools.get_mut(handle) else {
        return;
    };
    let kept = pool.reserved.min(keep.max(pool.used));
    let (device, freed) = (pool.device, pool.reserved - kept);
    pool.reserved = kept;
    s.devices[device as usize].release(freed);
}

/// `cuMemPoolTrimTo`.
pub fn trim_to(s: &mut State, handle: Handle, keep: u64) -> Result {
    find(s, handle)?;
    trim(s, handle, keep);
    Ok(())
}

/// A synchronisation: each pool gives back what exceeds its release threshold.
pub fn release_all(s: &mut State) {
    for handle in s.pools.handles() {
        let threshold = s.pools.get(handle).map_or(0, |p| p.threshold);
        trim(s, handle, threshold);
    }
}

/// Makes the pools of a device give back all that is not in use.
pub fn trim_device(s: &mut State, device: u32) {
    for handle in s.pools.handles() {
        if s.pools.get(handle).is_some_and(|p| p.device == device) {
            trim(s, handle, 0);
        }
    }
}

/// The value of an attribute. Those up to 3 are `int`, the others 64 bits wide.
pub fn attribute(s: &mut State, handle: Handle, attribute: u32) -> Result<u64> {
    let pool = find(s, handle)?;
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
    let pool = find(s, handle)?;
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
    let device = super::device::check(s, device)?;
    let peer = s.settings.peer;
    let pool = find(s, handle)?;
    match flags {
        3 if device == pool.device || peer => pool.admitted |= 1 << device,
        3 => return Err(Error::INVALID_DEVICE),
        // A device cannot be denied its own memory.
        0 if device != pool.device => pool.admitted &= !(1 << device),
        _ => return Err(Error::INVALID_VALUE),
    }
    let now = pool.admitted;
    s.memory.change(|a| {
        if let Home::Pool { pool, admitted, .. } = &mut a.home
            && *pool == handle
        {
            *admitted = now;
        }
    });
    Ok(())
}

/// `cuMemPoolGetAccess`.
pub fn access(s: &mut State, handle: Handle, device: i32) -> Result<u32> {
    let device = super::device::check(s, device)?;
    let pool = find(s, handle)?;
    Ok(if pool.admitted >> device & 1 == 1 {
        3
    } else {
        0
    })
}

/// `cuDeviceSetMemPool`: the pool that `cuMemAllocAsync` takes from.
pub fn set_current(s: &mut State, device: i32, handle: Handle) -> Result {
    let device = super::device::check(s, device)?;
    if find(s, handle)?.device != device {
        return Err(Error::INVALID_VALUE);
    }
    s.devices[device as usize].pool = handle;
    Ok(())
}
