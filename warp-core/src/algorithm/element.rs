//! Scalars as the algorithms compute with them.

use crate::dtype::{Native, scalars};

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

/// The trait for the types of all rows, by how their bits are read.
macro_rules! elements {
    ($($variant:ident: $rust:ty, $class:ident, $facts:tt;)*) => { $(element!($class, $rust);)* };
}

macro_rules! element {
    (Bool, $t:ty) => {};
    (Int, $t:ty) => { element! { ; $t, $t, true, 0, |x| x, |x| x, <$t>::wrapping_add, <$t>::wrapping_mul } };
    (UInt, $t:ty) => { element!(Int, $t); };
    ($float:ident, $t:ty) => {
        element! { ; $t, f64, false, 0.0, <$t as Native>::to, <$t as Native>::of_float, |a, b| a + b, |a, b| a * b }
    };
    (; $t:ty, $wide:ty, $exact:literal, $zero:literal, $widen:expr, $narrow:expr, $add:expr, $mul:expr) => {
        impl Element for $t {
            type Wide = $wide;
            const EXACT: bool = $exact;
            const ZERO: $wide = $zero;
            #[inline(always)]
            fn wide(self) -> $wide { $widen(self) }
            #[inline(always)]
            fn narrow(wide: $wide) -> $t { $narrow(wide) }
            #[inline(always)]
            fn add(a: $wide, b: $wide) -> $wide { $add(a, b) }
            #[inline(always)]
            fn mul(a: $wide, b: $wide) -> $wide { $mul(a, b) }
        }
    };
}

scalars!(elements);

/// Runs code with `$t` as the Rust type of a scalar that is a number; None for bool.
macro_rules! with_number {
    (($scalar:expr, $t:ident => $body:expr) Bool: $truth:ty, Bool, $of:tt;
        $($variant:ident: $rust:ty, $class:ident, $facts:tt;)*) => {
        match $scalar {
            crate::dtype::Scalar::Bool => None,
            $(crate::dtype::Scalar::$variant => {
                type $t = $rust;
                Some($body)
            })*
        }
    };
    ($scalar:expr, $t:ident => $body:expr) => {
        crate::dtype::scalars!(crate::algorithm::element::with_number ($scalar, $t => $body))
    };
}

pub(super) use with_number;
