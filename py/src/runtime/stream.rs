//! Streams of launches and copies.

use super::device::{current, resolve};
use crate::object::error::{Code, error, within};
use crate::object::message::describe;
use pyo3::prelude::*;
use warp_core::device::Stream;

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
    let own = stream.getattr("device").map_err(|_| refuse())?;
    let device = resolve(Some(&own)).map_err(|e| within(stream.py(), place, &e))?;
    let handle = stream.getattr("cuda_stream").map_err(|_| refuse())?;
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
#[inline]
pub fn of_launch(
    kernel: &str,
    device: Option<&Bound<'_, PyAny>>,
    stream: Option<&Bound<'_, PyAny>>,
) -> PyResult<Stream> {
    if device.is_none() && stream.is_none() {
        return Ok(Stream::default_of(current()));
    }
    named(kernel, device, stream)
}

fn named(
    kernel: &str,
    device: Option<&Bound<'_, PyAny>>,
    stream: Option<&Bound<'_, PyAny>>,
) -> PyResult<Stream> {
    let place = format!("launch of kernel '{kernel}'");
    let own = resolve_stream(&place, stream)?;
    let Some(given) = device.filter(|d| !d.is_none()) else {
        return Ok(own.unwrap_or_else(|| Stream::default_of(current())));
    };
    let device = resolve(Some(given)).map_err(|e| within(given.py(), &place, &e))?;
    match own {
        None => Ok(Stream::default_of(device)),
        Some(own) if own.device == device => Ok(own),
        Some(own) => Err(error(
            Code::Value,
            format!(
                "{place}: the stream is one of the device \"{}\", device is \"{device}\"; give one of them, or a \
                 stream of that device",
                own.device
            ),
        )),
    }
}
