//! The builtin table: what rows compute, and how calls, operators and components resolve.

mod calls;
mod rows;

/// PTX through NVIDIA's assembler: shared with the tests of PTX.
#[cfg(feature = "llvm")]
#[path = "../../../tests/rust/ptx/assemble.rs"]
mod assemble;
/// Rows as native code.
#[cfg(feature = "llvm")]
mod compiled;
/// Runs kernels natively: shared with the tests of lowering.
#[cfg(feature = "llvm")]
#[allow(dead_code, reason = "only a part of it is used here")]
#[path = "../lower/native.rs"]
mod native;
/// Rows as PTX.
#[cfg(feature = "llvm")]
mod ptx;
