//! JAX arrays in and out, and compiled kernels as XLA FFI calls.
//!
//! Not here: which kernel a call means for Python, and its derivatives; `py` registers kernels, and the package's
//! `_jax/operator.py` makes primitives of them.
//!
//! Invariants: nothing imports jax before the program has; an array of jax's is only read; the handler of kernels
//! ([`ffi::handler`]) runs without Python and without its lock, and nothing that it looks at is ever freed.

mod adapter;
mod device;
mod dtype;
mod export;
pub mod ffi;
mod import;

pub use adapter::Jax;
pub use device::{device_from, device_to};
pub use dtype::{dtype_from, dtype_to};
pub use import::is_traced;
