//! Primary contexts: one for each device, as long as somebody retains it.
use super::create::{make, tear_down};
use super::query::check_flags;
use crate::driver::base::{Error, Handle, Result};
use crate::driver::state::{Guard, State};

/// `cuDevicePrimaryCtxRetain`.
pub fn retain(s: &mut State, device: u32) -> Result<Handle> {
    let d = s
        .devices
        .get_mut(device as usize)
        .ok_or(Error::INVALID_DEVICE)?;
    d.primary_uses += 1;
    if let Some(handle) = d.primary {
        return Ok(handle);
    }
    let flags = d.primary_flags;
    let handle = make(s, device, flags, true);
    s.devices[device as usize].primary = Some(handle);
    Ok(handle)
}

/// `cuDevicePrimaryCtxRelease`: the last release frees all.
pub fn release(g: &mut Guard, device: u32) -> Result {
    let d = g
        .devices
        .get_mut(device as usize)
        .ok_or(Error::INVALID_DEVICE)?;
    if d.primary_uses == 0 {
        return Err(Error::INVALID_CONTEXT);
    }
    d.primary_uses -= 1;
    if d.primary_uses == 0
        && let Some(handle) = d.primary.take()
    {
        tear_down(g, handle);
    }
    Ok(())
}

/// `cuDevicePrimaryCtxReset`: frees all and forgets a sticky error; the context is made anew with the same uses.
pub fn reset(g: &mut Guard, device: u32) -> Result {
    let d = g
        .devices
        .get_mut(device as usize)
        .ok_or(Error::INVALID_DEVICE)?;
    d.primary_uses = 0;
    if let Some(handle) = d.primary.take() {
        tear_down(g, handle);
    }
    Ok(())
}

/// `cuDevicePrimaryCtxSetFlags`.
pub fn set_flags(s: &mut State, device: u32, flags: u32) -> Result {
    check_flags(flags)?;
    let d = s
        .devices
        .get_mut(device as usize)
        .ok_or(Error::INVALID_DEVICE)?;
    d.primary_flags = flags;
    let primary = d.primary;
    if let Some(context) = primary.and_then(|handle| s.contexts.get_mut(handle)) {
        context.flags = flags;
    }
    Ok(())
}
