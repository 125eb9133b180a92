//! Where arrays live and kernels run, and the memory of each kind of device.

mod memory;

pub use memory::{ALIGNMENT, Allocation};

use crate::error::{Code, Error, Result};
use std::fmt;

/// A place that holds arrays and runs kernels.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Device {
    /// The host: all its cores, one memory.
    #[default]
    Cpu,
}

impl Device {
    /// Every device of this machine.
    pub const fn all() -> &'static [Device] {
        &[Device::Cpu]
    }
    /// The spelling that users write and that [`Device::parse`] reads.
    pub const fn alias(self) -> &'static str {
        match self {
            Device::Cpu => "cpu",
        }
    }
    /// The device that `name` spells; the error lists the devices there are.
    pub fn parse(name: &str) -> Result<Device> {
        match name {
            "cpu" | "cpu:0" => Ok(Device::Cpu),
            _ => {
                let known: Vec<_> = Device::all().iter().map(|d| d.alias()).collect();
                Err(
                    Error::new(Code::Value, format!("there is no device \"{name}\"")).hint(
                        format!("the devices of this machine: \"{}\"", known.join("\", \"")),
                    ),
                )
            }
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.alias())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_read_back() {
        for d in Device::all() {
            assert_eq!(Device::parse(d.alias()), Ok(*d));
        }
        let e = Device::parse("cuda:0").unwrap_err().to_string();
        assert!(e.contains("cuda:0") && e.contains("\"cpu\""), "{e}");
    }
}
