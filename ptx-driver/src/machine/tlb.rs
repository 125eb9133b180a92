//! A translation lookaside buffer: where pages of the device's memory lie on the host, as far as they were looked up lately.

use super::grid::Memory;
use std::ptr::null_mut;

/// How many pages are kept, as a power of two.
const COUNT_BITS: u32 = 8;
/// Bytes of a page, and of one near the ends of an allocation. No access is longer than the latter, and all are aligned.
const WIDE: u64 = 1024;
const NARROW: u64 = 32;
/// No address: a page starts at a multiple of its length.
const NOWHERE: u64 = 1;

/// Device memory, and the pages of it that were looked up lately.
pub(super) struct Tlb<'a> {
    memory: &'a dyn Memory,
    wide: Vec<(u64, *mut u8)>,
    narrow: Vec<(u64, *mut u8)>,
}

/// Where a page is kept. Allocations lie at round addresses, so that all bits must count.
#[inline(always)]
fn place(page: u64) -> usize {
    (page.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - COUNT_BITS)) as usize
}

impl<'a> Tlb<'a> {
    pub fn new(memory: &'a dyn Memory) -> Tlb<'a> {
        Tlb {
            memory,
            wide: vec![(NOWHERE, null_mut()); 1 << COUNT_BITS],
            narrow: vec![(NOWHERE, null_mut()); 1 << COUNT_BITS],
        }
    }

    /// Where `bytes` bytes of the device's memory are. The address is aligned to the number of bytes, at most 32.
    #[inline(always)]
    pub fn at(&mut self, address: u64, bytes: u64) -> Option<*mut u8> {
        let (start, host) = self.wide[place(address / WIDE)];
        if start == address & !(WIDE - 1) {
            // SAFETY: the whole page is in one allocation, and an aligned access does not leave it.
            return Some(unsafe { host.add((address % WIDE) as usize) });
        }
        self.miss(address, bytes)
    }

    #[cold]
    fn miss(&mut self, address: u64, bytes: u64) -> Option<*mut u8> {
        let (start, host) = self.narrow[place(address / NARROW)];
        if start == address & !(NARROW - 1) {
            // SAFETY: as above.
            return Some(unsafe { host.add((address % NARROW) as usize) });
        }
        for (pages, length) in [(&mut self.wide, WIDE), (&mut self.narrow, NARROW)] {
            let start = address & !(length - 1);
            if let Some(host) = self.memory.at(start, length) {
                pages[place(address / length)] = (start, host.as_ptr());
                // SAFETY: as above.
                return Some(unsafe { host.as_ptr().add((address - start) as usize) });
            }
        }
        self.memory.at(address, bytes).map(|host| host.as_ptr())
    }
}
