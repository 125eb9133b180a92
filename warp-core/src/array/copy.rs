//! Copying and filling in any layout, on whatever device.

use super::view::View;
use crate::backend;
use crate::device::{Device, Stream};
use crate::error::Result;

/// Copies elements in index order of the shape. Sources that overlap the destination are right too.
///
/// # Safety
/// Both have the same shape and bytes per element, both are alive, `to` may be written, and nobody
/// else uses `to` or writes `from` meanwhile.
///
/// # Errors
/// What the device says.
pub unsafe fn copy(to: &View, from: &View) -> Result<()> {
    // Between host and device the device copies: it reaches both memories.
    let device = match to.device {
        Device::Cpu => from.device,
        device => device,
    };
    let stream = Stream::default_of(device);
    // SAFETY: promised by the caller.
    unsafe { backend::of(device)?.copy(&to.located(), &from.located(), stream) }
}

/// Writes the bytes of one element to all of them.
///
/// # Safety
/// `to` is alive, may be written, nobody else uses it meanwhile, and `element` has its elements' size.
///
/// # Errors
/// What the device says.
pub unsafe fn fill(to: &View, element: &[u8]) -> Result<()> {
    let stream = Stream::default_of(to.device);
    // SAFETY: promised by the caller.
    unsafe { backend::of(to.device)?.fill(&to.strided(), element, stream) }
}
