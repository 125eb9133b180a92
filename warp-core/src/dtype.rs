//! THE scalar table: one row per scalar type; every mapping to another system derives from it.

use half::{bf16, f16};
use std::fmt;

/// How a scalar's bits are read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Class {
    /// Truth value: one byte in memory, 0 or 1.
    Bool,
    /// Two's complement integer.
    Int,
    /// Unsigned integer.
    UInt,
    /// IEEE 754 binary floating point.
    Float,
    /// bfloat16: the upper half of a binary32.
    BFloat,
}

/// Gives the table to a macro, behind what the call itself gives it in parentheses. A row: the variant, its type in Rust, how its bits are
/// read, and name, bits, letter and type string.
macro_rules! scalars {
    ($($callback:ident)::+ $(($($with:tt)*))?) => {
        $($callback)::+! { $(($($with)*))?
            Bool: $crate::dtype::Truth, Bool, ("bool", 8, "", "|b1");
            I8: i8, Int, ("int8", 8, "b", "|i1");
            I16: i16, Int, ("int16", 16, "s", "<i2");
            I32: i32, Int, ("int32", 32, "i", "<i4");
            I64: i64, Int, ("int64", 64, "l", "<i8");
            U8: u8, UInt, ("uint8", 8, "ub", "|u1");
            U16: u16, UInt, ("uint16", 16, "us", "<u2");
            U32: u32, UInt, ("uint32", 32, "ui", "<u4");
            U64: u64, UInt, ("uint64", 64, "ul", "<u8");
            F16: half::f16, Float, ("float16", 16, "h", "<f2");
            BF16: half::bf16, BFloat, ("bfloat16", 16, "bf", "");
            F32: f32, Float, ("float32", 32, "f", "<f4");
            F64: f64, Float, ("float64", 64, "d", "<f8");
        }
    };
}

macro_rules! table {
    ($($variant:ident: $rust:ty, $class:ident, ($name:literal, $bits:literal, $short:literal, $typestr:literal);)*) => {
        /// A scalar type.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u8)]
        #[allow(missing_docs, reason = "the table above is the documentation")]
        pub enum Scalar { $($variant),* }

        /// One row of the table.
        #[derive(Clone, Copy, Debug)]
        pub struct Row {
            /// The type this row describes.
            pub scalar: Scalar,
            /// The name users write: `wp.float32`.
            pub name: &'static str,
            /// How the bits are read.
            pub class: Class,
            /// Width in bits of the value in memory.
            pub bits: u8,
            /// The letter of typed spellings such as `vec3f`; empty if there is none.
            pub short: &'static str,
            /// The type string of `__array_interface__`; empty where NumPy has no such type.
            pub typestr: &'static str,
        }

        /// Every scalar type, in the order of the enum.
        pub const TABLE: &[Row] = &[$(Row {
            scalar: Scalar::$variant, name: $name, class: Class::$class, bits: $bits,
            short: $short, typestr: $typestr,
        }),*];
    };
}

scalars!(table);

/// Runs code with `$t` as the Rust type of a scalar.
macro_rules! with_native {
    (($scalar:expr, $t:ident => $body:expr) $($variant:ident: $rust:ty, $class:ident, $facts:tt;)*) => {
        match $scalar {
            $($crate::dtype::Scalar::$variant => {
                type $t = $rust;
                $body
            })*
        }
    };
    ($scalar:expr, $t:ident => $body:expr) => {
        $crate::dtype::scalars!(crate::dtype::with_native ($scalar, $t => $body))
    };
}

pub(crate) use {scalars, with_native};

/// A scalar in memory as a type of Rust. Conversions are those of a cast in a kernel: integers wrap, floats are cut towards zero and end
/// at the type's limits, NaN is 0.
pub(crate) trait Native: Copy + Send + Sync + PartialEq + 'static {
    fn of_int(x: i64) -> Self;
    fn of_unsigned(x: u64) -> Self;
    fn of_float(x: f64) -> Self;
    fn to<T: Native>(self) -> T;
    /// What lies in memory; integers with their sign in the bits above.
    fn bits(self) -> u64;
    fn of_bits(bits: u64) -> Self;
}

