//! What the driver's answers mean.

use crate::error::{Code, Error};
use std::ffi::c_int;

/// The driver's code for what is not there yet: no mistake where it is asked for.
pub const NOT_READY: c_int = 600;
/// The driver's code for the default stream while a stream that it waits for is captured.
pub const CAPTURE_IMPLICIT: c_int = 906;
/// The driver was not started, though we did that: this is the child of a process that has.
const NOT_INITIALIZED: c_int = 3;
/// The driver has no memory left.
const OUT_OF_MEMORY: c_int = 2;
/// The first code of what happened in a kernel, after which a context answers nothing else.
const STICKY: [c_int; 8] = [700, 702, 710, 714, 715, 716, 717, 719];

/// The error of a call that the driver refused; `(name, text)` is what the driver says of the code.
#[cold]
pub fn failed(function: &'static str, code: c_int, (name, text): (String, String)) -> Error {
    let kind = match code {
        OUT_OF_MEMORY => Code::Memory,
        _ => Code::Runtime,
    };
    let name = match name.is_empty() {
        true => format!("error {code}"),
        false => name,
    };
    let error = Error::new(kind, format!("{function}: {name} ({text})"));
    if code == NOT_INITIALIZED {
        return error.hint(
            "this process was forked after CUDA had started in its parent, and CUDA does not work in such a child; \
             multiprocessing's \"spawn\" and \"forkserver\" start processes in which it does",
        );
    }
    if STICKY.contains(&code) {
        return error.hint(
            "a kernel that ran before this call, on this device, did that; nothing more runs on the device in this process",
        );
    }
    error
}
