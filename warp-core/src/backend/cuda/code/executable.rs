//! A kernel on a GPU, and what its launches have to know.

#[cfg(feature = "llvm")]
use crate::backend::cuda::code::compile::Compiled;
use crate::backend::cuda::code::loaded::Loaded;
use crate::backend::cuda::launch::fault;
use crate::backend::cuda::launch::stacks::Stacks;
#[cfg(feature = "llvm")]
use crate::device::cuda::Gpu;
#[cfg(feature = "llvm")]
use crate::error::Result;
#[cfg(feature = "llvm")]
use crate::ir::Func;
use crate::lower::{Conditions, Printed};
use std::sync::Arc;

/// A kernel in the memory of a GPU.
#[derive(Debug)]
pub struct Executable {
    /// The kernel.
    pub loaded: Loaded,
    /// What the user calls it.
    pub title: String,
    /// A number that no other kernel of this process has, which its faults carry.
    pub number: u32,
    /// What its `print` statements print.
    pub prints: Arc<[Printed]>,
    /// What its threads record on.
    pub stacks: Option<Stacks>,
    /// Whether its threads reduce sums in registers.
    pub reduces: bool,
    /// Whether its threads ask for objects.
    pub queries: bool,
    /// What a launch asks for the body for dense arrays.
    pub dense: Conditions,
    /// Threads of a block, where these work together.
    pub threads: Option<u32>,
}

impl Executable {
    /// Loads what was made of a kernel.
    ///
    /// # Errors
    /// What the driver says.
    #[cfg(feature = "llvm")]
    pub fn new(gpu: &'static Gpu, made: Compiled, func: &Func) -> Result<Executable> {
        Ok(Executable {
            loaded: Loaded::new(gpu, &made.ptx, &made.symbol)?,
            title: func.name.clone(),
            number: fault::number(),
            prints: made.prints.into(),
            stacks: Stacks::new(gpu, made.stacks)?,
            reduces: made.reduces,
            queries: made.queries,
            dense: made.dense,
            threads: func.threads.map(|of| of.threads),
        })
    }

    /// Says how faults of this kernel read.
    pub fn explain(&self, how: fault::Explain) {
        fault::explain(self.number, how);
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        fault::forget(self.number);
    }
}
