//! Making, asking and joining streams and events.

use super::driver::Driver;
use super::gpu::{Gpu, gpu_of, gpus};
use super::unhindered::Unhindered;
use crate::device::kind::Device;
use crate::device::stream::Stream;
use crate::error::Result;
use cudarc::driver::sys::*;

/// A new stream, ordered with CUDA's default stream. Its work comes before that of streams whose priority is a larger number.
///
/// # Errors
/// What the driver says.
pub fn create_stream(device: Device, priority: i32) -> Result<Stream> {
    let gpu = gpu_of(device)?;
    let current = gpu.enter()?;
    let mut handle: CUstream = std::ptr::null_mut();
    let flags = CUstream_flags::CU_STREAM_DEFAULT as u32;
    // SAFETY: writes a handle.
    unsafe {
        current
            .driver()
            .stream_create(&raw mut handle, flags, priority)
    }?;
    gpu.add_stream(handle as usize)?;
    Ok(Stream {
        device,
        handle: handle as usize,
    })
}

/// Notes a stream that others made. [`forget_stream`] ends it.
///
/// # Errors
/// What the driver says.
pub fn adopt_stream(stream: Stream) -> Result<()> {
    gpu_of(stream.device)?.add_stream(stream.handle)
}

/// Forgets a stream that others made.
pub fn forget_stream(stream: Stream) {
    if let Ok(gpu) = gpu_of(stream.device) {
        gpu.remove_stream(stream.handle);
    }
}

/// Destroys a stream. What it was given is done nevertheless.
///
/// # Safety
/// [`create_stream`] made it, and nothing uses it any more.
pub unsafe fn destroy_stream(stream: Stream) {
    let Ok(gpu) = gpu_of(stream.device) else {
        return;
    };
    // SAFETY: promised by the caller.
    unsafe { gpu.end_stream(stream.handle) };
}

/// The device that a stream is one of, by the driver's handle; None where the driver does not say.
pub fn device_of_stream(handle: usize) -> Option<Device> {
    let driver = Driver::get().ok()?;
    let (mut context, mut found): (CUcontext, CUdevice) = (std::ptr::null_mut(), 0);
    // SAFETY: each writes what its pointer is to; the stream is alive as long as its owner.
    unsafe {
        driver
            .stream_get_context(handle as CUstream, &raw mut context)
            .ok()?;
        driver.context_push(context).ok()?;
        let asked = driver.context_get_device(&raw mut found);
        let mut popped = std::ptr::null_mut();
        driver.context_pop(&raw mut popped).ok()?;
        asked.ok()?;
    }
    gpus()
        .iter()
        .find(|gpu| gpu.handle == found)
        .map(Gpu::device)
}

/// What a stream is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamFacts {
    /// Waits for CUDA's default stream, and lets it wait.
    pub is_blocking: bool,
    /// Its priority.
    pub priority: i32,
}

/// What a stream is.
///
/// # Errors
/// What the driver says.
pub fn stream_facts(stream: Stream) -> Result<StreamFacts> {
    let current = gpu_of(stream.device)?.enter()?;
    let (mut flags, mut priority) = (0, 0);
    // SAFETY: writes two integers; the stream is alive as long as its owner.
    unsafe {
        current
            .driver()
            .stream_get_flags(stream.handle as CUstream, &raw mut flags)?;
        current
            .driver()
            .stream_get_priority(stream.handle as CUstream, &raw mut priority)?;
    }
    Ok(StreamFacts {
        is_blocking: flags & CUstream_flags::CU_STREAM_NON_BLOCKING as u32 == 0,
        priority,
    })
}

/// Whether a stream has done what it was given.
///
/// # Errors
/// What went wrong in it.
pub fn stream_is_done(stream: Stream) -> Result<bool> {
    let current = gpu_of(stream.device)?.enter()?;
    let _unhindered = Unhindered::begin();
    // SAFETY: the stream is alive as long as its owner.
    unsafe { current.driver().stream_is_done(stream.handle as CUstream) }
}

/// Whether launches on a stream are captured instead of run.
///
/// # Errors
/// What the driver says.
pub fn stream_is_capturing(stream: Stream) -> Result<bool> {
    let current = gpu_of(stream.device)?.enter()?;
    let mut status = CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
    // SAFETY: writes one of three values.
    unsafe {
        current
            .driver()
            .stream_is_capturing(stream.handle as CUstream, &raw mut status)
    }?;
    Ok(status != CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE)
}

