//! What is known of kernels and how long work takes.

pub(in crate::backend::cuda) mod facts;
pub mod timing;
