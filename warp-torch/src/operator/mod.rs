//! Kernels as implementations of torch operators, called by torch's dispatcher without Python and without its lock.
//!
//! How parameters are filled says [`warp_core::operator`]. Here tensors are taken off torch's stack, made, and given back.

mod call;
mod implementation;
mod register;

pub use implementation::{Hooks, TorchOperator};
pub use register::implement;
