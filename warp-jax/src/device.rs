//! Devices as jax names them.

use pyo3::intern;
use pyo3::prelude::*;
use warp_core::device::{Device, cuda};
use warp_core::error::Code;
use warp_dlpack::{Lenient, exception};

/// jax's name of the platform of NVIDIA's GPUs; a device's own word for it is "gpu".
const CUDA: &str = "cuda";

/// The device that a `jax.Device` stands for.
///
/// # Errors
/// The object is no `jax.Device`, or one of a platform other than the CPU and NVIDIA's GPUs, or of another process.
pub fn device_from(device: &Bound<'_, PyAny>) -> PyResult<Device> {
    let platform = device
        .getattr("platform")
        .and_then(|p| p.extract::<String>())
        .lenient()?;
    let refuse = |what: String| exception(Code::Runtime, format!("device_from_jax: {what}"));
    match platform.as_deref() {
        Some("cpu") => Ok(Device::Cpu),
        Some("gpu" | CUDA) => {
            let ordinal = ordinal(device)?.map(Device::cuda);
            let there = ordinal.filter(|d| cuda::gpu_of(*d).is_ok());
            there.ok_or_else(|| {
                refuse(format!(
                    "{device} is no GPU that the CUDA driver shows to this process"
                ))
            })
        }
        Some(other) => Err(refuse(format!(
            "{} is on the platform '{other}', which is not available here; the CPU and NVIDIA's GPUs are",
            device.repr()?
        ))),
        None => Err(refuse(format!(
            "expected a jax.Device, found {}",
            device.repr()?
        ))),
    }
}

/// The number of a GPU among those of this process, as the driver counts them.
fn ordinal(device: &Bound<'_, PyAny>) -> PyResult<Option<u16>> {
    let number = device.getattr(intern!(device.py(), "local_hardware_id"));
    number.and_then(|n| n.extract()).lenient()
}

/// jax's object for a device: the first one of its kind that belongs to this process, or the GPU with its number.
///
/// # Errors
/// jax has no such device, or cannot be imported.
pub fn device_to(py: Python<'_>, device: Device) -> PyResult<Bound<'_, PyAny>> {
    let wanted = match device {
        Device::Cpu => None,
        Device::Cuda(ordinal) => Some(ordinal.get()),
    };
    let options = pyo3::types::PyDict::new(py);
    options.set_item("backend", wanted.map_or("cpu", |_| CUDA))?;
    let devices = py
        .import("jax")?
        .call_method("local_devices", (), Some(&options));
    let Some(wanted) = wanted else {
        return devices?.get_item(0);
    };
    let absent = |why: String| {
        exception(
            Code::Runtime,
            format!("device_to_jax: jax has no device for \"{device}\"{why}"),
        )
    };
    let devices = devices.map_err(|e| absent(format!(": {}", e.value(py))))?;
    for theirs in devices.try_iter()? {
        let theirs = theirs?;
        if ordinal(&theirs)? == Some(wanted) {
            return Ok(theirs);
        }
    }
    Err(absent(String::new()))
}
