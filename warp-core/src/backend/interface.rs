//! What every kind of device can do.

use super::code::Code;
use super::job::Job;
use super::memory::{Content, Memory};
use crate::abi::{ErrorSlot, Strided};
use crate::cache::Cache;
use crate::device::{Device, Stream};
use crate::error::Result;
use crate::lower;
use crate::verify::Verified;

/// A kind of device. What a method does on a stream comes after what the stream was given before; only
/// [`Backend::synchronize`] waits for it, but on the CPU it is done when the method returns.
pub trait Backend: Sync {
    /// New memory.
    ///
    /// # Errors
    /// [`crate::error::Code::Memory`] if there is not so much.
    fn allocate(&self, size: usize, content: Content, stream: Stream) -> Result<Memory>;

    /// Gives memory back once the stream has done what it was given before.
    ///
    /// # Safety
    /// This backend allocated it, nothing gives it back a second time, and nothing uses it but what the stream was given before.
    unsafe fn release(&self, memory: &Memory, stream: Stream);

    /// Copies elements in index order of the shape. Elements that overlap the destination are right too. One side may be
    /// memory of the host, whatever the device.
    ///
    /// # Safety
    /// Both sides have the same shape and bytes per element and are alive, `to` may be written, and nothing
    /// else uses `to` or writes `from` meanwhile.
    ///
    /// # Errors
    /// What the device says.
    unsafe fn copy(&self, to: &Located, from: &Located, stream: Stream) -> Result<()>;

    /// Writes the bytes of one element to all of them.
    ///
    /// # Safety
    /// `to` is memory of the stream's device and alive, may be written, nothing else uses it meanwhile, and `element` has its
    /// elements' size.
    ///
    /// # Errors
    /// What the device says.
    unsafe fn fill(&self, to: &Strided, element: &[u8], stream: Stream) -> Result<()>;

    /// Makes a kernel into code for a device, through the cache. `tiered`: it may run unoptimised code until optimised
    /// code has been compiled in the background. `interrupted` is asked now and then meanwhile; true ends
    /// the waiting.
    ///
    /// # Errors
    /// [`crate::error::Code::Bug`] if the compiler refuses the text of lowering, which is a bug;
    /// [`crate::error::Code::Runtime`] if it was interrupted.
    fn compile(
        &self,
        func: &Verified,
        options: &lower::Options,
        cache: &Cache,
        device: Device,
        tiered: bool,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Code>;

    /// Runs a job. `interrupted` is asked every few milliseconds while the caller waits; true ends the launch.
    ///
    /// # Safety
    /// The argument block was packed for the job's code, and its arrays are alive and as large as it says.
    ///
    /// # Errors
    /// The first fault of a thread.
    unsafe fn launch(
        &self,
        job: &Job<'_>,
        interrupted: Option<&dyn Fn() -> bool>,
    ) -> std::result::Result<(), ErrorSlot>;

    /// Waits until a stream has done what it was given, unless `interrupted`, which is asked now and then, ends the waiting.
    ///
    /// # Errors
    /// What went wrong on the device since the last call.
    fn synchronize(&self, stream: Stream, interrupted: &dyn Fn() -> bool) -> Result<()>;

    /// Waits likewise until a device has done what it was given.
    ///
    /// # Errors
    /// As [`Backend::synchronize`].
    fn synchronize_device(&self, device: Device, interrupted: &dyn Fn() -> bool) -> Result<()>;
}

/// Elements and the device whose memory they are in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Located {
    /// The device.
    pub device: Device,
    /// The elements.
    pub elements: Strided,
}
