//! Filling in any layout.

use super::rows::rows;
use crate::abi::Strided;

/// Writes the bytes of one element to all of them.
///
/// # Safety
/// `to` is alive, may be written, nothing else uses it meanwhile, and `element` has its elements' size.
pub unsafe fn fill(to: &Strided, element: &[u8]) {
    assert_eq!(element.len(), to.size, "one element");
    if to.is_empty() {
        return;
    }
    let uniform = element.iter().all(|b| *b == element[0]);
    if uniform && to.is_contiguous() {
        // SAFETY: a contiguous array covers `len * size` bytes.
        unsafe { to.array.data.write_bytes(element[0], to.len() * to.size) };
        return;
    }
    rows(to, |offsets, n, strides| {
        // SAFETY: `rows` stays inside the layout.
        unsafe { fill_row(to.array.data.offset(offsets), n, strides, element) };
    });
}

/// # Safety
/// `n` elements `stride` bytes apart may be written at `at`.
unsafe fn fill_row(at: *mut u8, n: usize, stride: isize, element: &[u8]) {
    macro_rules! by_width {
        ($($t:ty),*) => {
            match element.len() {
                $(n_bytes if n_bytes == size_of::<$t>() => {
                    // SAFETY: the element has as many bytes as the type, any bits are a value of it.
                    let v = unsafe { element.as_ptr().cast::<$t>().read_unaligned() };
                    if stride == n_bytes as isize {
                        for i in 0..n {
                            // SAFETY: within the row.
                            unsafe { at.cast::<$t>().add(i).write_unaligned(v) };
                        }
                    } else {
                        for i in 0..n as isize {
                            // SAFETY: within the row.
                            unsafe { at.offset(i * stride).cast::<$t>().write_unaligned(v) };
                        }
                    }
                })*
                size => for i in 0..n as isize {
                    // SAFETY: within the row.
                    unsafe { std::ptr::copy_nonoverlapping(element.as_ptr(), at.offset(i * stride), size) };
                },
            }
        };
    }
    by_width!(u8, u16, u32, u64, u128);
}
