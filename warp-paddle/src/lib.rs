//! Paddle tensors in and out: their fields read directly, C exchange tables, gradients, dtype names.
//!
//! Not here: any decision about what a tensor means for us; that is `warp_core::interop`.
//!
//! Invariants: nothing imports paddle before the program has; only tensors that hold dense memory pass, because paddle's
//! own exchange functions crash on others; fields are read directly only after a probe has shown where they lie; a gradient
//! is set only where paddle lets a tensor have one.

mod adapter;
mod direct;
mod dtype;
mod grad;
mod probe;
mod tensor;

pub use tensor::Paddle;
