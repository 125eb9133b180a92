//! The functions that XLA calls to launch a kernel. They run on threads of XLA's, several at a time, and know nothing of
//! Python.
//!
//! On the CPU a launch runs as any other: short kernels on the calling thread, long ones on our pool. Where several of
//! XLA's threads launch at once, one has the pool and the others run alone.
//!
//! On a GPU a launch is given to the stream that XLA works on, and nothing is waited for. There are two handlers: one for kernels
//! whose launches XLA may capture in graphs of its own ("command buffers"), and one for those that need memory of their own, which
//! cannot be a part of such graphs. Before an execution, which may be a capture, XLA asks both to make ready: kernels are loaded then.
//!
//! A fault in a kernel on a GPU is found later. Programs with jax do not synchronise by a function of ours, so the next call
//! reports it, or the next question whether all is ready: of what XLA has captured there are no further calls.

use super::attribute::Attributes;
use super::boundary::{self, Role};
use super::call::Call;
use super::call_site::{self, CallSite};
use super::execution;
use super::failure::{HandlerFailure, Outcome};
use super::place::{Host, OnStream, failed};
use super::sys::{self, Frame, code};
use std::ffi::c_void;
use warp_core::backend;
use warp_core::device::{Device, Stream, cuda};

/// The address of the handler for the CPU, for a capsule.
pub fn address() -> *mut c_void {
    launch as *mut c_void
}

/// The address of the handler for GPUs, for a capsule: the one for launches that XLA may capture, or the other one.
pub fn address_on_gpu(captured: bool) -> *mut c_void {
    match captured {
        true => launch_on_gpu::<true> as *mut c_void,
        false => launch_on_gpu::<false> as *mut c_void,
    }
}

/// Launches a kernel on the CPU: what XLA calls.
///
/// # Safety
/// `frame` is a call frame of XLA's.
pub unsafe extern "C" fn launch(frame: *mut Frame) -> *mut sys::Error {
    // SAFETY: promised by the caller.
    unsafe { boundary::enter(frame, Role::PLAIN, |frame| run(frame)) }
}

/// Launches a kernel on a GPU, or makes ready for that: what XLA calls.
///
/// # Safety
/// `frame` is a call frame of XLA's.
pub unsafe extern "C" fn launch_on_gpu<const CAPTURED: bool>(frame: *mut Frame) -> *mut sys::Error {
    let role = Role {
        traits: match CAPTURED {
            true => sys::COMMAND_BUFFER_COMPATIBLE,
            false => 0,
        },
        first: sys::INITIALIZE,
    };
    // SAFETY: promised by the caller.
    unsafe { boundary::enter(frame, role, |frame| run_on_gpu(frame)) }
}

/// # Safety
/// The frame is one of XLA's.
#[inline]
unsafe fn run(frame: &Frame) -> Outcome<()> {
    // SAFETY: promised by the caller.
    let attributes = unsafe { Attributes::of(&frame.attrs) }?;
    let call = Call {
        place: Host,
        site: call_site::find(&attributes)?,
        values: attributes.values,
        args: &frame.args,
        rets: &frame.rets,
    };
    // SAFETY: promised by the caller.
    unsafe { call.run() }
}

/// # Safety
/// The frame is one of XLA's.
unsafe fn run_on_gpu(frame: &Frame) -> Outcome<()> {
    // SAFETY: promised by the caller.
    let (attributes, stream) =
        unsafe { (Attributes::of(&frame.attrs)?, execution::stream_of(frame)?) };
    let site = call_site::find(&attributes)?;
    load(site, stream.device)?;
    report(stream)?;
    if frame.stage != sys::EXECUTE {
        return Ok(());
    }
    let call = Call {
        place: OnStream(stream),
        site,
        values: attributes.values,
        args: &frame.args,
        rets: &frame.rets,
    };
    // SAFETY: promised by the caller.
    unsafe { call.run() }
}

/// Compiles and loads the kernel of a call, unless that was done before.
fn load(site: &CallSite, device: Device) -> Outcome<()> {
    let loaded = site.program.code.load(device);
    loaded.map_err(|text| HandlerFailure(code::INTERNAL, format!("warp: {text}")))
}

/// Reports what went wrong in an earlier kernel on the device of a stream, as far as it is known by now.
fn report(stream: Stream) -> Outcome<()> {
    match backend::cuda::has_fault(stream.device).map_err(|e| failed(&e))? {
        false => Ok(()),
        true => earlier(stream),
    }
}

/// Waits for the device, since a fault is complete only when its kernel is done. A capture has to go on.
#[cold]
fn earlier(stream: Stream) -> Outcome<()> {
    if cuda::capture_of(stream).map_err(|e| failed(&e))?.is_some() {
        return Ok(());
    }
    let waited = backend::of(stream.device)
        .and_then(|backend| backend.synchronize_device(stream.device, &|| false));
    waited.map_err(|e| {
        let text = format!(
            "{e}\n(in an earlier launch on the device \"{}\")",
            stream.device
        );
        HandlerFailure(code::FAILED_PRECONDITION, text)
    })
}

#[cfg(test)]
mod tests;
