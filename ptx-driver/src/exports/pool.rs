//! Memory pools.
use super::abi::{MemAccessDesc, MemLocation, MemPoolProps};
use super::argument::{list, out, required};
use crate::driver::base::Error;
use crate::driver::device::pool;
use std::ffi::c_void;

functions! {
    init cuMemPoolCreate(handle: *mut usize, properties: *const MemPoolProps) |g| {
        let (place, p) = (out(handle)?, required(properties)?);
        if p.location.kind == 0 || p.allocation == 0 { return Err(Error::INVALID_VALUE); }
        place.set(pool::create(g, p.allocation, p.handles, p.location.kind, p.location.id)?)
    };
    init cuMemPoolDestroy(handle: usize) |g| pool::destroy(g, handle);
    init cuMemPoolTrimTo(handle: usize, keep: usize) |g| pool::trim_to(g, handle, keep as u64);
    init cuMemPoolGetAttribute(handle: usize, attribute: u32, value: *mut c_void) |g| {
        let found = pool::attribute(g, handle, attribute)?;
        if attribute <= 3 { out(value.cast::<i32>())?.set(found as i32) } else { out(value.cast::<u64>())?.set(found) }
    };
    init cuMemPoolSetAttribute(handle: usize, attribute: u32, value: *const c_void) |g| {
        let value = if attribute <= 3 { *required(value.cast::<i32>())? as u64 } else { *required(value.cast::<u64>())? };
        pool::set_attribute(g, handle, attribute, value)
    };
    init cuMemPoolSetAccess(handle: usize, access: *const MemAccessDesc, count: usize) |g| {
        for one in list(access, count)? {
            if one.location.kind != 1 { return Err(Error::INVALID_VALUE); }
            pool::set_access(g, handle, one.location.id, one.flags)?;
        }
        Ok(())
    };
    init cuMemPoolGetAccess(flags: *mut u32, handle: usize, location: *const MemLocation) |g| {
        let (place, location) = (out(flags)?, required(location)?);
        if location.kind != 1 { return Err(Error::INVALID_VALUE); }
        place.set(pool::access(g, handle, location.id)?)
    };
    init cuMemPoolExportToShareableHandle(shared: *mut c_void, handle: usize, kind: u32, flags: u64) |_g| {
        let _ = (shared, handle, kind, flags);
        Err(Error::NOT_SUPPORTED)
    };
    init cuMemPoolImportFromShareableHandle(handle: *mut usize, shared: *mut c_void, kind: u32, flags: u64) |_g| {
        let _ = (shared, handle, kind, flags);
        Err(Error::NOT_SUPPORTED)
    };
}
