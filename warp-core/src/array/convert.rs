//! Elements of one type to elements of another, in memory of the host.

use super::number::Number;
use super::view::View;
use crate::dtype::Scalar;

/// A number that a conversion did not keep.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Lost {
    /// A float that no integer of the type stands for: NaN, or beyond the least or the greatest.
    NoInteger(f64),
    /// An integer of more bits than the type has: its last bits are kept.
    Wrapped(i128),
    /// A finite float beyond the greatest: it is infinite now.
    Infinite(f64),
}

impl Lost {
    /// What became of a number that is `after` in a type of so many bits.
    fn between(before: Number, after: Number, bits: u32) -> Option<Lost> {
        match (before, after) {
            (Number::Float(v), Number::Int(w)) => {
                let kept = v.is_finite() && v.trunc() as i128 == w;
                (!kept).then_some(Lost::NoInteger(v))
            }
            // All bits of a negative number may stand for a large one.
            (Number::Int(v), Number::Int(_)) => {
                let kept = v >= -(1 << (bits - 1)) && v < 1 << bits;
                (!kept).then_some(Lost::Wrapped(v))
            }
            (Number::Float(v), Number::Float(w)) => {
                (v.is_finite() && !w.is_finite()).then_some(Lost::Infinite(v))
            }
            _ => None,
        }
    }
}

/// Converts every scalar, as a cast in a kernel does: floats are cut towards zero, integers wrap. The first number that is lost by it.
///
/// # Safety
/// Both are contiguous, alive and have the same number of scalars; `to` may be written, nothing else uses `to`
/// or writes `from` meanwhile, and they do not overlap.
pub unsafe fn convert(to: &View, from: &View) -> Option<Lost> {
    let (a, b) = (to.elem.scalar(), from.elem.scalar());
    let n = from.layout().len() * from.elem.count();
    debug_assert_eq!(n, to.layout().len() * to.elem.count());
    let (out, at) = (to.arg.data, from.arg.data.cast_const());
    macro_rules! plain {
        ($from:ty, $to:ty, $lost:expr) => {{
            let mut lost = false;
            for i in 0..n {
                // SAFETY: promised by the caller.
                unsafe {
                    let v = at.cast::<$from>().add(i).read_unaligned();
                    out.cast::<$to>().add(i).write_unaligned(v as $to);
                    let is_lost: fn($from) -> bool = $lost;
                    lost |= is_lost(v);
                }
            }
            if !lost {
                return None;
            }
            // SAFETY: as above.
            return (0..n).find_map(|i| unsafe { lost_at(a, out, b, at, i) });
        }};
    }
    match (b, a) {
        (Scalar::F64, Scalar::F32) => {
            plain!(f64, f32, |v| v.is_finite() & (v as f32).is_infinite())
        }
        (Scalar::F32, Scalar::F64) => plain!(f32, f64, |_| false),
        (Scalar::I64, Scalar::I32) => {
            plain!(i64, i32, |v| v.wrapping_add(1 << 31) as u64 >= 3 << 31)
        }
        (Scalar::I64, Scalar::F32) => plain!(i64, f32, |_| false),
        (Scalar::I32, Scalar::F32) => plain!(i32, f32, |_| false),
        _ => {}
    }
    let mut bytes = smallvec::SmallVec::<[u8; 8]>::new();
    let mut lost = None;
    for i in 0..n {
        // SAFETY: promised by the caller; a scalar is written with as many bytes as it has.
        unsafe {
            bytes.clear();
            let number = Number::read(b, at.add(i * b.size()));
            number.cast(a).put(a, &mut bytes);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), out.add(i * a.size()), a.size());
            lost = lost.or_else(|| lost_at(a, out, b, at, i));
        }
    }
    lost
}

/// What the number `i` of type `b` at `at` has lost, which was converted to one of type `a` at `out`.
///
/// # Safety
/// There is such a number.
unsafe fn lost_at(a: Scalar, out: *const u8, b: Scalar, at: *const u8, i: usize) -> Option<Lost> {
    // SAFETY: promised by the caller.
    let (before, after) = unsafe {
        let before = Number::read(b, at.add(i * b.size()));
        (before, Number::read(a, out.add(i * a.size())))
    };
    Lost::between(before, after, a.bits())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::Layout;
    use crate::device::Device;
    use crate::ty::Elem;

    fn lost<A, B>(from: &[A], a: Scalar, to: &mut [B], b: Scalar) -> Option<Lost> {
        let view = |data: *const u8, scalar: Scalar| {
            let layout = Layout::contiguous(&[from.len() as i64], scalar.size()).unwrap();
            View::new(
                data.cast_mut(),
                layout,
                Elem::Scalar(scalar),
                Device::Cpu,
                false,
            )
        };
        let (from, to) = (
            view(from.as_ptr().cast(), a),
            view(to.as_mut_ptr().cast(), b),
        );
        // SAFETY: both are alive, and of these types.
        unsafe { convert(&to, &from) }
    }

    #[test]
    fn numbers_that_are_lost_are_told() {
        let floats = [1.5, -0.0, 1e300, f64::NAN];
        let wide = Some(Lost::Infinite(1e300));
        assert_eq!(
            lost(&floats, Scalar::F64, &mut [0f32; 4], Scalar::F32),
            wide
        );
        assert_eq!(
            lost(&floats, Scalar::F64, &mut [0u16; 4], Scalar::F16),
            wide
        );
        let none = Some(Lost::NoInteger(1e300));
        assert_eq!(
            lost(&floats, Scalar::F64, &mut [0i64; 4], Scalar::I64),
            none
        );
        let nan = lost(&floats[3..], Scalar::F64, &mut [0i8; 1], Scalar::I8);
        assert!(matches!(nan, Some(Lost::NoInteger(v)) if v.is_nan()));
        assert_eq!(
            lost(&floats, Scalar::F64, &mut [false; 4], Scalar::Bool),
            None
        );
        assert_eq!(
            lost(&[255.9f32, -0.9], Scalar::F32, &mut [0u8; 2], Scalar::U8),
            None
        );
        let beyond = Some(Lost::NoInteger(256.0));
        assert_eq!(lost(&[256f32], Scalar::F32, &mut [0u8], Scalar::U8), beyond);
        for (v, told) in [
            (-1i64 << 31, false),
            ((1 << 32) - 1, false),
            ((-1 << 31) - 1, true),
            (1 << 32, true),
        ] {
            let told = told.then_some(Lost::Wrapped(v.into()));
            assert_eq!(
                lost(&[0, v], Scalar::I64, &mut [0i32; 2], Scalar::I32),
                told
            );
            assert_eq!(
                lost(&[0, v], Scalar::I64, &mut [0u32; 2], Scalar::U32),
                told
            );
        }
    }
}
