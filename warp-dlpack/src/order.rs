//! The order of two libraries' work on one GPU.

use crate::exception;
use crate::ffi::{DLDeviceType, ExchangeTable};
use pyo3::prelude::*;
use warp_core::device::{Device, Stream, cuda, current_stream};
use warp_core::error::{Code, Result};

/// CUDA's default streams, as DLPack and `__cuda_array_interface__` number them.
const LEGACY: usize = 1;

/// Lets our work on a device wait for the queued work of another library's stream, or vice versa if `ours_first`.
/// Work of CUDA's legacy default stream is in order with ours by itself.
///
/// # Errors
/// What the driver says.
#[inline]
pub fn follow(device: Device, theirs: usize, ours_first: bool) -> Result<()> {
    let Device::Cuda(ordinal) = device else {
        return Ok(());
    };
    let ours = current_stream(device)?;
    let is_own = ours == cuda::gpu(ordinal)?.stream()?;
    if theirs == ours.handle || (theirs <= LEGACY && is_own) {
        return Ok(());
    }
    let theirs = Stream {
        device,
        handle: theirs,
    };
    match ours_first {
        true => cuda::join(theirs, ours),
        false => cuda::join(ours, theirs),
    }
}

/// [`follow`] for the stream that a table's framework works on.
///
/// # Errors
/// The framework has no stream for the device, or what the driver says.
#[inline]
pub fn follow_table(py: Python<'_>, table: &ExchangeTable, device: Device) -> PyResult<()> {
    let (Device::Cuda(ordinal), Some(stream)) = (device, table.0.current_work_stream) else {
        return Ok(());
    };
    let mut theirs = std::ptr::null_mut();
    // SAFETY: the table is a framework's; it writes a handle.
    if unsafe { stream(DLDeviceType::CUDA, ordinal.get().into(), &raw mut theirs) } != 0 {
        return Err(failed(py));
    }
    follow(device, theirs as usize, false).map_err(|e| crate::raise(py, e))
}

/// What a table's function raised, or should have.
#[cold]
pub fn failed(py: Python<'_>) -> PyErr {
    PyErr::take(py).unwrap_or_else(|| {
        let text = "the DLPack exchange table failed without saying why";
        exception(Code::Buffer, text.to_owned())
    })
}
