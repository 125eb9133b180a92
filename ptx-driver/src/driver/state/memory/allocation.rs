//! An allocation: where it lies, whose it is, and since when it is freed.
use super::backing::Backing;
use crate::driver::base::Handle;
use std::sync::Arc;

/// Who may touch an allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Pinned memory: every device.
    Host { registered: bool, flags: u32 },
    /// Memory of a context, and of those that enabled access to it.
    Context(Handle),
    /// Memory of a pool: the devices that it has_access, as bits.
    Pool {
        pool: Handle,
        device: u32,
        accessible: u64,
    },
}

/// An allocation.
pub struct Allocation {
    pub base: u64,
    pub bytes: u64,
    pub origin: Origin,
    /// The context that was current, for `CU_POINTER_ATTRIBUTE_CONTEXT`.
    pub context: Handle,
    pub device: u32,
    /// Bytes are there once the stream has reached the allocation, until it reaches the free.
    pub backing: Option<Arc<Backing>>,
    /// The ticket of the call that freed it: no work enqueued later may touch it, whatever the order of execution.
    pub freed: Option<u64>,
    /// Number for `CU_POINTER_ATTRIBUTE_BUFFER_ID`.
    pub id: u64,
    /// Made by a node of a graph: it comes back with each launch.
    pub graph: bool,
    /// Part of a module, or a value of a conditional node: `cuMemFree` refuses it.
    pub internal: bool,
}
