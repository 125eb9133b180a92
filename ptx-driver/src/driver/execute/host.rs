//! Functions of the program, in the order of a stream.
use crate::driver::base::{Handle, thread};
use crate::driver::state::{Guard, HostCall};
use std::ffi::c_void;

/// Calls one, without the lock.
pub fn call(g: &mut Guard, context: Handle, call: HostCall) {
    let status = g
        .contexts
        .get(context)
        .and_then(|c| c.error)
        .map_or(0, |e| e.0);
    g.unlocked(|| {
        thread::host_function(|| match call {
            // SAFETY: the program passed this function and this data to be called so.
            HostCall::Function { function, data } => unsafe { function(data as *mut c_void) },
            HostCall::Callback {
                function,
                stream,
                data,
            } => {
                // SAFETY: as above.
                unsafe { function(stream, status, data as *mut c_void) }
            }
        });
    });
}
