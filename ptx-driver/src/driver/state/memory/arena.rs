//! Address ranges that are given out once and never again.
//!
//! Device addresses have no access rights: a host that dereferences one ends with SIGSEGV. The bytes lie elsewhere (`backing`).
use super::backing::PAGE;
use crate::driver::base::{Error, Result};

/// How much is reserved at a time. It costs no memory.
const REGION: u64 = 64 << 30;

/// Between two allocations, at least. Larger than a kernel is likely to miss by.
const GAP: u64 = 4096;

/// Addresses that are left to give out.
#[derive(Default)]
pub struct Arena {
    next: u64,
    end: u64,
}

impl Arena {
    /// Reserves `bytes` bytes at a multiple of 512, or of a page if `page`.
    pub fn reserve(&mut self, bytes: u64, page: bool) -> Result<u64> {
        if bytes > 1 << 46 {
            return Err(Error::OUT_OF_MEMORY);
        }
        let align = if page { PAGE } else { 512 };
        let size = bytes.next_multiple_of(align) + GAP;
        let mut base = self.next.next_multiple_of(align);
        if base + size > self.end {
            let region = size.max(REGION);
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            // SAFETY: a new mapping at an address that the kernel chooses.
            let at = unsafe {
                libc::mmap(
                    std::ptr::null_mut(),
                    region as usize,
                    libc::PROT_NONE,
                    flags,
                    -1,
                    0,
                )
            };
            if at == libc::MAP_FAILED {
                return Err(Error::OUT_OF_MEMORY);
            }
            self.end = at as u64 + region;
            // A gap below the first allocation, too.
            base = at as u64 + GAP;
            if base + size > self.end {
                return Err(Error::OUT_OF_MEMORY);
            }
        }
        self.next = base + size;
        Ok(base)
    }
}
