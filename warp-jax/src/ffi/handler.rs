//! The one function that XLA calls to launch a kernel. It runs on threads of XLA's, several at a time, and knows nothing of
//! Python.
//!
//! It launches as everybody does: short kernels on the calling thread, long ones on our pool. Where several of XLA's
//! threads launch at once, one has the pool and the others run alone.

use super::attribute::Attributes;
use super::boundary;
use super::call::Call;
use super::call_site;
use super::failure::Outcome;
use super::sys::{self, Frame};
use std::ffi::c_void;

/// The address of the handler, for a capsule.
pub fn address() -> *mut c_void {
    launch as *mut c_void
}

/// Launches a kernel: what XLA calls.
///
/// # Safety
/// `frame` is a call frame of XLA's.
pub unsafe extern "C" fn launch(frame: *mut Frame) -> *mut sys::Error {
    // SAFETY: promised by the caller.
    unsafe { boundary::enter(frame, |frame| run(frame)) }
}

/// # Safety
/// The frame is one of XLA's.
#[inline]
unsafe fn run(frame: &Frame) -> Outcome<()> {
    // SAFETY: promised by the caller.
    let attributes = unsafe { Attributes::of(&frame.attrs) }?;
    let call = Call {
        site: call_site::find(&attributes)?,
        values: attributes.values,
        args: &frame.args,
        rets: &frame.rets,
    };
    // SAFETY: promised by the caller.
    unsafe { call.run() }
}

#[cfg(test)]
mod tests;
