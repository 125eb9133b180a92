//! Copying and filling in any layout, on whatever device.

use super::layout::Layout;
use super::view::View;
use crate::backend;
use crate::device::{Device, Stream, Streams};
use crate::error::Result;
use crate::timeline::{self, Name, What};

/// Copies elements in index order of the shape. Sources that overlap the destination are right too.
///
/// # Safety
/// Both have the same shape and bytes per element, both are alive, `to` may be written, and nothing
/// else uses `to` or writes `from` meanwhile.
///
/// # Errors
/// What the device says.
pub unsafe fn copy(to: &View, from: &View) -> Result<()> {
    // SAFETY: promised by the caller.
    unsafe { copy_on(to, from, Streams::CURRENT) }
}

/// [`copy`] on given streams.
///
/// # Safety
/// As [`copy`].
///
/// # Errors
/// As [`copy`].
pub unsafe fn copy_on(to: &View, from: &View, streams: Streams) -> Result<()> {
    // Between host and device the device copies: it reaches both memories.
    let device = match to.device {
        Device::Cpu => from.device,
        device => device,
    };
    let stream = streams.of(device)?;
    if timeline::is_on() {
        // SAFETY: promised by the caller.
        return unsafe { noted_copy(to, from, stream) };
    }
    // SAFETY: promised by the caller.
    unsafe { backend::of(device)?.copy(&to.located(), &from.located(), stream) }
}

/// A copy that is recorded.
///
/// # Safety
/// As [`copy_on`].
#[cold]
#[inline(never)]
unsafe fn noted_copy(to: &View, from: &View, stream: Stream) -> Result<()> {
    let backend = timeline::aside(backend::of(stream.device)?);
    let begun = timeline::begin();
    // SAFETY: promised by the caller.
    let outcome = unsafe { backend.copy(&to.located(), &from.located(), stream) };
    timeline::end(begun, || {
        let what = What::Copy {
            bytes: bytes(to),
            from: from.device,
            to: to.device,
        };
        (Name::Fixed("copy"), what)
    });
    outcome
}

/// The bytes of the elements in index order, wherever they are; waits for them.
///
/// # Safety
/// `from` is alive, and nothing writes it meanwhile but what its device was given before.
///
/// # Errors
/// What the device says.
pub unsafe fn read(from: &View) -> Result<Vec<u8>> {
    // SAFETY: promised by the caller.
    unsafe { read_on(from, Streams::CURRENT) }
}

/// [`read`] on given streams.
///
/// # Safety
/// As [`read`].
///
/// # Errors
/// As [`read`].
pub unsafe fn read_on(from: &View, streams: Streams) -> Result<Vec<u8>> {
    let shape: Vec<i64> = from
        .layout()
        .shape()
        .iter()
        .map(|n| i64::from(*n))
        .collect();
    let layout = Layout::contiguous(&shape, from.elem.size())?;
    let mut bytes = vec![0u8; from.layout().len() * from.elem.size()];
    let to = View::new(bytes.as_mut_ptr(), layout, from.elem, Device::Cpu, false);
    // SAFETY: new memory of the same shape and element; memory of the host that is not pinned is waited for.
    unsafe { copy_on(&to, from, streams) }?;
    Ok(bytes)
}

/// Writes the bytes of one element to all of them.
///
/// # Safety
/// `to` is alive, may be written, nothing else uses it meanwhile, and `element` has its elements' size.
///
/// # Errors
/// What the device says.
pub unsafe fn fill(to: &View, element: &[u8]) -> Result<()> {
    // SAFETY: promised by the caller.
    unsafe { fill_on(to, element, Streams::CURRENT) }
}

/// [`fill`] on given streams.
///
/// # Safety
/// As [`fill`].
///
/// # Errors
/// As [`fill`].
pub unsafe fn fill_on(to: &View, element: &[u8], streams: Streams) -> Result<()> {
    let stream = streams.of(to.device)?;
    if timeline::is_on() {
        // SAFETY: promised by the caller.
        return unsafe { noted_fill(to, element, stream) };
    }
    // SAFETY: promised by the caller.
    unsafe { backend::of(to.device)?.fill(&to.strided(), element, stream) }
}

/// A fill that is recorded.
///
/// # Safety
/// As [`fill_on`].
#[cold]
#[inline(never)]
unsafe fn noted_fill(to: &View, element: &[u8], stream: Stream) -> Result<()> {
    let backend = timeline::aside(backend::of(to.device)?);
    let begun = timeline::begin();
    // SAFETY: promised by the caller.
    let outcome = unsafe { backend.fill(&to.strided(), element, stream) };
    timeline::end(begun, || {
        let what = What::Fill {
            bytes: bytes(to),
            device: to.device,
        };
        (Name::Fixed("fill"), what)
    });
    outcome
}

/// How many bytes the elements have.
fn bytes(view: &View) -> u64 {
    (view.layout().len() * view.elem.size()) as u64
}
