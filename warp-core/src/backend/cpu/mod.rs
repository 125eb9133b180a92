//! The CPU target: LLVM text to native code, the thread pool that runs it, and the runtime it calls.
//!
//! `llvm` (feature `llvm`) is the only module that touches LLVM; the rest needs none. Everything
//! here is below the IR: it knows the launch ABI ([`crate::abi`]) and nothing of kernels' meaning.

pub mod arena;
pub mod launch;
#[cfg(feature = "llvm")]
pub mod llvm;
pub mod math;
pub mod pool;
pub mod print;
pub mod runtime;
