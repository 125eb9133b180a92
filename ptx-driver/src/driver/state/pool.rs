//! A memory pool. Only its accounts are kept: addresses are never used again, so nothing is truly cached.

/// A `CUmemoryPool`.
pub struct Pool {
    pub device: u32,
    /// The device's own: it cannot be destroyed.
    pub default: bool,
    /// Devices that may touch its memory, as bits.
    pub accessible: u64,
    pub threshold: u64,
    pub used: u64,
    pub used_high: u64,
    pub reserved: u64,
    pub reserved_high: u64,
    /// Follow event dependencies, allow opportunistic reuse, allow internal dependencies.
    pub reuse: [i32; 3],
    pub destroyed: bool,
}

impl Pool {
    pub fn new(device: u32, default: bool) -> Pool {
        Pool {
            device,
            default,
            accessible: 1 << device,
            threshold: 0,
            used: 0,
            used_high: 0,
            reserved: 0,
            reserved_high: 0,
            reuse: [1; 3],
            destroyed: false,
        }
    }
}
