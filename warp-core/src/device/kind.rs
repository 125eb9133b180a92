//! Devices by kind and number.

use crate::error::{Code, Error};
use std::borrow::Cow;
use std::fmt;
use std::num::NonZero;

/// The number of a device among those of its kind.
///
/// It leaves a value free, so that a [`Device`] is one word of four bytes, written and read as a whole. A tag beside a
/// number would be written apart and read together, for which a processor waits in every launch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Ordinal(NonZero<u32>);

impl Ordinal {
    /// The number `n`.
    pub const fn new(n: u16) -> Ordinal {
        Ordinal(NonZero::<u32>::MIN.saturating_add(n as u32))
    }

    /// The number.
    pub const fn get(self) -> u16 {
        (self.0.get() - 1) as u16
    }
}

impl fmt::Display for Ordinal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

const _: () = assert!(size_of::<Device>() == 4);

/// A place that holds arrays and runs kernels.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub enum Device {
    /// The host: all its cores, one memory.
    #[default]
    Cpu,
    /// A GPU of NVIDIA's, by its number.
    Cuda(Ordinal),
}

impl Device {
    /// The spelling that users write and that [`super::parse`] reads.
    pub fn alias(self) -> Cow<'static, str> {
        match self {
            Device::Cpu => "cpu".into(),
            Device::Cuda(ordinal) => format!("cuda:{ordinal}").into(),
        }
    }

    /// The GPU of NVIDIA's with this number.
    pub const fn cuda(ordinal: u16) -> Device {
        Device::Cuda(Ordinal::new(ordinal))
    }

    /// Its number among the GPUs of NVIDIA's, if it is one.
    pub const fn as_cuda(self) -> Option<Ordinal> {
        let Device::Cuda(ordinal) = self else {
            return None;
        };
        Some(ordinal)
    }

    /// The device that `name` spells, whether there is one or not.
    pub fn spelled(name: &str) -> Option<Device> {
        match name.split_once(':') {
            None if name == "cpu" => Some(Device::Cpu),
            None if name == "cuda" => Some(Device::cuda(0)),
            Some(("cpu", "0")) => Some(Device::Cpu),
            Some(("cuda", ordinal)) => ordinal.parse().ok().map(Device::cuda),
            _ => None,
        }
    }

    /// The error of a device that is not among `there`.
    #[cold]
    pub fn absent(name: &str, there: &[Device]) -> Error {
        let all: Vec<_> = there.iter().map(|d| d.alias()).collect();
        // Any GPU will do, and there is none: that is about the machine, not about the name.
        let code = match name {
            "cuda" => Code::Runtime,
            _ => Code::Value,
        };
        Error::new(code, format!("there is no device \"{name}\"")).hint(format!(
            "the devices of this machine: \"{}\"",
            all.join("\", \"")
        ))
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.alias())
    }
}
