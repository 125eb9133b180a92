//! Paddle tensors in and out: C exchange tables, gradients, dtype and place names.
//!
//! Not here: any decision about what a tensor means for us; that is `warp_core::interop`. Nothing imports paddle
//! before somebody else has. Invariants: only tensors that hold dense memory pass, because paddle's own exchange functions
//! crash on others; a gradient is set only where paddle lets a tensor have one.

mod direct;
mod dtype;
mod grad;
mod probe;
mod tensor;

pub use dtype::{dtype_from, dtype_to, exported};
pub use tensor::{Paddle, describe, is_exact, is_tensor};
