//! Scalars as the algorithms compute with them.

use crate::dtype::{bf16_of, f16_of};
use half::{bf16, f16};

/// A scalar in memory that can be added.
pub trait Element: Copy + Send + Sync + PartialEq + 'static {
    /// What sums are formed in: the type itself for integers, which wrap, and float64 for floats.
    type Wide: Copy + Send + Sync + 'static;
    /// Whether sums are the same in any order.
    const EXACT: bool;
    /// Nothing.
    const ZERO: Self::Wide;
    /// The value to compute with.
    fn wide(self) -> Self::Wide;
    /// The value to store.
    fn narrow(wide: Self::Wide) -> Self;
    /// The sum.
    fn add(a: Self::Wide, b: Self::Wide) -> Self::Wide;
    /// The product.
    fn mul(a: Self::Wide, b: Self::Wide) -> Self::Wide;
}

macro_rules! integers {
    ($($t:ty),*) => {$(
        impl Element for $t {
            type Wide = $t;
            const EXACT: bool = true;
            const ZERO: $t = 0;
            #[inline(always)]
            fn wide(self) -> $t { self }
            #[inline(always)]
            fn narrow(wide: $t) -> $t { wide }
            #[inline(always)]
            fn add(a: $t, b: $t) -> $t { a.wrapping_add(b) }
            #[inline(always)]
            fn mul(a: $t, b: $t) -> $t { a.wrapping_mul(b) }
        }
    )*};
}

macro_rules! floats {
    ($($t:ty: $wide:expr, $narrow:expr;)*) => {$(
        impl Element for $t {
            type Wide = f64;
            const EXACT: bool = false;
            const ZERO: f64 = 0.0;
            #[inline(always)]
            fn wide(self) -> f64 { $wide(self) }
            #[inline(always)]
            fn narrow(wide: f64) -> $t { $narrow(wide) }
            #[inline(always)]
            fn add(a: f64, b: f64) -> f64 { a + b }
            #[inline(always)]
            fn mul(a: f64, b: f64) -> f64 { a * b }
        }
    )*};
}

integers!(i8, i16, i32, i64, u8, u16, u32, u64);
floats! {
    f16: f16::to_f64, f16_of;
    bf16: bf16::to_f64, bf16_of;
    f32: f64::from, |x| x as f32;
    f64: |x| x, |x| x;
}

/// Runs code with `$t` as the Rust type of a scalar that is a number; None for bool.
macro_rules! with_number {
    ($scalar:expr, $t:ident => $body:expr) => {{
        use crate::dtype::Scalar;
        macro_rules! of {
            ($rust:ty) => {{
                type $t = $rust;
                Some($body)
            }};
        }
        match $scalar {
            Scalar::Bool => None,
            Scalar::I8 => of!(i8),
            Scalar::I16 => of!(i16),
            Scalar::I32 => of!(i32),
            Scalar::I64 => of!(i64),
            Scalar::U8 => of!(u8),
            Scalar::U16 => of!(u16),
            Scalar::U32 => of!(u32),
            Scalar::U64 => of!(u64),
            Scalar::F16 => of!(half::f16),
            Scalar::BF16 => of!(half::bf16),
            Scalar::F32 => of!(f32),
            Scalar::F64 => of!(f64),
        }
    }};
}

pub(super) use with_number;
