//! Elements of one type as another.

use super::place::Place;
use super::{GRAIN, each};
use crate::dtype::{Scalar, bf16_of, f16_of};
use crate::floating_point::Standard;
use half::{bf16, f16};

/// A type that any number can become, as a cast in a kernel makes it: integers wrap, floats are cut towards zero and end at the
/// type's limits, NaN is 0.
trait Number: Copy + Send + Sync {
    fn of_int(x: i64) -> Self;
    fn of_unsigned(x: u64) -> Self;
    fn of_float(x: f64) -> Self;
    fn to<T: Number>(self) -> T;
}

macro_rules! numbers {
    ($($t:ty, $of:ident, $as:ty;)*) => {$(
        impl Number for $t {
            #[inline(always)]
            fn of_int(x: i64) -> $t { x as $t }
            #[inline(always)]
            fn of_unsigned(x: u64) -> $t { x as $t }
            #[inline(always)]
            fn of_float(x: f64) -> $t { x as $t }
            #[inline(always)]
            fn to<T: Number>(self) -> T { T::$of(self as $as) }
        }
    )*};
}

numbers! {
    i8, of_int, i64;
    i16, of_int, i64;
    i32, of_int, i64;
    i64, of_int, i64;
    u8, of_unsigned, u64;
    u16, of_unsigned, u64;
    u32, of_unsigned, u64;
    u64, of_unsigned, u64;
    f32, of_float, f64;
    f64, of_float, f64;
}

macro_rules! halves {
    ($($t:ty, $of:ident);*) => {$(
        impl Number for $t {
            #[inline(always)]
            fn of_int(x: i64) -> $t { $of(x as f64) }
            #[inline(always)]
            fn of_unsigned(x: u64) -> $t { $of(x as f64) }
            #[inline(always)]
            fn of_float(x: f64) -> $t { $of(x) }
            #[inline(always)]
            fn to<T: Number>(self) -> T { T::of_float(self.to_f64()) }
        }
    )*};
}

halves!(f16, f16_of; bf16, bf16_of);

/// A truth value in memory.
#[derive(Clone, Copy)]
struct Truth(u8);

impl Number for Truth {
    fn of_int(x: i64) -> Truth {
        Truth((x != 0).into())
    }
    fn of_unsigned(x: u64) -> Truth {
        Truth((x != 0).into())
    }
    fn of_float(x: f64) -> Truth {
        Truth((x != 0.0).into())
    }
    fn to<T: Number>(self) -> T {
        T::of_unsigned((self.0 != 0).into())
    }
}

/// Runs code with `$t` as the Rust type of a scalar.
macro_rules! with_scalar {
    ($scalar:expr, $t:ident => $body:expr) => {{
        macro_rules! of {
            ($rust:ty) => {{
                type $t = $rust;
                $body
            }};
        }
        match $scalar {
            Scalar::Bool => of!(Truth),
            Scalar::I8 => of!(i8),
            Scalar::I16 => of!(i16),
            Scalar::I32 => of!(i32),
            Scalar::I64 => of!(i64),
            Scalar::U8 => of!(u8),
            Scalar::U16 => of!(u16),
            Scalar::U32 => of!(u32),
            Scalar::U64 => of!(u64),
            Scalar::F16 => of!(f16),
            Scalar::BF16 => of!(bf16),
            Scalar::F32 => of!(f32),
            Scalar::F64 => of!(f64),
        }
    }};
}

/// Writes `n` scalars of one type as another.
///
/// # Safety
/// `from` holds as many, `to` has room for as many and may be written; they do not overlap, and nothing else uses `to` or
/// writes `from`.
pub unsafe fn cast(n: usize, from: *const u8, of: Scalar, to: *mut u8, into: Scalar) {
    let _standard = Standard::enter();
    with_scalar!(of, A => with_scalar!(into, B => {
        convert(n, Place::<A>::new(from.cast_mut()), Place::<B>::new(to));
    }));
}

fn convert<A: Number, B: Number>(n: usize, from: Place<A>, to: Place<B>) {
    each(n.div_ceil(GRAIN), n, |block| {
        let (from, to) = (from.from(block * GRAIN), to.from(block * GRAIN));
        for i in 0..GRAIN.min(n - block * GRAIN) {
            // SAFETY: the caller of `cast` promises them; each block has its own.
            unsafe { to.put(i, from.get(i).to()) };
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_others_as_in_kernels() {
        let from = [1.9f32, -2.7, 3e10, f32::NAN, -1.0];
        let mut to = [0i32; 5];
        // SAFETY: both have 5 elements.
        unsafe {
            cast(
                5,
                from.as_ptr().cast(),
                Scalar::F32,
                to.as_mut_ptr().cast(),
                Scalar::I32,
            )
        };
        assert_eq!(to, [1, -2, i32::MAX, 0, -1]);
        let mut bytes = [9u8; 5];
        // SAFETY: as above.
        unsafe {
            cast(
                5,
                to.as_ptr().cast(),
                Scalar::I32,
                bytes.as_mut_ptr(),
                Scalar::U8,
            )
        };
        assert_eq!(bytes, [1, 254, 255, 0, 255]);
        // SAFETY: as above.
        unsafe {
            cast(
                5,
                to.as_ptr().cast(),
                Scalar::I32,
                bytes.as_mut_ptr(),
                Scalar::Bool,
            )
        };
        assert_eq!(bytes, [1, 1, 1, 0, 1]);
        let big = [u64::MAX, 1 << 53];
        let mut floats = [0f64; 2];
        // SAFETY: both have 2 elements.
        unsafe {
            cast(
                2,
                big.as_ptr().cast(),
                Scalar::U64,
                floats.as_mut_ptr().cast(),
                Scalar::F64,
            )
        };
        assert_eq!(
            floats,
            [18_446_744_073_709_551_615.0, 9_007_199_254_740_992.0]
        );
    }

    #[test]
    fn long_arrays_are_cast_in_blocks() {
        let from: Vec<u16> = (0..100_003u32).map(|i| i as u16).collect();
        let mut to = vec![0f64; from.len()];
        // SAFETY: both are as long.
        unsafe {
            cast(
                from.len(),
                from.as_ptr().cast(),
                Scalar::U16,
                to.as_mut_ptr().cast(),
                Scalar::F64,
            )
        };
        assert!(from.iter().zip(&to).all(|(a, b)| f64::from(*a) == *b));
    }
}
