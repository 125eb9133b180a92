//! PyTorch tensors in and out: C exchange tables, gradients, dtype and device names; kernels
//! as operators that run without Python.
//!
//! Not here: any decision about what a tensor means for us; that is `warp_core::interop`. Nothing imports torch
//! before somebody else has. Invariants: only tensors that hold plain memory pass; a gradient is read only where
//! reading it is free of side effects.

mod direct;
mod dtype;
mod grad;
mod probe;

pub mod operator;
mod refuse;
mod stable;
mod tensor;
mod without_exchange;

pub use dtype::{dtype_from, dtype_to, exported};
pub use stable::load as load_stable;
pub use tensor::{Torch, describe, is_exact, is_tensor};
