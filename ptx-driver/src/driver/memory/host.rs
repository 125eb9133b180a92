//! Pinned memory of the host.
use crate::driver::base::{Error, Handle, Result};
use crate::driver::state::memory::Origin;
use crate::driver::state::{Guard, State};
use crate::driver::{capture, execute};

/// `cuMemHostAlloc`: flags portable, device map, write combined.
pub fn allocate(g: &mut Guard, context: Handle, bytes: u64, flags: u32) -> Result<u64> {
    capture::refuse_unsafe(g)?;
    if flags & !7 != 0 {
        return Err(Error::INVALID_VALUE);
    }
    let device = g.device_of(context)?;
    let base = g.memory.reserve(
        bytes,
        Origin::Host {
            registered: false,
            flags,
        },
        context,
        device,
    )?;
    g.memory.map(base)?;
    Ok(base)
}

/// `cuMemFreeHost`: waits for the work of the context.
pub fn free(g: &mut Guard, address: u64) -> Result {
    release(g, address, false, Error::INVALID_VALUE)
}

/// `cuMemHostRegister`.
pub fn register(g: &mut Guard, context: Handle, address: u64, bytes: u64, flags: u32) -> Result {
    capture::refuse_unsafe(g)?;
    if address == 0 || bytes == 0 || flags & !0xF != 0 || address.checked_add(bytes).is_none() {
        return Err(Error::INVALID_VALUE);
    }
    if flags & 4 != 0 {
        // Memory of other devices on the bus: there are none.
        return Err(Error::NOT_SUPPORTED);
    }
    let device = g.device_of(context)?;
    g.memory.register(address, bytes, flags, context, device)
}

/// `cuMemHostUnregister`.
pub fn unregister(g: &mut Guard, address: u64) -> Result {
    release(g, address, true, Error::HOST_MEMORY_NOT_REGISTERED)
}

fn release(g: &mut Guard, address: u64, of_caller: bool, missing: Error) -> Result {
    capture::refuse_unsafe(g)?;
    let a = g.memory.at(address).ok_or(missing)?;
    match a.origin {
        Origin::Host { registered, .. } if registered == of_caller => {}
        _ => return Err(missing),
    }
    let context = a.context;
    execute::finish_context(g, context);
    g.memory.remove(address).map(drop).ok_or(missing)
}

/// `cuMemHostGetDevicePointer`: the same address.
pub fn device_pointer(s: &State, address: u64, flags: u32) -> Result<u64> {
    if flags != 0 {
        return Err(Error::INVALID_VALUE);
    }
    host_flags(s, address).map(|_| address)
}

/// `cuMemHostGetFlags`.
pub fn host_flags(s: &State, address: u64) -> Result<u32> {
    match s.memory.find(address).map(|a| a.origin) {
        Some(Origin::Host { flags, .. }) => Ok(flags),
        _ => Err(Error::INVALID_VALUE),
    }
}
