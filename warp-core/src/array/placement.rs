//! Where new memory goes.

use crate::device::{Device, Stream, current_stream};
use crate::error::Result;

/// Where new memory goes, and in the order of which stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placement {
    /// Which device has it.
    pub device: Device,
    /// In whose order it is made and given back: None for the stream on which this thread's work for the device goes.
    pub stream: Option<Stream>,
    /// Whether memory of the host is pinned, on machines with a GPU. Memory of GPUs is not.
    pub pinned: bool,
}

impl Placement {
    /// The same, pinned or not.
    #[must_use]
    pub const fn pinned(self, pinned: bool) -> Placement {
        Placement { pinned, ..self }
    }

    /// Of what is made on the host first: pinned only if it stays there.
    #[must_use]
    pub fn on_host(self) -> Placement {
        let pinned = self.pinned && self.device == Device::Cpu;
        Placement::from(Device::Cpu).pinned(pinned)
    }

    /// The stream.
    ///
    /// # Errors
    /// There is no such device, or its driver refuses.
    #[inline]
    pub fn stream(&self) -> Result<Stream> {
        match self.stream {
            Some(stream) => Ok(stream),
            None => current_stream(self.device),
        }
    }
}

impl From<Device> for Placement {
    #[inline]
    fn from(device: Device) -> Placement {
        Placement {
            device,
            stream: None,
            pinned: false,
        }
    }
}

impl From<Stream> for Placement {
    #[inline]
    fn from(stream: Stream) -> Placement {
        Placement {
            device: stream.device,
            stream: Some(stream),
            pinned: false,
        }
    }
}
