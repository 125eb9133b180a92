//! PyTorch tensors in and out: their fields read directly, C exchange tables, gradients, dtype names; kernels as
//! operators that run without Python.
//!
//! Not here: any decision about what a tensor means for us; that is `warp_core::interop`.
//!
//! Invariants: nothing imports torch before the program has; only tensors that hold plain memory pass; fields are read
//! directly only after a probe has shown where they lie; a gradient is read only where reading it has no side effects.

mod adapter;
mod direct;
mod dtype;
mod grad;
pub mod operator;
mod probe;
mod refuse;
mod stable;
mod tensor;
mod version;
mod without_exchange;

pub use stable::load as load_stable;
pub use tensor::Torch;
