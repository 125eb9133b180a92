//! Devices as jax names them.

use pyo3::prelude::*;
use warp_core::device::Device;
use warp_core::error::Code;
use warp_dlpack::{Lenient, exception};

/// The device that a `jax.Device` stands for.
///
/// # Errors
/// The object is no `jax.Device`, or one of a platform other than the CPU.
pub fn device_from(device: &Bound<'_, PyAny>) -> PyResult<Device> {
    let platform = device
        .getattr("platform")
        .and_then(|p| p.extract::<String>())
        .lenient()?;
    match platform.as_deref() {
        Some("cpu") => Ok(Device::Cpu),
        Some(other) => Err(exception(
            Code::Runtime,
            format!(
                "device_from_jax: {} is on the platform '{other}', which is not available here; only the CPU is",
                device.repr()?
            ),
        )),
        None => Err(exception(
            Code::Runtime,
            format!(
                "device_from_jax: expected a jax.Device, found {}",
                device.repr()?
            ),
        )),
    }
}

/// jax's object for a device: the first one of its kind that belongs to this process.
///
/// # Errors
/// The device is not the CPU, or jax cannot be imported.
pub fn device_to(py: Python<'_>, device: Device) -> PyResult<Bound<'_, PyAny>> {
    if device != Device::Cpu {
        return Err(exception(
            Code::Runtime,
            format!("device_to_jax: {device} has no counterpart"),
        ));
    }
    let options = pyo3::types::PyDict::new(py);
    options.set_item("backend", "cpu")?;
    let devices = py
        .import("jax")?
        .call_method("local_devices", (), Some(&options))?;
    devices.get_item(0)
}
