//! How much of a device's memory is in use, by allocations and by what pools keep.
use crate::driver::base::{Error, Handle, Result};
use crate::driver::state::{Guard, Pool, State};

/// Counts bytes against the device's memory. Pools give back what they do not use before it is refused.
pub fn charge(g: &mut Guard, device: u32, bytes: u64) -> Result {
    if g.devices[device as usize].charge(bytes).is_ok() {
        return Ok(());
    }
    trim_device(g, device);
    g.devices[device as usize].charge(bytes)
}

/// A pool that was not destroyed.
pub fn find_pool(s: &mut State, pool: Handle) -> Result<&mut Pool> {
    s.pools
        .get_mut(pool)
        .filter(|p| !p.destroyed)
        .ok_or(Error::INVALID_VALUE)
}

/// Counts an allocation; the pool takes more of the device's memory if it has to.
pub fn charge_pool(g: &mut Guard, handle: Handle, bytes: u64) -> Result {
    let pool = find_pool(g, handle)?;
    let (device, needed) = (
        pool.device,
        (pool.used + bytes).saturating_sub(pool.reserved),
    );
    if g.devices[device as usize].charge(needed).is_err() {
        trim_device(g, device);
        // Trimming may have taken from this pool as well.
        let pool = find_pool(g, handle)?;
        let needed = (pool.used + bytes).saturating_sub(pool.reserved);
        g.devices[device as usize].charge(needed)?;
    }
    let pool = find_pool(g, handle)?;
    pool.used += bytes;
    pool.used_high = pool.used_high.max(pool.used);
    pool.reserved = pool.reserved.max(pool.used);
    pool.reserved_high = pool.reserved_high.max(pool.reserved);
    Ok(())
}

/// Counts a free. The pool keeps the memory until something synchronises.
pub fn release_pool(s: &mut State, handle: Handle, bytes: u64) {
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
pub fn trim(s: &mut State, handle: Handle, keep: u64) {
    let Some(pool) = s.pools.get_mut(handle) else {
        return;
    };
    let kept = pool.reserved.min(keep.max(pool.used));
    let (device, freed) = (pool.device, pool.reserved - kept);
    pool.reserved = kept;
    s.devices[device as usize].release(freed);
}

/// A synchronisation: each pool gives back what exceeds its release threshold.
pub fn trim_pools(s: &mut State) {
    for handle in s.pools.handles() {
        let threshold = s.pools.get(handle).map_or(0, |p| p.threshold);
        trim(s, handle, threshold);
    }
}

/// Makes the pools of a device give back all that is not in use.
fn trim_device(s: &mut State, device: u32) {
    for handle in s.pools.handles() {
        if s.pools.get(handle).is_some_and(|p| p.device == device) {
            trim(s, handle, 0);
        }
    }
}
