//! The stream of everything that names none: one per device and thread of the operating system.

use super::cuda;
use super::kind::Device;
use super::stream::Stream;
use crate::error::Result;
use smallvec::SmallVec;
use std::cell::RefCell;

thread_local! {
    /// What this thread set.
    static SET: RefCell<SmallVec<[Stream; 2]>> = RefCell::new(SmallVec::new());
}

/// The stream on which this thread's work for a device goes.
///
/// # Errors
/// The device has none: there is no such GPU, or its driver refuses.
#[inline]
pub fn current_stream(device: Device) -> Result<Stream> {
    let Device::Cuda(ordinal) = device else {
        return Ok(Stream::default_of(device));
    };
    let set = SET.with_borrow(|all| all.iter().find(|s| s.device == device).copied());
    match set {
        Some(stream) => Ok(stream),
        None => cuda::gpu(ordinal)?.stream(),
    }
}

/// On which streams work goes: a given one on its device, the current ones of the thread elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Streams(Option<Stream>);

impl Streams {
    /// The current ones.
    pub const CURRENT: Streams = Streams(None);

    /// The stream on a device.
    ///
    /// # Errors
    /// As [`current_stream`].
    #[inline]
    pub fn of(self, device: Device) -> Result<Stream> {
        match self.0 {
            Some(stream) if stream.device == device => Ok(stream),
            _ => current_stream(device),
        }
    }
}

impl From<Stream> for Streams {
    fn from(stream: Stream) -> Streams {
        Streams(Some(stream))
    }
}

/// While this lives, another stream is the current one of its device.
#[derive(Debug)]
pub struct On {
    device: Device,
    before: Option<Stream>,
}

/// Makes a stream the one on which this thread's work for its device goes, as long as the answer lives.
pub fn on_stream(stream: Stream) -> On {
    let device = stream.device;
    let before = SET.with_borrow(|all| all.iter().find(|s| s.device == device).copied());
    set_current_stream(stream);
    On { device, before }
}

impl Drop for On {
    fn drop(&mut self) {
        SET.with_borrow_mut(|all| {
            all.retain(|s| s.device != self.device);
            all.extend(self.before);
        });
    }
}

/// Makes a stream the one on which this thread's work for its device goes.
pub fn set_current_stream(stream: Stream) {
    SET.with_borrow_mut(|all| {
        all.retain(|s| s.device != stream.device);
        all.push(stream);
    });
}
