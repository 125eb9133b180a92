//! Who does a command.

use crate::array::View;
use crate::device::Device;

/// Who does a command, which says what graphs it can be part of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// The host has to do something each time.
    Host,
    /// A GPU does it alone, given what it is to do once.
    Gpu(Device),
    /// As `Gpu`, but not in branches and loops that the GPU decides by itself.
    GpuOutside(Device),
}

impl Place {
    /// Of work on an array within its device.
    pub fn of(view: &View) -> Place {
        match view.device {
            Device::Cpu => Place::Host,
            device => Place::Gpu(device),
        }
    }
}
