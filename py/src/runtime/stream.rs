//! Streams of launches and copies.

use super::device::resolve;
use crate::object::error::{Code, error, within};
use crate::object::message::describe;
use pyo3::prelude::*;
use warp_core::device::{Device as Core, Stream, current_stream};
use warp_dlpack::{Lenient, raise};

/// The stream that a `stream=` argument, a `wp.Stream`, names; None for None.
///
/// # Errors
/// The object is no stream, or its device is not here; the error names the call, `place`.
pub fn resolve_stream(place: &str, stream: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Stream>> {
    let Some(stream) = stream.filter(|s| !s.is_none()) else {
        return Ok(None);
    };
    let refuse = || {
        error(
            Code::Type,
            format!(
                "{place}: stream is {}, expected a wp.Stream or None",
                describe(stream)
            ),
        )
    };
    let own = stream.getattr("device").lenient()?.ok_or_else(refuse)?;
    let device = resolve(Some(&own)).map_err(|e| within(stream.py(), place, &e))?;
    let handle = (stream.getattr("cuda_stream").lenient()?).ok_or_else(refuse)?;
    let handle: Option<usize> = handle.extract()?;
    Ok(Some(Stream {
        device,
        handle: handle.unwrap_or(0),
    }))
}

/// The stream that a launch's `device` and `stream` ask for: the default stream of the device, or of the current one,
/// where no stream is given.
///
/// # Errors
/// There is no such device, or the stream is another device's; the error names the kernel.
#[inline(always)]
pub fn of_launch(
    kernel: &str,
    device: Option<&Bound<'_, PyAny>>,
    stream: Option<&Bound<'_, PyAny>>,
) -> PyResult<Stream> {
    if stream.is_some() {
        return on_stream(kernel, device, stream);
    }
    match resolve(device) {
        Ok(Core::Cpu) => Ok(Stream::default_of(Core::Cpu)),
        other => of_device(kernel, other),
    }
}

/// The current stream of a device that is not the CPU.
#[cold]
fn of_device(kernel: &str, device: PyResult<Core>) -> PyResult<Stream> {
    match device {
        Ok(device) => current_stream(device).map_err(|e| Python::attach(|py| raise(py, e))),
        Err(e) => Err(Python::attach(|py| within(py, &place(kernel), &e))),
    }
}

/// How errors name a launch.
#[cold]
fn place(kernel: &str) -> String {
    format!("launch of kernel '{kernel}'")
}

#[cold]
fn on_stream(
    kernel: &str,
    device: Option<&Bound<'_, PyAny>>,
    stream: Option<&Bound<'_, PyAny>>,
) -> PyResult<Stream> {
    let Some(own) = resolve_stream(&place(kernel), stream)? else {
        return of_launch(kernel, device, None);
    };
    let Some(given) = device.filter(|d| !d.is_none()) else {
        return Ok(own);
    };
    let device = resolve(Some(given)).map_err(|e| within(given.py(), &place(kernel), &e))?;
    if own.device == device {
        return Ok(own);
    }
    Err(error(
        Code::Value,
        format!(
            "{}: the stream is one of the device \"{}\", device is \"{device}\"; give one of them, or a stream of \
             that device",
            place(kernel),
            own.device
        ),
    ))
}
