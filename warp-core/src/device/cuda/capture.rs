//! Streams that are being captured, by us or by others: what may be done meanwhile.

use super::driver::Driver;
use super::gpu::{Current, gpu};
use crate::device::kind::Device;
use crate::device::stream::Stream;
use crate::error::Result;
use cudarc::driver::sys::*;

/// The number of the capture that a stream takes part in; None if it is not captured, 0 if the driver does not say which.
///
/// # Errors
/// What the driver says, such as that a kernel failed.
pub fn capture_of(stream: Stream) -> Result<Option<u64>> {
    let Device::Cuda(ordinal) = stream.device else {
        return Ok(None);
    };
    capture_on(&gpu(ordinal)?.enter()?, stream)
}

/// [`capture_of`] a stream of the GPU that was entered.
///
/// # Errors
/// As there.
pub fn capture_on(current: &Current, stream: Stream) -> Result<Option<u64>> {
    let driver = current.driver();
    let handle = stream.handle as CUstream;
    // SAFETY: the stream is alive as long as its owner.
    if !unsafe { driver.stream_captures(handle) }? {
        return Ok(None);
    }
    Ok(Some(
        capture_info(driver, stream.handle).map_or(0, |info| info.id),
    ))
}

/// A capture, as it stands.
#[derive(Clone, Copy, Debug)]
pub struct CaptureInfo {
    /// Its number.
    pub id: u64,
    /// The graph that it makes.
    pub graph: CUgraph,
    /// The nodes after which the next one comes.
    pub after: *const CUgraphNode,
    /// How many.
    pub count: usize,
}

/// The capture that a stream takes part in, by the driver's handle.
///
/// # Errors
/// What the driver says, or that it is too old to say.
pub fn capture_info(driver: &Driver, stream: usize) -> Result<CaptureInfo> {
    let mut status = CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
    let mut info = CaptureInfo {
        id: 0,
        graph: std::ptr::null_mut(),
        after: std::ptr::null(),
        count: 0,
    };
    // SAFETY: each pointer is to what is written there; the stream is alive as long as its owner.
    unsafe {
        driver.stream_get_capture_info(
            stream as CUstream,
            &raw mut status,
            &raw mut info.id,
            &raw mut info.graph,
            &raw mut info.after,
            &raw mut info.count,
        )
    }?;
    Ok(info)
}
