//! What XLA knows of a call on a GPU: its stream, and which GPU that is one of.

use super::failure::{HandlerFailure, Outcome, invalid};
use super::sys::{self, Api, Frame, code};
use std::ffi::CStr;
use std::mem::offset_of;
use std::ptr::null_mut;
use warp_core::device::{Device, Stream, cuda};

/// The stream of a call, and its device.
///
/// # Errors
/// XLA does not say, or the device is none that the driver shows.
///
/// # Safety
/// The frame is one of XLA's.
pub(super) unsafe fn stream_of(frame: &Frame) -> Outcome<Stream> {
    let mut request = sys::StreamGet {
        struct_size: size_of::<sys::StreamGet>(),
        extensions: null_mut(),
        context: frame.context,
        stream: null_mut(),
    };
    // SAFETY: the interface belongs to the frame.
    unsafe {
        let error = ((*frame.api).stream_get)(&raw mut request);
        checked(frame, error, "the stream of a call")?;
    }
    let handle = request.stream as usize;
    // SAFETY: promised by the caller.
    let device = match unsafe { ordinal(frame) }? {
        Some(ordinal) => u16::try_from(ordinal).ok().map(Device::cuda),
        None => cuda::device_of_stream(handle),
    };
    let there = |device: &Device| cuda::gpu_of(*device).is_ok();
    let device = device.filter(there).ok_or_else(|| {
        invalid("warp: XLA calls a kernel on a GPU that the CUDA driver does not show here".into())
    })?;
    Ok(Stream { device, handle })
}

/// The number of the device, if this XLA says it.
///
/// # Safety
/// As above.
unsafe fn ordinal(frame: &Frame) -> Outcome<Option<i32>> {
    // SAFETY: the interface belongs to the frame.
    let size = unsafe { (*frame.api).struct_size };
    if size < offset_of!(Api, ordinal_get) + size_of::<usize>() {
        return Ok(None);
    }
    let mut request = sys::OrdinalGet {
        struct_size: offset_of!(sys::OrdinalGet, ordinal) + size_of::<i32>(),
        extensions: null_mut(),
        context: frame.context,
        ordinal: -1,
    };
    // SAFETY: as above; the interface is large enough to have the function.
    unsafe {
        let error = ((*frame.api).ordinal_get)(&raw mut request);
        checked(frame, error, "the device of a call")?;
    }
    Ok(Some(request.ordinal))
}

/// # Safety
/// The error is null, or XLA made it for this call, and nothing else has it.
unsafe fn checked(frame: &Frame, error: *mut sys::Error, what: &str) -> Outcome<()> {
    if error.is_null() {
        return Ok(());
    }
    let mut asked = sys::ErrorMessage {
        struct_size: size_of::<sys::ErrorMessage>(),
        extensions: null_mut(),
        error,
        message: std::ptr::null(),
    };
    let mut over = sys::ErrorDestroy {
        struct_size: size_of::<sys::ErrorDestroy>(),
        extensions: null_mut(),
        error,
    };
    // SAFETY: promised by the caller; the text lives as long as the error.
    let text = unsafe {
        ((*frame.api).error_message)(&raw mut asked);
        let text = match asked.message.is_null() {
            true => String::new(),
            false => CStr::from_ptr(asked.message).to_string_lossy().into_owned(),
        };
        ((*frame.api).error_destroy)(&raw mut over);
        text
    };
    Err(HandlerFailure(
        code::INTERNAL,
        format!("warp: XLA does not say {what}: {text}"),
    ))
}
