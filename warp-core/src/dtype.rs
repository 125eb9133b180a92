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

macro_rules! scalars {
    ($($variant:ident, $name:literal, $class:ident, $bits:literal, $short:literal, $typestr:literal;)*) => {
        /// A scalar type.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u8)]
        #[allow(missing_docs, reason = "the table below is the documentation")]
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

scalars! {
    Bool, "bool",     Bool,   8,  "",   "|b1";
    I8,   "int8",     Int,    8,  "b",  "|i1";
    I16,  "int16",    Int,    16, "s",  "<i2";
    I32,  "int32",    Int,    32, "i",  "<i4";
    I64,  "int64",    Int,    64, "l",  "<i8";
    U8,   "uint8",    UInt,   8,  "ub", "|u1";
    U16,  "uint16",   UInt,   16, "us", "<u2";
    U32,  "uint32",   UInt,   32, "ui", "<u4";
    U64,  "uint64",   UInt,   64, "ul", "<u8";
    F16,  "float16",  Float,  16, "h",  "<f2";
    BF16, "bfloat16", BFloat, 16, "bf", "";
    F32,  "float32",  Float,  32, "f",  "<f4";
    F64,  "float64",  Float,  64, "d",  "<f8";
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
    /// The nearest number of a float type; any other type leaves `x` as it is.
    pub fn round(self, x: f64) -> f64 {
        match self {
            Scalar::F16 => f16_of(x).to_f64(),
            Scalar::BF16 => bf16_of(x).to_f64(),
            Scalar::F32 => f64::from(x as f32),
            _ => x,
        }
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
