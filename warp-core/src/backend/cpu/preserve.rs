//! Calls that change no register.
//!
//! Generated code calls the runtime in loops whose values fill the vector registers, and hardly ever does
//! ([`PRESERVING`](crate::abi::runtime::PRESERVING)). So that the loop need not save anything, what it calls is one of the functions made
//! here: it saves every register that generated code may use and a call may change, calls the function proper, and gives all of
//! them back. Assembly does it, since no compiler promises it: LLVM's own attribute leaves out what returns a
//! large result, and the upper halves of vectors.
//!
//! For each architecture there are the `Registers` that generated code may use and the macro `preserving`.

#[cfg(target_arch = "aarch64")]
pub mod aarch64;
#[cfg(target_arch = "x86_64")]
pub mod x86_64;

#[cfg(target_arch = "aarch64")]
pub use aarch64::Registers;
#[cfg(target_arch = "aarch64")]
pub(super) use aarch64::preserving;
#[cfg(target_arch = "x86_64")]
pub use x86_64::Registers;
#[cfg(target_arch = "x86_64")]
pub(super) use x86_64::preserving;
