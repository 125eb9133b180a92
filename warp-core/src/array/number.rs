//! Single scalars on their way between memory and a caller that is not compiled.

use crate::dtype::{Class, Scalar};
use crate::error::{Code, Error, Result};
use half::{bf16, f16};

/// A scalar's value, wide enough for every type.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    /// A truth value.
    Bool(bool),
    /// Any integer of up to 64 bits, signed or not.
    Int(i128),
    /// Any floating point number.
    Float(f64),
}

impl Number {
    /// Reads one scalar.
    ///
    /// # Safety
    /// `at` points to a scalar of this type, aligned or not.
    pub unsafe fn read(scalar: Scalar, at: *const u8) -> Number {
        macro_rules! get {
            ($t:ty) => {
                // SAFETY: promised by the caller.
                unsafe { at.cast::<$t>().read_unaligned() }
            };
        }
        match scalar {
            Scalar::Bool => Number::Bool(get!(u8) != 0),
            Scalar::I8 => Number::Int(get!(i8).into()),
            Scalar::I16 => Number::Int(get!(i16).into()),
            Scalar::I32 => Number::Int(get!(i32).into()),
            Scalar::I64 => Number::Int(get!(i64).into()),
            Scalar::U8 => Number::Int(get!(u8).into()),
            Scalar::U16 => Number::Int(get!(u16).into()),
            Scalar::U32 => Number::Int(get!(u32).into()),
            Scalar::U64 => Number::Int(get!(u64).into()),
            Scalar::F16 => Number::Float(get!(f16).into()),
            Scalar::BF16 => Number::Float(get!(bf16).into()),
            Scalar::F32 => Number::Float(get!(f32).into()),
            Scalar::F64 => Number::Float(get!(f64)),
        }
    }

    /// Appends the bytes of this value as a `scalar`; refuses what that type cannot hold.
    pub fn write(self, scalar: Scalar, out: &mut impl Extend<u8>) -> Result<()> {
        let int = || -> Result<i128> {
            let v = match self {
                Number::Bool(b) => i128::from(b),
                Number::Int(v) => v,
                Number::Float(v) => {
                    return Err(Error::new(
                        Code::Type,
                        format!("{v} is a float, {scalar} holds integers"),
                    )
                    .hint("round it first: int(...)"));
                }
            };
            let (low, high) = range(scalar);
            if v < low || v > high {
                return Err(Error::new(
                    Code::Value,
                    format!("{v} does not fit {scalar}, which holds {low} to {high}"),
                ));
            }
            Ok(v)
        };
        let float = match self {
            Number::Bool(b) => f64::from(u8::from(b)),
            Number::Int(v) => v as f64,
            Number::Float(v) => v,
        };
        macro_rules! put {
            ($v:expr) => {
                out.extend($v.to_le_bytes())
            };
        }
        match scalar {
            Scalar::Bool => put!(u8::from(match self {
                Number::Bool(b) => b,
                Number::Int(v) => v != 0,
                Number::Float(v) => v != 0.0,
            })),
            Scalar::I8 => put!((int()? as i8)),
            Scalar::I16 => put!((int()? as i16)),
            Scalar::I32 => put!((int()? as i32)),
            Scalar::I64 => put!((int()? as i64)),
            Scalar::U8 => put!((int()? as u8)),
            Scalar::U16 => put!((int()? as u16)),
            Scalar::U32 => put!((int()? as u32)),
            Scalar::U64 => put!((int()? as u64)),
            Scalar::F16 => put!(f16::from_f64(float)),
            Scalar::BF16 => put!(bf16::from_f64(float)),
            Scalar::F32 => put!((float as f32)),
            Scalar::F64 => put!(float),
        }
        Ok(())
    }

    /// The value rounded to what a `scalar` can hold; refuses as [`Number::write`] does.
    pub fn rounded(self, scalar: Scalar) -> Result<Number> {
        let mut bytes = smallvec::SmallVec::<[u8; 8]>::new();
        self.write(scalar, &mut bytes)?;
        // SAFETY: `write` appended exactly one scalar of this type.
        Ok(unsafe { Number::read(scalar, bytes.as_ptr()) })
    }
}

/// The least and the greatest value of an integer type.
fn range(scalar: Scalar) -> (i128, i128) {
    let bits = scalar.bits();
    match scalar.class() {
        Class::Int => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        _ => (0, (1 << bits) - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::TABLE;

    #[test]
    fn every_scalar_reads_back_what_was_written() {
        for row in TABLE {
            for v in [0, 1] {
                let n = match row.class {
                    Class::Bool => Number::Bool(v == 1),
                    Class::Int | Class::UInt => Number::Int(v),
                    Class::Float | Class::BFloat => Number::Float(v as f64),
                };
                assert_eq!(n.rounded(row.scalar), Ok(n), "{}", row.name);
            }
        }
    }

    #[test]
    fn integers_out_of_range_are_refused() {
        for row in TABLE.iter().filter(|r| r.scalar.is_int()) {
            let (low, high) = range(row.scalar);
            for (v, fits) in [
                (low, true),
                (high, true),
                (low - 1, false),
                (high + 1, false),
            ] {
                assert_eq!(
                    Number::Int(v).rounded(row.scalar).is_ok(),
                    fits,
                    "{}",
                    row.name
                );
            }
            assert!(Number::Float(1.0).rounded(row.scalar).is_err());
        }
    }
}
