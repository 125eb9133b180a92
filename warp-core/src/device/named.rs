//! Names that users gave GPUs, besides their own.

use super::kind::Device;
use crate::error::{Code, Error, Result};
use std::sync::{PoisonError, RwLock};

static NAMES: RwLock<Vec<(String, Device)>> = RwLock::new(Vec::new());

/// Gives a device a name, in place of the one that it was given before.
///
/// # Errors
/// [`Code::Value`]: a device is spelled so. [`Code::Runtime`]: another device was given this name.
pub fn name_device(name: &str, device: Device) -> Result<()> {
    if name.is_empty() || Device::spelled(name).is_some() {
        let text = format!(
            "a device cannot be named {name:?}: expected a text that no device is spelled with"
        );
        return Err(Error::new(Code::Value, text));
    }
    let mut names = NAMES.write().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, other)) = names.iter().find(|(n, d)| n == name && *d != device) {
        let text = format!("the device \"{other}\" is named {name:?} already");
        return Err(Error::new(Code::Runtime, text));
    }
    names.retain(|(_, d)| *d != device);
    names.push((name.into(), device));
    Ok(())
}

/// Takes a name away; false where no device was given it.
pub fn unname_device(name: &str) -> bool {
    let mut names = NAMES.write().unwrap_or_else(PoisonError::into_inner);
    let before = names.len();
    names.retain(|(n, _)| n != name);
    names.len() < before
}

/// The device that was given a name.
#[cold]
pub fn named(name: &str) -> Option<Device> {
    let names = NAMES.read().unwrap_or_else(PoisonError::into_inner);
    names.iter().find(|(n, _)| n == name).map(|(_, d)| *d)
}

/// The name that a device was given.
pub fn given_name(device: Device) -> Option<String> {
    let names = NAMES.read().unwrap_or_else(PoisonError::into_inner);
    names
        .iter()
        .find(|(_, d)| *d == device)
        .map(|(n, _)| n.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_for_one_device_until_it_is_taken_away() {
        let (first, second) = (Device::cuda(41), Device::cuda(42));
        name_device("left", first).expect("nobody is named so");
        assert_eq!(
            (named("left"), given_name(first)),
            (Some(first), Some("left".into()))
        );
        assert_eq!(
            name_device("left", second).expect_err("taken").code,
            Code::Runtime
        );
        name_device("port", first).expect("nobody is named so");
        assert_eq!((named("left"), named("port")), (None, Some(first)));
        for spelled in ["", "cpu", "cuda", "cuda:7"] {
            assert_eq!(
                name_device(spelled, first).expect_err("spelled").code,
                Code::Value
            );
        }
        assert!(unname_device("port") && !unname_device("port"));
        assert_eq!(given_name(first), None);
    }
}
