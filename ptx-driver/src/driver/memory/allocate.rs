//! `cuMemAlloc` and its kin.
use crate::driver::base::{Error, Handle, Result};
use crate::driver::state::memory::Origin;
use crate::driver::state::{Guard, State};
use crate::driver::{capture, device, execute};

/// `cuMemAlloc`.
pub fn allocate(g: &mut Guard, context: Handle, bytes: u64) -> Result<u64> {
    capture::refuse_unsafe(g)?;
    let device = g.device_of(context)?;
    if bytes == 0 {
        return Err(Error::INVALID_VALUE);
    }
    device::charge(g, device, bytes)?;
    let made = g
        .memory
        .reserve(bytes, Origin::Context(context), context, device);
    let base = made.and_then(|base| g.memory.map(base).map(|()| base));
    if base.is_err() {
        g.devices[device as usize].release(bytes);
    }
    base
}

/// `cuMemFree`: waits for all work of the context first, as the hardware's driver does.
pub fn free(g: &mut Guard, address: u64) -> Result {
    capture::refuse_unsafe(g)?;
    let a = g
        .memory
        .find(address)
        .filter(|a| a.base == address)
        .ok_or(Error::INVALID_VALUE)?;
    if a.internal || matches!(a.origin, Origin::Host { .. }) {
        return Err(Error::INVALID_VALUE);
    }
    let owner = a.context;
    execute::finish_context(g, owner);
    g.check_sticky_error(owner)?;
    // Another thread may have freed it while the work was executed.
    let ticket = g.next_ticket();
    match g.memory.at_mut(address) {
        Some(a) if a.freed.is_none() => a.freed = Some(ticket),
        _ => return Err(Error::INVALID_VALUE),
    }
    execute::memory::free(g, address);
    Ok(())
}

/// `cuMemGetInfo`: free and total bytes of the context's device.
pub fn info(s: &State, context: Handle) -> Result<(usize, usize)> {
    let device = s.device_of(context)?;
    let total = s.settings.memory;
    Ok((
        total.saturating_sub(s.devices[device as usize].used) as usize,
        total as usize,
    ))
}

/// `cuMemGetAddressRange`.
pub fn address_range(s: &State, address: u64) -> Result<(u64, usize)> {
    let a = s.memory.find(address).ok_or(Error::NOT_FOUND)?;
    Ok((a.base, a.bytes as usize))
}
