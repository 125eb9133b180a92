//! Elements of one type to elements of another, in memory of the host.

use super::number::Number;
use super::view::View;
use crate::dtype::Scalar;

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
