//! The devices of this machine, and which of them a name means.

use super::cuda;
use super::kind::Device;
use super::named::named;
use crate::error::{Error, Result};
use std::sync::OnceLock;

/// Every device of this machine that this build can use, the CPU first.
pub fn all() -> &'static [Device] {
    static ALL: OnceLock<Vec<Device>> = OnceLock::new();
    ALL.get_or_init(|| {
        let gpus = cuda::gpus().iter().map(cuda::Gpu::device);
        std::iter::once(Device::Cpu).chain(gpus).collect()
    })
}

/// The device that `name` spells, or that was given this name.
///
/// # Errors
/// [`crate::error::Code::Value`] if no device is spelled so, or if there is none, but [`crate::error::Code::Runtime`] for
/// `"cuda"`; the error lists the devices there are.
#[inline]
pub fn parse(name: &str) -> Result<Device> {
    // Launches ask for this name in every call.
    if name == "cpu" {
        return Ok(Device::Cpu);
    }
    match Device::spelled(name) {
        Some(device) if all().contains(&device) => Ok(device),
        _ => named(name).ok_or_else(|| missing(name)),
    }
}

/// The error of a device that is not there.
#[cold]
pub fn missing(name: &str) -> Error {
    let error = Device::absent(name, all());
    match (name.starts_with("cuda"), cuda::absence()) {
        (true, Some(why)) => {
            let hint = why
                .hint
                .as_deref()
                .map(|hint| format!(" ({hint})"))
                .unwrap_or_default();
            let devices = error.hint.clone().unwrap_or_default();
            error.hint(format!("{}{hint}; {devices}", why.message))
        }
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_read_back() {
        for d in all() {
            assert_eq!(parse(&d.alias()), Ok(*d));
        }
        for d in [
            Device::Cpu,
            Device::cuda(0),
            Device::cuda(17),
            Device::cuda(u16::MAX),
        ] {
            assert_eq!(Device::spelled(&d.alias()), Some(d));
        }
        assert_eq!(Device::spelled("cpu:0"), Some(Device::Cpu));
        assert_eq!(Device::spelled("cuda"), Some(Device::cuda(0)));
        for wrong in ["", "cpu:1", "cuda:", "cuda:-1", "cuda:x", "gpu", "cuda:0:0"] {
            assert_eq!(Device::spelled(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_device_that_is_not_there_is_refused_by_name() {
        let e = parse("cuda:1234").unwrap_err().to_string();
        assert!(e.contains("cuda:1234") && e.contains("\"cpu\""), "{e}");
    }
}