macro_rules! natives {
    ($($t:ty, $of:ident, $as:ty: $bits:expr, $of_bits:expr;)*) => {$(
        impl Native for $t {
            #[inline(always)]
            fn of_int(x: i64) -> $t { x as $t }
            #[inline(always)]
            fn of_unsigned(x: u64) -> $t { x as $t }
            #[inline(always)]
            fn of_float(x: f64) -> $t { x as $t }
            #[inline(always)]
            fn to<T: Native>(self) -> T { T::$of(self as $as) }
            #[inline(always)]
            fn bits(self) -> u64 { $bits(self) }
            #[inline(always)]
            fn of_bits(bits: u64) -> $t { $of_bits(bits) }
        }
    )*};
    ($($t:ty, $of:ident, $as:ty;)*) => {
        natives! { $($t, $of, $as: |x| x as u64, |bits| bits as $t;)* }
    };
}

natives! {
    i8, of_int, i64;
    i16, of_int, i64;
    i32, of_int, i64;
    i64, of_int, i64;
    u8, of_unsigned, u64;
    u16, of_unsigned, u64;
    u32, of_unsigned, u64;
    u64, of_unsigned, u64;
}

natives! {
    f32, of_float, f64: |x: f32| x.to_bits().into(), |bits| f32::from_bits(bits as u32);
    f64, of_float, f64: f64::to_bits, f64::from_bits;
}

/// Floats that Rust does not convert itself.
macro_rules! narrow {
    ($($t:ty, $of:ident;)*) => {$(
        impl Native for $t {
            #[inline(always)]
            fn of_int(x: i64) -> $t { $of(x as f64) }
            #[inline(always)]
            fn of_unsigned(x: u64) -> $t { $of(x as f64) }
            #[inline(always)]
            fn of_float(x: f64) -> $t { $of(x) }
            #[inline(always)]
            fn to<T: Native>(self) -> T { T::of_float(self.to_f64()) }
            #[inline(always)]
            fn bits(self) -> u64 { self.to_bits().into() }
            #[inline(always)]
            fn of_bits(bits: u64) -> $t { <$t>::from_bits(bits as _) }
        }
    )*};
}

narrow! {
    f16, f16_of;
    bf16, bf16_of;
}

/// A truth value in memory.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Truth(u8);

impl Native for Truth {
    fn of_int(x: i64) -> Truth {
        Truth((x != 0).into())
    }
    fn of_unsigned(x: u64) -> Truth {
        Truth((x != 0).into())
    }
    fn of_float(x: f64) -> Truth {
        Truth((x != 0.0).into())
    }
    fn to<T: Native>(self) -> T {
        T::of_unsigned((self.0 != 0).into())
    }
    fn bits(self) -> u64 {
        self.0.into()
    }
    fn of_bits(bits: u64) -> Truth {
        Truth((bits != 0).into())
    }
}

/// The nearest float16, of two as near the even one. `half` converts through float32 where the processor converts, and so rounds
/// twice.
pub fn f16_of(x: f64) -> f16 {
    f16::from_f32(to_odd(x))
}

/// The nearest bfloat16, as [`f16_of`].
pub fn bf16_of(x: f64) -> bf16 {
    bf16::from_f32(to_odd(x))
}

/// A float32 next to `x` whose last bit is one where it is not `x` itself: what rounds it once more rounds `x` (S. Boldo and
/// G. Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008).
fn to_odd(x: f64) -> f32 {
    let near = x as f32;
    let back = f64::from(near);
    if back == x || x.is_nan() {
        return near;
    }
    let towards_zero = near.to_bits() - u32::from(back.abs() > x.abs());
    f32::from_bits(towards_zero | 1)
}

