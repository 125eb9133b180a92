//! Host memory for arrays.

use crate::error::{Code, Error, Result};
use std::ptr::NonNull;

/// Every allocation starts at a multiple of this: a cache line, and what XLA needs to share memory.
pub const ALIGNMENT: usize = 64;

/// Memory that is freed when this is dropped, on whatever thread.
#[derive(Debug)]
pub struct Allocation {
    base: *mut libc::c_void,
    data: NonNull<u8>,
    size: usize,
}

// SAFETY: the allocation is only an address range; who reads and writes it is the business of
// those who hold the pointer, as with every array shared with another library.
unsafe impl Send for Allocation {}
// SAFETY: as above; no method writes through a shared reference.
unsafe impl Sync for Allocation {}

impl Allocation {
    /// Memory with arbitrary content.
    pub fn new(size: usize) -> Result<Allocation> {
        let padded = padded(size)?;
        // SAFETY: plain allocation; a null result is handled below.
        Allocation::adopt(unsafe { libc::malloc(padded) }, size)
    }
    /// Memory full of zeros; large blocks cost nothing until they are touched.
    pub fn zeroed(size: usize) -> Result<Allocation> {
        let padded = padded(size)?;
        // SAFETY: plain allocation; a null result is handled below.
        Allocation::adopt(unsafe { libc::calloc(padded, 1) }, size)
    }
    fn adopt(base: *mut libc::c_void, size: usize) -> Result<Allocation> {
        let skip = base.align_offset(ALIGNMENT);
        let data = NonNull::new(base.cast::<u8>().wrapping_add(skip));
        match data {
            Some(data) if !base.is_null() => Ok(Allocation { base, data, size }),
            _ => Err(too_large(size)),
        }
    }
    /// The first byte.
    pub const fn data(&self) -> *mut u8 {
        self.data.as_ptr()
    }
    /// Bytes that may be used.
    pub const fn size(&self) -> usize {
        self.size
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        // SAFETY: `base` came from malloc or calloc and is freed once, here.
        unsafe { libc::free(self.base) }
    }
}

/// Room for the alignment, even for nothing: an empty array has an address too.
fn padded(size: usize) -> Result<usize> {
    match size.checked_add(ALIGNMENT) {
        Some(n) if n <= isize::MAX as usize => Ok(n),
        _ => Err(too_large(size)),
    }
}

fn too_large(size: usize) -> Error {
    Error::new(
        Code::Memory,
        format!("there is no memory for an array of {size} bytes"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_are_aligned_and_zeroed() {
        for size in [0, 1, 63, 64, 4096, 1 << 22] {
            let a = Allocation::zeroed(size).unwrap();
            assert_eq!(a.data() as usize % ALIGNMENT, 0);
            // SAFETY: `size` bytes were just allocated and zeroed.
            let bytes = unsafe { std::slice::from_raw_parts(a.data(), size) };
            assert!(bytes.iter().all(|b| *b == 0));
            assert_eq!(
                Allocation::new(size).unwrap().data() as usize % ALIGNMENT,
                0
            );
        }
        assert!(Allocation::new(usize::MAX).is_err());
        assert!(Allocation::new(isize::MAX as usize).is_err());
    }
}
