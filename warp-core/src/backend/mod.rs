//! Backends: what allocates and copies memory, compiles and runs kernels, one folder per kind of device.
//!
//! [`of`] is the only place that knows which backend serves a device.

mod code;
pub mod cpu;
pub mod cuda;
#[cfg(any(feature = "llvm", all(test, feature = "loom")))]
mod fork_guard;
mod interface;
mod job;
#[cfg(feature = "llvm")]
pub mod llvm;
mod math;
mod memory;
#[cfg(feature = "llvm")]
mod stored;

pub use code::{Code, Executable};
pub use interface::{Backend, Located};
pub use job::{Grid, Job};
pub use memory::{ALIGNMENT, Content, Memory, Origin};

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
        Device::Cuda(_) => Ok(&cuda::Cuda),
    }
}
