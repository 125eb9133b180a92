//! Host memory for arrays.

use crate::backend::memory::{ALIGNMENT, Content, Memory, Origin};
use crate::error::{Code, Error, Result};
use std::ptr::NonNull;

/// Memory that starts at a multiple of [`ALIGNMENT`].
///
/// # Errors
/// [`Code::Memory`] if there is not so much.
pub fn allocate(size: usize, content: Content) -> Result<Memory> {
    let padded = padded(size)?;
    // SAFETY: plain allocation; a null result is handled below.
    let base = unsafe {
        match content {
            Content::Any => libc::malloc(padded),
            Content::Zeros => libc::calloc(padded, 1),
        }
    };
    let skip = base.align_offset(ALIGNMENT);
    match NonNull::new(base.cast::<u8>().wrapping_add(skip)) {
        Some(data) if !base.is_null() => Ok(Memory {
            data,
            size,
            base: base.expose_provenance(),
            origin: Origin::Usual,
        }),
        _ => Err(too_large(size)),
    }
}

/// Frees memory.
///
/// # Safety
/// It came from [`allocate`], is freed once, and nobody uses it any more.
pub unsafe fn release(memory: &Memory) {
    let base = std::ptr::with_exposed_provenance_mut(memory.base);
    // SAFETY: `base` came from malloc or calloc and is freed once, as the caller promises.
    unsafe { libc::free(base) }
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
            let a = allocate(size, Content::Zeros).unwrap();
            assert_eq!(a.data.as_ptr() as usize % ALIGNMENT, 0);
            // SAFETY: `size` bytes were just allocated and zeroed.
            let bytes = unsafe { std::slice::from_raw_parts(a.data.as_ptr(), size) };
            assert!(bytes.iter().all(|b| *b == 0));
            let b = allocate(size, Content::Any).unwrap();
            assert_eq!(b.data.as_ptr() as usize % ALIGNMENT, 0);
            // SAFETY: both were allocated above and are not used any more.
            unsafe {
                release(&a);
                release(&b);
            }
        }
        assert!(allocate(usize::MAX, Content::Any).is_err());
        assert!(allocate(isize::MAX as usize, Content::Any).is_err());
    }
}
