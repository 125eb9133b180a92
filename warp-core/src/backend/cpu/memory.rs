//! Host memory for arrays.

use super::idle::{self, Block};
use crate::backend::memory::{ALIGNMENT, Content, Memory, Origin};
use crate::error::{Code, Error, Result};
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes by which large arrays are shifted in their pages, against 4K aliasing: processors compare the last 12 bits of addresses to
/// find out whether a load depends on a pending store. Large arrays that the C library allocates one after the other nearly agree
/// in these, so that a stencil from one to the other would wait for its own stores.
const APART: usize = 19 * ALIGNMENT;
const PAGE: usize = 4096;
/// Arrays from this size on.
const LARGE: usize = 16 * PAGE;

/// Who wants to know of memory: told of its base and size when it is there, and of its base before it goes.
#[derive(Clone, Copy, Debug)]
pub struct Listener {
    /// There is memory.
    pub made: fn(base: usize, size: usize),
    /// It is about to be freed.
    pub freed: fn(base: usize),
}

static LISTENER: OnceLock<Listener> = OnceLock::new();

/// Has a listener told of all memory of arrays on the host from now on. There can be one.
pub fn listen(listener: Listener) {
    let _ = LISTENER.set(listener);
}

/// Memory that starts at a multiple of [`ALIGNMENT`].
///
/// # Errors
/// [`Code::Memory`] if there is not so much.
pub fn allocate(size: usize, content: Content) -> Result<Memory> {
    let padded = padded(size)?;
    let idle = if size < LARGE {
        None
    } else {
        idle::take(padded)
    };
    // SAFETY: plain allocation; a null result is handled below. A block that has waited has so many bytes, which nobody uses.
    let base = unsafe {
        match (idle, content) {
            (Some(block), Content::Any) => std::ptr::with_exposed_provenance_mut(block.base),
            (Some(block), Content::Zeros) => {
                let base = std::ptr::with_exposed_provenance_mut(block.base);
                libc::memset(base, 0, padded)
            }
            (None, Content::Any) => libc::malloc(padded),
            (None, Content::Zeros) => libc::calloc(padded, 1),
        }
    };
    let skip = skip(base.addr(), size);
    match NonNull::new(base.cast::<u8>().wrapping_add(skip)) {
        Some(data) if !base.is_null() => {
            let base = base.expose_provenance();
            if let Some(listener) = LISTENER.get() {
                (listener.made)(base, size);
            }
            Ok(Memory {
                data,
                size,
                base,
                origin: Origin::Usual,
            })
        }
        _ => Err(too_large(size)),
    }
}

/// Frees memory.
///
/// # Safety
/// It came from [`allocate`], is freed once, and nothing uses it any more.
pub unsafe fn release(memory: &Memory) {
    if let Some(listener) = LISTENER.get() {
        (listener.freed)(memory.base);
    }
    if memory.size >= LARGE
        && let Ok(size) = padded(memory.size)
    {
        let base = memory.base;
        for block in idle::add(Block { base, size }) {
            // SAFETY: as below; each block that waited came here once.
            unsafe { libc::free(std::ptr::with_exposed_provenance_mut(block.base)) }
        }
        return;
    }
    let base = std::ptr::with_exposed_provenance_mut(memory.base);
    // SAFETY: `base` came from malloc or calloc and is freed once, as the caller promises.
    unsafe { libc::free(base) }
}

/// Bytes from `base` to the start of an array.
fn skip(base: usize, size: usize) -> usize {
    static LAST: AtomicUsize = AtomicUsize::new(0);
    if size < LARGE {
        return base.wrapping_neg() % ALIGNMENT;
    }
    let place = LAST.fetch_add(APART, Ordering::Relaxed);
    place.wrapping_sub(base) % PAGE
}

/// Room to choose where to begin, even for nothing: an empty array has an address too.
fn padded(size: usize) -> Result<usize> {
    let room = if size < LARGE { ALIGNMENT } else { PAGE };
    match size.checked_add(room) {
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
    fn large_arrays_begin_at_different_places_of_their_pages() {
        let all: Vec<Memory> = (0..4)
            .map(|_| allocate(1 << 22, Content::Any).unwrap())
            .collect();
        let mut places: Vec<usize> = all.iter().map(|m| m.data.addr().get() % PAGE).collect();
        places.sort_unstable();
        // Other tests allocate in between: neighbours may differ by any multiple, but not by nothing.
        places.dedup();
        assert!(places.len() > 1);
        for memory in &all {
            // SAFETY: just allocated, and not used any more.
            unsafe { release(memory) };
        }
    }

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
