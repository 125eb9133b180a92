//! Backends: what allocates and copies memory, compiles and runs kernels, one folder per kind of device.
//!
//! [`of`] is the only place that knows which backend serves a device.

mod code;
pub mod cpu;
mod interface;
mod job;

pub use code::{Code, Executable};
pub use interface::{ALIGNMENT, Backend, Content, Located, Memory};
pub use job::Job;

use crate::device::Device;
use crate::error::Result;

/// The backend that serves a device.
///
/// # Errors
/// [`crate::error::Code::Value`] if this build has none for it.
#[inline]
pub fn of(device: Device) -> Result<&'static dyn Backend> {
    match device {
        Device::Cpu => Ok(&cpu::Cpu),
        Device::Cuda(_) => Err(Device::missing(&device.alias())),
    }
}
