//! Device memory, pinned memory, attributes of pointers, handles for other processes.
use super::argument::{list, out, required, set_optional};
use crate::driver::base::Error;
use crate::driver::memory::ipc::{self, IpcHandle};
use crate::driver::memory::pointer::{self, Value};
use crate::driver::memory::{self, host};
use std::ffi::c_void;

/// Writes an attribute as wide as its type is.
///
/// # Safety
/// There is a place for it.
unsafe fn write_value(place: *mut c_void, value: Value) {
    // SAFETY: the caller's promise, for each of the types.
    unsafe {
        match value {
            Value::Int(value) => place.cast::<u32>().write_unaligned(value),
            Value::Bool(value) => place.cast::<u32>().write_unaligned(value.into()),
            Value::Wide(value) => place.cast::<u64>().write_unaligned(value),
            Value::Tokens => place.cast::<[u64; 2]>().write_unaligned([0; 2]),
        }
    }
}

functions! {
    ctx cuMemGetInfo_v2(free: *mut usize, total: *mut usize) |g, c| {
        let (left, all) = memory::info(g, c)?;
        set_optional(free, left);
        set_optional(total, all);
        Ok(())
    };
    ctx cuMemAlloc_v2(address: *mut u64, bytes: usize) |g, c| {
        let place = out(address)?;
        place.set(memory::allocate(g, c, bytes as u64)?)
    };
    ctx cuMemAllocPitch_v2(address: *mut u64, pitch: *mut usize, width: usize, height: usize, element: u32) |g, c| {
        let (place, pitch) = (out(address)?, out(pitch)?);
        if !matches!(element, 4 | 8 | 16) || width == 0 || width > 1 << 40 { return Err(Error::INVALID_VALUE); }
        let row = width.next_multiple_of(512);
        let bytes = row.checked_mul(height).ok_or(Error::INVALID_VALUE)?;
        place.set(memory::allocate(g, c, bytes as u64)?)?;
        pitch.set(row)
    };
    ctx cuMemFree_v2(address: u64) |g, _c| memory::free(g, address);
    ctx cuMemAllocAsync(address: *mut u64, bytes: usize, stream: usize) |g, c| {
        let place = out(address)?;
        place.set(memory::allocate_async(g, c, bytes as u64, None, stream)?)
    };
    ctx cuMemAllocFromPoolAsync(address: *mut u64, bytes: usize, pool: usize, stream: usize) |g, c| {
        let place = out(address)?;
        place.set(memory::allocate_async(g, c, bytes as u64, Some(pool), stream)?)
    };
    ctx cuMemFreeAsync(address: u64, stream: usize) |g, c| memory::free_async(g, c, address, stream);
    ctx cuMemAllocManaged(address: *mut u64, bytes: usize, flags: u32) |_g, _c| {
        let _ = (address, bytes, flags);
        Err(Error::NOT_SUPPORTED)
    };
    ctx cuMemGetAddressRange_v2(base: *mut u64, size: *mut usize, address: u64) |g, _c| {
        let (start, bytes) = memory::address_range(g, address)?;
        set_optional(base, start);
        set_optional(size, bytes);
        Ok(())
    };
    ctx cuMemHostAlloc(address: *mut u64, bytes: usize, flags: u32) |g, c| {
        let place = out(address)?;
        place.set(host::allocate(g, c, bytes as u64, flags)?)
    };
    ctx cuMemAllocHost_v2(address: *mut u64, bytes: usize) |g, c| {
        let place = out(address)?;
        place.set(host::allocate(g, c, bytes as u64, 3)?)
    };
    ctx cuMemFreeHost(address: u64) |g, _c| host::free(g, address);
    ctx cuMemHostRegister_v2(address: u64, bytes: usize, flags: u32) |g, c| host::register(g, c, address, bytes as u64, flags);
    ctx cuMemHostUnregister(address: u64) |g, _c| host::unregister(g, address);
    ctx cuMemHostGetDevicePointer_v2(device: *mut u64, address: u64, flags: u32) |g, _c| {
        out(device)?.set(host::device_pointer(g, address, flags)?)
    };
    ctx cuMemHostGetFlags(flags: *mut u32, address: u64) |g, _c| out(flags)?.set(host::host_flags(g, address)?);
    ctx cuPointerGetAttribute(value: *mut c_void, attribute: u32, address: u64) |g, _c| {
        if value.is_null() { return Err(Error::INVALID_VALUE); }
        write_value(value, pointer::attribute(g, attribute, address)?);
        Ok(())
    };
    ctx cuPointerGetAttributes(count: u32, attributes: *const u32, values: *const *mut c_void, address: u64) |g, _c| {
        let attributes = list(attributes, count as usize)?;
        for (attribute, place) in attributes.iter().zip(list(values, count as usize)?) {
            if place.is_null() { return Err(Error::INVALID_VALUE); }
            write_value(*place, pointer::attribute_or_none(g, *attribute, address)?);
        }
        Ok(())
    };
    ctx cuPointerSetAttribute(value: *const c_void, attribute: u32, address: u64) |g, _c| {
        if value.is_null() { return Err(Error::INVALID_VALUE); }
        pointer::set_attribute(g, attribute, address)
    };
    ctx cuIpcGetMemHandle(handle: *mut IpcHandle, address: u64) |g, _c| out(handle)?.set(ipc::memory(g, address)?);
    ctx cuIpcOpenMemHandle_v2(address: *mut u64, handle: IpcHandleArgument, flags: u32) |_g, _c| {
        out(address)?;
        if flags != 1 { return Err(Error::INVALID_VALUE); }
        Err(ipc::open(&handle.0))
    };
    ctx cuIpcCloseMemHandle(address: u64) |_g, _c| {
        let _ = address;
        Err(Error::INVALID_VALUE)
    };
    ctx cuIpcGetEventHandle(handle: *mut IpcHandle, event: usize) |g, _c| out(handle)?.set(ipc::event(g, event)?);
    ctx cuIpcOpenEventHandle(event: *mut usize, handle: IpcHandleArgument) |_g, _c| {
        out(event)?;
        Err(ipc::open(&handle.0))
    };
    ctx cuMemPoolExportPointer(data: *mut c_void, address: u64) |_g, _c| {
        let _ = (required(data)?, address);
        Err(Error::NOT_SUPPORTED)
    };
}

/// `CUipcMemHandle`, as C passes it by value.
#[repr(C)]
pub struct IpcHandleArgument(pub IpcHandle);
