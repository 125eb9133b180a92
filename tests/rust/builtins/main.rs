//! The builtin table: what rows compute, and how calls, operators and components resolve.

mod calls;
mod rows;

/// Rows as native code.
#[cfg(feature = "llvm")]
mod compiled;
/// Rows as PTX.
#[cfg(feature = "llvm")]
mod ptx;
