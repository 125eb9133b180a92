//! What a run takes: arguments that are packed, what keeps their memory, and what is run.

use super::pack::Owners;
use crate::kernel::Kernel;
use pyo3::prelude::*;
use std::sync::Arc;
use warp_core::abi::Strided;
use warp_core::array::nested_owners::Lending;
use warp_core::launch::{Block, Buffers};
use warp_core::module::CachedAdjoint;

/// The arguments of a run, packed.
#[derive(Clone, Copy)]
pub struct Prepared<'a> {
    /// The argument block.
    pub block: &'a Block,
    /// What is known of how its arrays overlap.
    pub buffers: Buffers<'a>,
    /// Gives owners of all arrays' memory. Asked before Python's lock is given up: from then on other threads may give the
    /// arguments other memory. Short launches keep the lock, and pay nothing.
    pub hold: &'a dyn Fn() -> PyResult<Owners>,
    /// Where the kernel stores array descriptors.
    pub lending: Option<&'a Lending>,
    /// Says what is run, to those who capture it.
    pub source: &'a dyn Fn() -> PyResult<Source>,
}

/// What is run, for later.
pub struct Source {
    /// The kernel.
    pub kernel: Py<Kernel>,
    /// Which of its adjoints, where it is one.
    pub adjoint: Option<Arc<CachedAdjoint>>,
    /// What it writes.
    pub writes: Vec<Strided>,
}
