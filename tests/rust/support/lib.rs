//! What the tests of the workspace share: golden files, programs without Python, random kernels, and ways to run them.

#[cfg(feature = "llvm")]
pub mod assemble;
pub mod differences;
pub mod files;
pub mod generate;
#[cfg(feature = "llvm")]
pub mod native;
pub mod outline;
pub mod program;
