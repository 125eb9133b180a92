//! Memory that a backend allocated.

use std::ptr::NonNull;

/// Every allocation starts at a multiple of this: a cache line, and what XLA needs to share memory.
pub const ALIGNMENT: usize = 64;

/// What new memory holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// Whatever was there.
    Any,
    /// Zeros; on the CPU large blocks cost nothing until they are touched.
    Zeros,
}

/// The allocator of a backend that memory came from, so that it returns to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Origin {
    /// The usual one: `malloc` on the CPU, the driver's pool on a GPU.
    #[default]
    Usual,
    /// The driver at once, without a pool.
    Direct,
    /// The driver, which pinned memory of the host.
    Pinned,
    /// A node of the graph that others capture; the number is their capture's.
    Node(u64),
    /// A graph of ours, which keeps it.
    Kept,
    /// An allocator of the user's, by its number.
    Lent(u32),
}

/// Memory that a backend allocated.
#[derive(Clone, Debug)]
pub struct Memory {
    /// The first byte.
    pub data: NonNull<u8>,
    /// Bytes that may be used.
    pub size: usize,
    /// What the backend gives back: for the CPU the address that `malloc` gave.
    pub base: usize,
    /// The allocator that it came from.
    pub origin: Origin,
}