impl Scalar {
    /// The row of this type.
    pub const fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }
    /// The name users write.
    pub const fn name(self) -> &'static str {
        self.row().name
    }
    /// Bytes in memory.
    pub const fn size(self) -> usize {
        self.row().bits as usize / 8
    }
    /// Bits of the value in memory.
    pub const fn bits(self) -> u32 {
        self.row().bits as u32
    }
    /// How the bits are read.
    pub const fn class(self) -> Class {
        self.row().class
    }
    /// Any floating point type, bfloat16 included.
    pub const fn is_float(self) -> bool {
        matches!(self.class(), Class::Float | Class::BFloat)
    }
    /// Any integer type, signed or not; bool is none.
    pub const fn is_int(self) -> bool {
        matches!(self.class(), Class::Int | Class::UInt)
    }
    /// Signed integer.
    pub const fn is_signed(self) -> bool {
        matches!(self.class(), Class::Int)
    }
    /// A float that is rounded to this type in a register of float32.
    pub const fn is_narrow(self) -> bool {
        self.is_float() && self.bits() <= 16
    }
    /// Whether NumPy has the type itself, without other packages.
    pub const fn is_numpys(self) -> bool {
        !self.row().typestr.is_empty()
    }
    /// The nearest number of a float type; any other type leaves `x` as it is.
    pub fn round(self, x: f64) -> f64 {
        match self.is_float() {
            true => with_native!(self, T => T::of_float(x).to()),
            false => x,
        }
    }
    /// The number of a float type nearest to `x`, as it lies in memory.
    pub fn float_bits(self, x: f64) -> u64 {
        with_native!(self, T => T::of_float(x).bits())
    }
    /// Undoes [`Scalar::float_bits`].
    pub fn float_of(self, bits: u64) -> f64 {
        with_native!(self, T => T::of_bits(bits).to())
    }
    /// The type whose user-visible name is `name` (`float32`; also Python's `float`, `int`).
    pub fn from_name(name: &str) -> Option<Scalar> {
        match name {
            "float" => Some(Scalar::F32),
            "int" => Some(Scalar::I32),
            _ => TABLE.iter().find(|r| r.name == name).map(|r| r.scalar),
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Halfway between two float16, and half of the last bit of a float64 beside that.
    #[test]
    fn numbers_are_rounded_once() {
        for low in [2048.0, -2048.0, 6.0e-5, 1.0] {
            let (low, step) = (f16::from_f32(low), 1);
            let next = f16::from_bits(low.to_bits() + step);
            let half = (low.to_f64() + next.to_f64()) / 2.0;
            let even = match low.to_bits() % 2 {
                0 => low,
                _ => next,
            };
            assert_eq!(f16_of(half), even);
            let [nearer, further] = [-1.0, 1.0].map(|way| half * (1.0 + way * 4e-16));
            assert_eq!((f16_of(nearer), f16_of(further)), (low, next));
        }
        assert_eq!(f16_of(3_078.999_950_405_197_5).to_f64(), 3078.0);
        assert_eq!(bf16_of(257.0).to_f64(), 256.0);
        assert_eq!(bf16_of(257.0 + 1e-13).to_f64(), 258.0);
        for x in [0.0, 1e-300, 1e-8, 65519.9, 65520.0, 1e300, f64::INFINITY] {
            for x in [x, -x] {
                assert_eq!(f16_of(x).is_sign_negative(), x.is_sign_negative());
                assert_eq!(f16_of(x).is_infinite(), x.abs() >= 65520.0, "{x}");
            }
        }
        assert!(f16_of(f64::NAN).is_nan() && bf16_of(f64::NAN).is_nan());
    }

    #[test]
    fn rows_stand_at_their_index() {
        for (i, row) in TABLE.iter().enumerate() {
            assert_eq!(row.scalar as usize, i);
            assert_eq!(Scalar::from_name(row.name), Some(row.scalar));
        }
    }
}
