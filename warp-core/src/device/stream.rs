//! Streams: what is given to one stream of a device is done in that order.

use super::kind::Device;

/// A queue of work on a device.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Stream {
    /// The device that does the work.
    pub device: Device,
    /// The driver's handle; 0 is the default stream. The CPU has no other, and is done with everything when a call returns.
    pub handle: usize,
}

impl Stream {
    /// The stream of everything that names none.
    #[inline]
    pub const fn default_of(device: Device) -> Stream {
        Stream { device, handle: 0 }
    }
}
