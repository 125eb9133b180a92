//! Kernels by handle: attributes.
use crate::driver::base::{Error, Handle, Result};
use crate::driver::device::limits;
use crate::driver::state::{Function, State};
use std::sync::Arc;
use std::sync::atomic::Ordering;

pub fn find(s: &State, function: Handle) -> Result<&Arc<Function>> {
    s.functions.get(function).ok_or(Error::INVALID_HANDLE)
}

/// `cuFuncGetAttribute`.
pub fn attribute(s: &State, function: Handle, attribute: u32) -> Result<i32> {
    let f = find(s, function)?;
    let (kernel, module) = (f.kernel(), &f.module.ptx);
    Ok(match attribute {
        0 => f.max_threads() as i32,
        1 => kernel.shared_bytes as i32,
        2 => f.module.const_bytes as i32,
        3 => kernel.local_bytes as i32,
        4 => f.registers() as i32,
        5 => (module.version.0 * 10 + module.version.1) as i32,
        6 => s.settings.sm as i32,
        7 => 0,
        8 => f.max_dynamic_shared() as i32,
        9 => f.carveout.load(Ordering::Relaxed) as i32,
        // Clusters: not asked for, and none.
        10..=15 => 0,
        _ => return Err(Error::INVALID_VALUE),
    })
}

/// `cuFuncSetAttribute`: only the two that may be set.
pub fn set_attribute(s: &State, function: Handle, attribute: u32, value: i32) -> Result {
    let f = find(s, function)?;
    match attribute {
        8 => {
            let most = limits::shared_optin(s.settings.sm) - f.kernel().shared_bytes as i64;
            if !(0..=most).contains(&i64::from(value)) {
                return Err(Error::INVALID_VALUE);
            }
            f.dynamic.store(value as u32, Ordering::Relaxed);
        }
        9 if (-1..=100).contains(&value) => f.carveout.store(value as u32, Ordering::Relaxed),
        _ => return Err(Error::INVALID_VALUE),
    }
    Ok(())
}
