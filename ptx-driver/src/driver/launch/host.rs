//! Functions of the host in the order of a stream.
use crate::driver::base::{Error, Handle, Result};
use crate::driver::state::{Guard, HostCall, Op};
use crate::driver::{capture, stream};
use std::ffi::c_void;

/// `cuLaunchHostFunc`.
pub fn launch_host_function(
    g: &mut Guard,
    context: Handle,
    stream: Handle,
    function: Option<unsafe extern "C" fn(*mut c_void)>,
    data: usize,
) -> Result {
    let function = function.ok_or(Error::INVALID_VALUE)?;
    let stream = g.resolve_stream(context, stream)?;
    stream::push(g, stream, Op::Host(HostCall::Function { function, data })).map(drop)
}

/// `cuStreamAddCallback`: not into a capture.
pub fn add_callback(
    g: &mut Guard,
    context: Handle,
    given: Handle,
    function: Option<unsafe extern "C" fn(Handle, u32, *mut c_void)>,
    data: usize,
    flags: u32,
) -> Result {
    let function = function
        .filter(|_| flags == 0)
        .ok_or(Error::INVALID_VALUE)?;
    let stream = g.resolve_stream(context, given)?;
    capture::refuse_for_stream(g, stream)?;
    stream::push(
        g,
        stream,
        Op::Host(HostCall::Callback {
            function,
            stream: given,
            data,
        }),
    )
    .map(drop)
}
