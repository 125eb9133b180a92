//! Copying in any layout.

use super::rows::{each_outer, rows};
use crate::abi::Strided;
use crate::ty::MAX_NDIM;

/// Copies elements in index order of the shape. Sources that overlap the destination are right too.
///
/// # Safety
/// Both have the same shape and bytes per element, both are alive, `to` may be written, and nothing
/// else uses `to` or writes `from` meanwhile.
pub unsafe fn copy(to: &Strided, from: &Strided) {
    let size = from.size;
    debug_assert_eq!(to.size, size);
    debug_assert_eq!(to.shape(), from.shape());
    if to.is_empty() {
        return;
    }
    if to.is_contiguous() && from.is_contiguous() {
        let bytes = from.len() * size;
        // SAFETY: both cover `bytes` bytes; `ptr::copy` allows overlap.
        unsafe { std::ptr::copy(from.array.data, to.array.data, bytes) };
    } else if overlap(to, from) {
        let mut whole = vec![0u8; from.len() * size];
        // SAFETY: `whole` is private memory of the right size; then it is the source.
        unsafe {
            gather(whole.as_mut_ptr(), from, size);
            scatter(to, whole.as_ptr(), size);
        }
    } else {
        // SAFETY: same shape, both alive, no overlap.
        unsafe { strided(to, from, size) };
    }
}

/// Whether the bytes of the two may overlap. Never says no wrongly.
fn overlap(a: &Strided, b: &Strided) -> bool {
    let (a, b) = (a.bytes(), b.bytes());
    a.start < b.end && b.start < a.end
}

/// # Safety
/// As [`copy`], without overlap.
unsafe fn strided(to: &Strided, from: &Strided, size: usize) {
    let inner = from.ndim - 1;
    let (n, to_step, from_step) = (
        from.array.shape[inner] as usize,
        to.array.strides[inner] as isize,
        from.array.strides[inner] as isize,
    );
    each_outer(from.shape(), |index| {
        let offset = |strides: &[i64; MAX_NDIM]| -> isize {
            index
                .iter()
                .zip(strides)
                .map(|(i, s)| *i as i64 * s)
                .sum::<i64>() as isize
        };
        // SAFETY: `index` is inside the shape, which both have.
        unsafe {
            let a = to.array.data.offset(offset(&to.array.strides));
            let b = from.array.data.offset(offset(&from.array.strides));
            row(a, to_step, b, from_step, n, size);
        }
    });
}

/// # Safety
/// Both rows have `n` elements of `size` bytes and do not overlap.
unsafe fn row(
    to: *mut u8,
    to_step: isize,
    from: *const u8,
    from_step: isize,
    n: usize,
    size: usize,
) {
    let dense = size as isize;
    if to_step == dense && from_step == dense {
        // SAFETY: promised by the caller.
        unsafe { std::ptr::copy_nonoverlapping(from, to, n * size) };
        return;
    }
    macro_rules! by_width {
        ($($t:ty),*) => {
            match size {
                $(w if w == size_of::<$t>() => for i in 0..n as isize {
                    // SAFETY: promised by the caller.
                    unsafe {
                        let v = from.offset(i * from_step).cast::<$t>().read_unaligned();
                        to.offset(i * to_step).cast::<$t>().write_unaligned(v);
                    }
                },)*
                _ => for i in 0..n as isize {
                    // SAFETY: promised by the caller.
                    unsafe {
                        std::ptr::copy_nonoverlapping(from.offset(i * from_step), to.offset(i * to_step), size);
                    }
                },
            }
        };
    }
    by_width!(u8, u16, u32, u64, u128);
}

/// # Safety
/// `to` has room for all elements of `from`, which is alive.
unsafe fn gather(to: *mut u8, from: &Strided, size: usize) {
    let mut at = to;
    rows(from, |offset, n, stride| {
        // SAFETY: `rows` stays inside the layout, and visits as many elements as `to` has room for.
        unsafe {
            row(
                at,
                size as isize,
                from.array.data.offset(offset),
                stride,
                n,
                size,
            );
            at = at.add(n * size);
        }
    });
}

/// # Safety
/// `from` holds all elements of `to`, which may be written.
unsafe fn scatter(to: &Strided, from: *const u8, size: usize) {
    let mut at = from;
    rows(to, |offset, n, stride| {
        // SAFETY: as in `gather`, the other way.
        unsafe {
            row(
                to.array.data.offset(offset),
                stride,
                at,
                size as isize,
                n,
                size,
            );
            at = at.add(n * size);
        }
    });
}
