//! Copying and filling in any layout.

use super::layout::Layout;
use super::number::Number;
use super::view::View;
use crate::dtype::Scalar;
use crate::ty::MAX_NDIM;

/// Copies elements in index order of the shape. Sources that overlap the destination are right too.
///
/// # Safety
/// Both have the same shape and bytes per element, both are alive, `to` may be written, and nobody
/// else uses `to` or writes `from` meanwhile.
pub unsafe fn copy(to: &View, from: &View) {
    let size = from.elem.size();
    debug_assert_eq!(to.elem.size(), size);
    debug_assert_eq!(to.layout().shape(), from.layout().shape());
    if to.layout().is_empty() {
        return;
    }
    if to.is_contiguous() && from.is_contiguous() {
        let bytes = from.layout().len() * size;
        // SAFETY: both cover `bytes` bytes; `ptr::copy` allows overlap.
        unsafe { std::ptr::copy(from.arg.data, to.arg.data, bytes) };
    } else if to.overlaps(from) {
        let mut whole = vec![0u8; from.layout().len() * size];
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

/// Writes the bytes of one element to all of them.
///
/// # Safety
/// `to` is alive, may be written, nobody else uses it meanwhile, and `element` has its elements' size.
pub unsafe fn fill(to: &View, element: &[u8]) {
    let size = to.elem.size();
    assert_eq!(element.len(), size, "one element");
    let layout = to.layout();
    if layout.is_empty() {
        return;
    }
    let uniform = element.iter().all(|b| *b == element[0]);
    if uniform && layout.is_contiguous(size) {
        // SAFETY: a contiguous array covers `len * size` bytes.
        unsafe { to.arg.data.write_bytes(element[0], layout.len() * size) };
        return;
    }
    rows(&layout, |offsets, n, strides| {
        // SAFETY: `rows` stays inside the layout.
        unsafe { fill_row(to.arg.data.offset(offsets), n, strides, element) };
    });
}

/// Converts every scalar, as a cast in a kernel does: floats are cut towards zero, integers wrap.
///
/// # Safety
/// Both are contiguous, alive and have the same number of scalars; `to` may be written, nobody else uses `to`
/// or writes `from` meanwhile, and they do not overlap.
pub unsafe fn convert(to: &View, from: &View) {
    let (a, b) = (to.elem.scalar(), from.elem.scalar());
    let n = from.layout().len() * from.elem.count();
    debug_assert_eq!(n, to.layout().len() * to.elem.count());
    let (mut out, mut at) = (to.arg.data, from.arg.data.cast_const());
    macro_rules! plain {
        ($from:ty, $to:ty) => {{
            for i in 0..n {
                // SAFETY: promised by the caller.
                unsafe {
                    let v = at.cast::<$from>().add(i).read_unaligned();
                    out.cast::<$to>().add(i).write_unaligned(v as $to);
                }
            }
            return;
        }};
    }
    match (b, a) {
        (Scalar::F64, Scalar::F32) => plain!(f64, f32),
        (Scalar::F32, Scalar::F64) => plain!(f32, f64),
        (Scalar::I64, Scalar::I32) => plain!(i64, i32),
        (Scalar::I64, Scalar::F32) => plain!(i64, f32),
        (Scalar::I32, Scalar::F32) => plain!(i32, f32),
        _ => {}
    }
    let mut bytes = smallvec::SmallVec::<[u8; 8]>::new();
    for _ in 0..n {
        // SAFETY: promised by the caller; a scalar is written with as many bytes as it has.
        unsafe {
            bytes.clear();
            Number::read(b, at).cast(a).put(a, &mut bytes);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), out, a.size());
            at = at.add(b.size());
            out = out.add(a.size());
        }
    }
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

/// # Safety
/// As [`copy`], without overlap.
unsafe fn strided(to: &View, from: &View, size: usize) {
    let layout = from.layout();
    let inner = layout.ndim as usize - 1;
    let (n, to_step, from_step) = (
        layout.shape[inner] as usize,
        to.arg.strides[inner] as isize,
        from.arg.strides[inner] as isize,
    );
    each_outer(&layout, |index| {
        let offset = |strides: &[i64; MAX_NDIM]| -> isize {
            index
                .iter()
                .zip(strides)
                .map(|(i, s)| *i as i64 * s)
                .sum::<i64>() as isize
        };
        // SAFETY: `index` is inside the shape, which both have.
        unsafe {
            let a = to.arg.data.offset(offset(&to.arg.strides));
            let b = from.arg.data.offset(offset(&from.arg.strides));
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
unsafe fn gather(to: *mut u8, from: &View, size: usize) {
    let mut at = to;
    rows(&from.layout(), |offset, n, stride| {
        // SAFETY: `rows` stays inside the layout, and visits as many elements as `to` has room for.
        unsafe {
            row(
                at,
                size as isize,
                from.arg.data.offset(offset),
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
unsafe fn scatter(to: &View, from: *const u8, size: usize) {
    let mut at = from;
    rows(&to.layout(), |offset, n, stride| {
        // SAFETY: as in `gather`, the other way.
        unsafe {
            row(
                to.arg.data.offset(offset),
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

/// The innermost rows: byte offset, number of elements, stride. The layout is not empty.
fn rows(layout: &Layout, mut visit: impl FnMut(isize, usize, isize)) {
    let inner = layout.ndim as usize - 1;
    let (n, stride) = (layout.shape[inner] as usize, layout.strides[inner] as isize);
    each_outer(layout, |index| {
        let offset: i64 = index
            .iter()
            .zip(&layout.strides)
            .map(|(i, s)| *i as i64 * s)
            .sum();
        visit(offset as isize, n, stride);
    });
}

/// All indices of the outer dimensions in row-major order; the innermost stays 0.
fn each_outer(layout: &Layout, mut visit: impl FnMut(&[i32; MAX_NDIM])) {
    let outer = layout.ndim as usize - 1;
    let mut index = [0i32; MAX_NDIM];
    loop {
        visit(&index);
        let mut d = outer;
        loop {
            if d == 0 {
                return;
            }
            d -= 1;
            index[d] += 1;
            if index[d] < layout.shape[d] {
                break;
            }
            index[d] = 0;
        }
    }
}
