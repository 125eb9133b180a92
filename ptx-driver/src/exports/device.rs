//! Initialisation and devices.
use super::argument::{out, set_optional, string, write_string};
use crate::driver::base::error::{self, Error};
use crate::driver::base::settings::Settings;
use crate::driver::call;
use crate::driver::context::primary;
use crate::driver::device::{self, peer, pool};
use std::ffi::{c_char, c_void};

functions! {
    free cuInit(flags: u32) |g| call::initialize(g, flags);
    free cuDriverGetVersion(version: *mut i32) |g| {
        // Asked before `cuInit`, too: then the settings are read for this answer alone.
        let settings = if g.initialized { Ok(g.settings.clone()) } else { Settings::read() };
        out(version)?.set(settings.map_err(|_| Error::INVALID_VALUE)?.version as i32)
    };
    init cuDeviceGetCount(count: *mut i32) |g| out(count)?.set(g.devices.len() as i32);
    init cuDeviceGet(device: *mut i32, ordinal: i32) |g| {
        let found = device::by_ordinal(g, ordinal)?;
        out(device)?.set(found as i32)
    };
    init cuDeviceGetName(name: *mut c_char, room: i32, device: i32) |g| {
        device::by_ordinal(g, device)?;
        write_string(&device::name(g), name, room)
    };
    init cuDeviceGetUuid(uuid: *mut [u8; 16], device: i32) |g| out(uuid)?.set(device::uuid(device::by_ordinal(g, device)?));
    init cuDeviceGetUuid_v2(uuid: *mut [u8; 16], device: i32) |g| out(uuid)?.set(device::uuid(device::by_ordinal(g, device)?));
    init cuDeviceGetLuid(luid: *mut c_char, mask: *mut u32, device: i32) |g| {
        let _ = (luid, mask);
        device::by_ordinal(g, device)?;
        // Of Windows only.
        Err(Error::NOT_SUPPORTED)
    };
    init cuDeviceTotalMem_v2(bytes: *mut usize, device: i32) |g| {
        device::by_ordinal(g, device)?;
        out(bytes)?.set(g.settings.memory as usize)
    };
    init cuDeviceGetAttribute(value: *mut i32, attribute: u32, device: i32) |g| {
        out(value)?.set(device::attribute(g, device, attribute)?)
    };
    init cuDeviceComputeCapability(major: *mut i32, minor: *mut i32, device: i32) |g| {
        device::by_ordinal(g, device)?;
        out(major)?.set(g.settings.sm as i32 / 10)?;
        out(minor)?.set(g.settings.sm as i32 % 10)
    };
    init cuDeviceGetPCIBusId(id: *mut c_char, room: i32, device: i32) |g| {
        write_string(&device::bus_id(device::by_ordinal(g, device)?), id, room)
    };
    init cuDeviceGetByPCIBusId(device: *mut i32, id: *const c_char) |g| {
        let found = device::by_bus_id(g, string(id)?)?;
        out(device)?.set(found as i32)
    };
    init cuDeviceGetExecAffinitySupport(supported: *mut i32, kind: u32, device: i32) |g| {
        device::by_ordinal(g, device)?;
        if kind != 0 { return Err(Error::INVALID_VALUE); }
        out(supported)?.set(0)
    };
    init cuDeviceCanAccessPeer(able: *mut i32, from: i32, to: i32) |g| out(able)?.set(peer::can_access(g, from, to)?.into());
    init cuDeviceGetP2PAttribute(value: *mut i32, attribute: u32, from: i32, to: i32) |g| {
        out(value)?.set(peer::attribute(g, attribute, from, to)?)
    };
    init cuDeviceGetDefaultMemPool(handle: *mut usize, device: i32) |g| {
        let device = device::by_ordinal(g, device)?;
        out(handle)?.set(g.devices[device as usize].default_pool)
    };
    init cuDeviceGetMemPool(handle: *mut usize, device: i32) |g| {
        let device = device::by_ordinal(g, device)?;
        out(handle)?.set(g.devices[device as usize].pool)
    };
    init cuDeviceSetMemPool(device: i32, handle: usize) |g| pool::set_current(g, device, handle);
    init cuDeviceGetGraphMemAttribute(device: i32, attribute: u32, value: *mut u64) |g| {
        device::by_ordinal(g, device)?;
        if attribute > 3 { return Err(Error::INVALID_VALUE); }
        // Memory of graphs is not kept between launches, so nothing is reserved.
        out(value)?.set(0)
    };
    init cuDeviceGraphMemTrim(device: i32) |g| device::by_ordinal(g, device).map(drop);
    init cuDevicePrimaryCtxRetain(handle: *mut usize, device: i32) |g| {
        let place = out(handle)?;
        let device = device::by_ordinal(g, device)?;
        place.set(primary::retain(g, device)?)
    };
    init cuDevicePrimaryCtxRelease_v2(device: i32) |g| {
        let device = device::by_ordinal(g, device)?;
        primary::release(g, device)
    };
    init cuDevicePrimaryCtxReset_v2(device: i32) |g| {
        let device = device::by_ordinal(g, device)?;
        primary::reset(g, device)
    };
    init cuDevicePrimaryCtxSetFlags_v2(device: i32, flags: u32) |g| {
        let device = device::by_ordinal(g, device)?;
        primary::set_flags(g, device, flags)
    };
    init cuDevicePrimaryCtxGetState(device: i32, flags: *mut u32, active: *mut i32) |g| {
        let device = device::by_ordinal(g, device)?;
        let found = &g.devices[device as usize];
        set_optional(flags, found.primary_flags);
        set_optional(active, found.primary.is_some().into());
        Ok(())
    };
    init cuProfilerStart() |_g| Ok(());
    init cuProfilerStop() |_g| Ok(());
    free cuGetExportTable(table: *mut *const c_void, id: *const c_void) |_g| {
        let _ = id;
        set_optional(table, std::ptr::null());
        Err(Error::NOT_FOUND)
    };
}

/// `cuGetErrorName`: it works in every state, in a forked child, too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorName(code: u32, text: *mut *const c_char) -> u32 {
    // SAFETY: the caller passes a place, or null.
    unsafe { describe(error::name(code), text) }
}

/// `cuGetErrorString`: it works in every state, in a forked child, too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorString(code: u32, text: *mut *const c_char) -> u32 {
    // SAFETY: the caller passes a place, or null.
    unsafe { describe(error::sentence(code), text) }
}

unsafe fn describe(found: error::Result<*const c_char>, text: *mut *const c_char) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { set_optional(text, found.unwrap_or(std::ptr::null())) };
    if text.is_null() {
        Error::INVALID_VALUE.0
    } else {
        found.err().map_or(0, |e| e.0)
    }
}
