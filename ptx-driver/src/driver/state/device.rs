//! A device.
use crate::driver::base::{Error, Handle, Result};

/// A device, with the accounts of its memory.
pub struct Device {
    /// Bytes that allocations and pools take.
    pub used: u64,
    pub memory: u64,
    pub primary: Option<Handle>,
    pub primary_uses: u32,
    pub primary_flags: u32,
    pub default_pool: Handle,
    /// The pool that `cuMemAllocAsync` takes from.
    pub pool: Handle,
}

impl Device {
    /// Counts bytes as used, if there are as many.
    pub fn charge(&mut self, bytes: u64) -> Result {
        if bytes > self.memory.saturating_sub(self.used) {
            return Err(Error::OUT_OF_MEMORY);
        }
        self.used += bytes;
        Ok(())
    }

    pub fn release(&mut self, bytes: u64) {
        self.used = self.used.saturating_sub(bytes);
    }
}
