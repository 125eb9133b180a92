//! A kernel as code for one device.

use super::cpu::executable::Executable as CpuExecutable;
use super::cuda::Executable as CudaExecutable;
use crate::cache::Source as Origin;
use crate::device::Device;
use crate::span::Span;
use std::sync::Arc;

/// Code, and what a launch has to know of it.
#[derive(Debug)]
pub struct Code {
    /// The kernel's name.
    pub name: Arc<str>,
    /// Where it runs.
    pub device: Device,
    /// What `span` of a fault indexes.
    pub spans: Vec<Span>,
    /// Threads must run in index order.
    pub in_order: bool,
    /// Where the code came from.
    pub origin: Origin,
    /// What the device runs.
    pub executable: Executable,
}

/// What a device runs.
#[derive(Debug)]
pub enum Executable {
    /// A function of this process.
    Cpu(CpuExecutable),
    /// A kernel in the memory of a GPU.
    Cuda(Box<CudaExecutable>),
}
