//! The kernel that sets the conditions of the conditional nodes of a graph.

use crate::backend::cuda::code::loaded::Loaded;
use crate::device::cuda::Gpu;
use crate::error::{Bug, Code, Error, Result};
use std::ffi::CString;

/// Loads it. It takes the address of an int32, the handle of a node that runs its body unless that is 0, and the handle of another
/// one that runs its body if it is; a handle of 0 is none.
///
/// # Errors
/// The driver is older than such nodes.
pub fn load(gpu: &'static Gpu) -> Result<Loaded> {
    let current = gpu.enter()?;
    if !current.driver().has_conditional_nodes() {
        let text = "the driver knows no graphs with branches; one for CUDA 12.4 or later does";
        return Err(Error::new(Code::Runtime, text));
    }
    let text = format!(
        ".version 6.3\n.target sm_50\n.address_size 64\n{}",
        include_str!("condition.ptx")
    );
    let text = CString::new(text).map_err(|e| Bug(e.to_string()))?;
    Loaded::new(gpu, &text, "set_conditions")
}
