//! The bytes of allocations. Those of device memory lie apart from its addresses. Pinned memory is made accessible where it lies, and
//! loses that when it is freed.
use crate::driver::base::{Error, Result};
use std::ptr::NonNull;

/// Bytes of a page of the host.
pub const PAGE: u64 = 4096;

/// The bytes of an allocation, freed when the last user of them is done.
pub struct Backing {
    start: NonNull<u8>,
    bytes: u64,
    kind: BackingKind,
}

enum BackingKind {
    /// Of the allocator, for a device.
    Heap(std::alloc::Layout),
    /// Pages of an arena, for pinned memory.
    Pages,
    /// The caller's, registered.
    Borrowed,
}

// SAFETY: it is an address and a length; who may touch the bytes when is for streams to say.
unsafe impl Send for Backing {}
// SAFETY: as above.
unsafe impl Sync for Backing {}

impl Backing {
    /// Bytes for device memory, poisoned.
    pub fn device(bytes: u64) -> Result<Backing> {
        let layout = std::alloc::Layout::from_size_align(bytes.max(1) as usize, 512)
            .map_err(|_| Error::OUT_OF_MEMORY)?;
        // SAFETY: the layout is not empty.
        let start =
            NonNull::new(unsafe { std::alloc::alloc(layout) }).ok_or(Error::OUT_OF_MEMORY)?;
        // SAFETY: just allocated.
        unsafe { start.as_ptr().write_bytes(0xCD, layout.size()) };
        Ok(Backing {
            start,
            bytes,
            kind: BackingKind::Heap(layout),
        })
    }

    /// Makes reserved pages accessible, poisoned.
    pub fn pages(base: u64, bytes: u64) -> Result<Backing> {
        let start = NonNull::new(base as *mut u8).ok_or(Error::OUT_OF_MEMORY)?;
        let size = bytes.next_multiple_of(PAGE) as usize;
        // SAFETY: the arena reserved these pages for this allocation alone.
        if unsafe {
            libc::mprotect(
                start.as_ptr().cast(),
                size,
                libc::PROT_READ | libc::PROT_WRITE,
            )
        } != 0
        {
            return Err(Error::OUT_OF_MEMORY);
        }
        // SAFETY: accessible since the call above.
        unsafe { start.as_ptr().write_bytes(0xCD, bytes as usize) };
        Ok(Backing {
            start,
            bytes,
            kind: BackingKind::Pages,
        })
    }

    /// Memory of the caller, who registers it.
    pub fn borrowed(base: u64, bytes: u64) -> Result<Backing> {
        let start = NonNull::new(base as *mut u8).ok_or(Error::INVALID_VALUE)?;
        Ok(Backing {
            start,
            bytes,
            kind: BackingKind::Borrowed,
        })
    }

    pub fn start(&self) -> NonNull<u8> {
        self.start
    }
}

impl Drop for Backing {
    fn drop(&mut self) {
        match self.kind {
            // SAFETY: allocated with this layout, and dropped once.
            BackingKind::Heap(layout) => unsafe {
                std::alloc::dealloc(self.start.as_ptr(), layout)
            },
            BackingKind::Pages => {
                let size = self.bytes.next_multiple_of(PAGE) as usize;
                // SAFETY: pages of the arena; nobody is given them again, so the host's access ends with SIGSEGV.
                unsafe {
                    libc::madvise(self.start.as_ptr().cast(), size, libc::MADV_DONTNEED);
                    libc::mprotect(self.start.as_ptr().cast(), size, libc::PROT_NONE);
                }
            }
            BackingKind::Borrowed => {}
        }
    }
}