/// What an event is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventUse {
    /// Times between events.
    pub timing: bool,
    /// Other processes wait for it; it then has no times.
    pub interprocess: bool,
}

/// A new event.
///
/// # Errors
/// What the driver says.
pub fn create_event(device: Device, wanted: EventUse) -> Result<usize> {
    let current = gpu_of(device)?.enter()?;
    let mut flags = CUevent_flags::CU_EVENT_DEFAULT as u32;
    if !wanted.timing || wanted.interprocess {
        flags |= CUevent_flags::CU_EVENT_DISABLE_TIMING as u32;
    }
    if wanted.interprocess {
        flags |= CUevent_flags::CU_EVENT_INTERPROCESS as u32;
    }
    let mut event: CUevent = std::ptr::null_mut();
    // SAFETY: writes a handle.
    unsafe { current.driver().event_create(&raw mut event, flags) }?;
    Ok(event as usize)
}

/// Destroys an event. Work that waits for it goes on waiting.
///
/// # Safety
/// [`create_event`] made it, and nothing uses it any more.
pub unsafe fn destroy_event(device: Device, event: usize) {
    if let Ok(current) = gpu_of(device).and_then(|gpu| gpu.enter()) {
        // SAFETY: promised by the caller.
        let _ = unsafe { current.driver().event_destroy(event as CUevent) };
    }
}

/// Lets an event stand for all work so far of a stream.
///
/// # Errors
/// What the driver says.
pub fn record_event(stream: Stream, event: usize) -> Result<()> {
    let current = gpu_of(stream.device)?.enter()?;
    // SAFETY: both are alive as long as their owners.
    unsafe {
        current
            .driver()
            .event_record(event as CUevent, stream.handle as CUstream)
    }
}

/// Lets further work of a stream wait for an event.
///
/// # Errors
/// What the driver says.
pub fn wait_event(stream: Stream, event: usize) -> Result<()> {
    let current = gpu_of(stream.device)?.enter()?;
    // SAFETY: both are alive as long as their owners.
    unsafe {
        current
            .driver()
            .stream_wait_event(stream.handle as CUstream, event as CUevent, 0)
    }
}

/// Whether what came before an event is done.
///
/// # Errors
/// What went wrong before it.
pub fn event_is_done(device: Device, event: usize) -> Result<bool> {
    let current = gpu_of(device)?.enter()?;
    let _unhindered = Unhindered::begin();
    // SAFETY: the event is alive as long as its owner.
    unsafe { current.driver().event_is_done(event as CUevent) }
}

/// Waits until what came before an event is done.
///
/// # Errors
/// What went wrong before it.
pub fn synchronize_event(device: Device, event: usize) -> Result<()> {
    let current = gpu_of(device)?.enter()?;
    // SAFETY: the event is alive as long as its owner.
    unsafe { current.driver().event_synchronize(event as CUevent) }
}

/// The milliseconds between two events that are done.
///
/// # Errors
/// One was made without timing, was not recorded, or is not done.
pub fn elapsed_time(device: Device, start: usize, end: usize) -> Result<f32> {
    let current = gpu_of(device)?.enter()?;
    let mut milliseconds = 0.0;
    // SAFETY: writes a number; both are alive as long as their owners.
    unsafe {
        current
            .driver()
            .event_elapsed_time(&raw mut milliseconds, start as CUevent, end as CUevent)
    }?;
    Ok(milliseconds)
}

/// Lets further work of one stream wait for what another has now.
///
/// # Errors
/// What the driver says.
pub fn join(waiting: Stream, done: Stream) -> Result<()> {
    if waiting == done {
        return Ok(());
    }
    let event = create_event(done.device, EventUse::default())?;
    let joined = record_event(done, event).and_then(|()| wait_event(waiting, event));
    // SAFETY: made here; the driver keeps what is waited for.
    unsafe { destroy_event(done.device, event) };
    joined
}

/// Lets further work of a stream wait for all known queued work of a device. A captured stream may not be queried; then it waits
/// for the others.
///
/// # Errors
/// The device is no GPU, or what the driver says.
pub fn join_all(waiting: Stream, device: Device) -> Result<()> {
    for handle in gpu_of(device)?.busy_streams(waiting.handle)?.streams {
        join(waiting, Stream { device, handle })?;
    }
    Ok(())
}
