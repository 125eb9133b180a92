//! Devices as DLPack names them.

use crate::ffi::{DLDevice, DLDeviceType};
use warp_core::device::{Device, all};
use warp_core::error::{Code, Error, Result};

/// A device as DLPack names it.
pub fn device(d: Device) -> DLDevice {
    match d {
        Device::Cpu => DLDevice::CPU,
        Device::Cuda(ordinal) => DLDevice {
            device_type: DLDeviceType::CUDA,
            device_id: ordinal.get().into(),
        },
    }
}

/// The device that DLPack names.
///
/// # Errors
/// The memory is not the host's.
#[inline]
pub fn device_of(d: DLDevice) -> Result<Device> {
    match d.device_type {
        DLDeviceType::CPU | DLDeviceType::CUDAHOST => Ok(Device::Cpu),
        DLDeviceType::CUDA => gpu(d),
        _ => Err(no_device(d)),
    }
}

#[cold]
fn gpu(d: DLDevice) -> Result<Device> {
    let device = u16::try_from(d.device_id).map(Device::cuda);
    let there = device.ok().filter(|device| all().contains(device));
    there.ok_or_else(|| no_device(d))
}

#[cold]
fn no_device(d: DLDevice) -> Error {
    match d.device_type {
        DLDeviceType::CUDA => Error::new(
            Code::Value,
            format!(
                "the memory is on CUDA device {}, which is not available here",
                d.device_id
            ),
        )
        .hint("copy it to the CPU first"),
        // The header's enumeration is signed.
        DLDeviceType(kind) => Error::new(
            Code::Value,
            format!(
                "the memory is on a device of DLPack kind {}, which has no counterpart",
                kind.cast_signed()
            ),
        )
        .hint("copy it to the CPU first"),
    }
}
