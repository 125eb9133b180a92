//! Passes on a module.

use std::ffi::CStr;

use llvm_sys::transforms::pass_builder::*;

use super::context::Module;
use super::error::{Error, Result};
use super::machine::Machine;

/// What passes may do besides.
#[derive(Clone, Copy, Debug, Default)]
pub struct Allowed {
    /// Run loops in vectors.
    pub vectors: bool,
    /// Pack operations of one thread into vectors.
    pub pack: bool,
    /// Unroll loops.
    pub unroll: bool,
    /// Interleave several vector iterations.
    pub interleave: bool,
}

/// LLVM's passes for optimised code of a module. Those of O2 thread paths through branches and ask what is known of values on
/// them, both of which take quadratic time in functions of thousands of blocks.
pub fn optimising(module: &Module<'_>) -> &'static CStr {
    const MANY_BLOCKS: usize = 3000;
    match module.most_blocks() > MANY_BLOCKS {
        true => c"default<O1>",
        false => c"default<O2>",
    }
}

/// Runs passes, named as `opt -passes=` wants them.
///
/// # Errors
/// What LLVM refuses.
pub fn run(module: &Module<'_>, machine: &Machine, list: &CStr, allowed: Allowed) -> Result<()> {
    // SAFETY: all alive; the options are disposed of below.
    unsafe {
        let options = LLVMCreatePassBuilderOptions();
        LLVMPassBuilderOptionsSetLoopVectorization(options, i32::from(allowed.vectors));
        LLVMPassBuilderOptionsSetSLPVectorization(options, i32::from(allowed.pack));
        LLVMPassBuilderOptionsSetLoopUnrolling(options, i32::from(allowed.unroll));
        LLVMPassBuilderOptionsSetLoopInterleaving(options, i32::from(allowed.interleave));
        let e = LLVMRunPasses(module.raw(), list.as_ptr(), machine.raw(), options);
        LLVMDisposePassBuilderOptions(options);
        Error::check("optimise", e)
    }
}
