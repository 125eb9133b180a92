//! The CPU: LLVM text to native code, the thread pool that runs it, the runtime it calls, and host memory.
//!
//! `llvm` (feature `llvm`) is the only module here that touches LLVM; the rest needs none. Everything
//! here is below the IR: it knows the launch ABI ([`crate::abi`]) and nothing of kernels' meaning.

pub mod arena;
#[cfg(feature = "llvm")]
pub mod background;
#[cfg(feature = "llvm")]
pub mod check;
#[cfg(feature = "llvm")]
mod compile;
mod copy;
mod cost;
pub mod executable;
mod fill;
mod guarded;
mod idle;
mod launch;
#[cfg(feature = "llvm")]
pub mod llvm;
pub mod math;
mod memory;
#[cfg(not(feature = "llvm"))]
mod no_compiler;
pub mod pool;
pub mod preserve;
pub mod print;
mod profile;
mod refusal;
#[cfg(feature = "llvm")]
mod report;
mod rows;
pub mod runtime;

pub use copy::copy;
pub use cost::Cost;
pub use memory::{Listener, listen};
pub use refusal::refusal;
#[cfg(feature = "llvm")]
pub use report::{report, text};

use super::code::Code;
use super::interface::{Backend, Located};
use super::job::Job;
use super::memory::{Content, Memory};
use crate::abi::{ErrorSlot, Strided};
use crate::cache::Cache;
use crate::device::{Device, Stream};
use crate::error::Result;
use crate::lower;
use crate::verify::Verified;

/// What compiled code depends on besides its text: the compiler, and the CPU with its features.
pub fn host_id() -> &'static str {
    #[cfg(feature = "llvm")]
    return llvm::host_id();
    #[cfg(not(feature = "llvm"))]
    return "no compiler";
}

/// The backend of the CPU.
#[derive(Debug)]
pub struct Cpu;

impl Backend for Cpu {
    fn allocate(&self, size: usize, content: Content, _: Stream) -> Result<Memory> {
        memory::allocate(size, content)
    }

    unsafe fn release(&self, memory: &Memory, _: Stream) {
        // SAFETY: promised by the caller.
        unsafe { memory::release(memory) }
    }

    unsafe fn copy(&self, to: &Located, from: &Located, _: Stream) -> Result<()> {
        // SAFETY: promised by the caller.
        unsafe { copy(&to.elements, &from.elements) };
        Ok(())
    }

    unsafe fn fill(&self, to: &Strided, element: &[u8], _: Stream) -> Result<()> {
        // SAFETY: promised by the caller.
        unsafe { fill::fill(to, element) };
        Ok(())
    }

    fn compile(
        &self,
        func: &Verified,
        options: &lower::Options,
        cache: &Cache,
        _: Device,
        tiered: bool,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Code> {
        #[cfg(not(feature = "llvm"))]
        use no_compiler as compile;
        compile::compile(func, options, cache, tiered, interrupted)
    }

    unsafe fn launch(
        &self,
        job: &Job<'_>,
        interrupted: Option<&dyn Fn() -> bool>,
    ) -> std::result::Result<(), ErrorSlot> {
        // SAFETY: promised by the caller.
        unsafe { launch::launch(job, interrupted) }
    }

    fn synchronize(&self, _: Stream, _: &dyn Fn() -> bool) -> Result<()> {
        // Every launch has ended when it returns.
        Ok(())
    }

    fn synchronize_device(&self, _: Device, _: &dyn Fn() -> bool) -> Result<()> {
        Ok(())
    }
}
