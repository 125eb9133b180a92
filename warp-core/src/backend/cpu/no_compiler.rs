//! What stands for `compile` in a build without LLVM.

use crate::backend::code::Code;
use crate::cache::Cache;
use crate::error::Result;
use crate::lower;
use crate::verify::Verified;

/// Refuses every kernel.
///
/// # Errors
/// [`crate::error::Code::System`]: this build has no LLVM.
pub fn compile(
    _: &Verified,
    _: &lower::Options,
    _: &Cache,
    _: bool,
    _: &dyn Fn() -> bool,
) -> Result<Code> {
    Err(crate::error::Error::new(
        crate::error::Code::System,
        "this build cannot compile kernels: it was made without LLVM",
    ))
}
