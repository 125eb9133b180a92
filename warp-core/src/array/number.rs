//! Single scalars on their way between memory and a caller that is not compiled.

use crate::dtype::{Class, Native, Scalar, with_native};
use crate::error::{Code, Error, Result};

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
        with_native!(scalar, T => {
            // SAFETY: promised by the caller.
            let x = unsafe { at.cast::<T>().read_unaligned() };
            match scalar.class() {
                Class::Bool => Number::Bool(x.to::<u8>() != 0),
                Class::Int => Number::Int(x.to::<i64>().into()),
                Class::UInt => Number::Int(x.to::<u64>().into()),
                _ => Number::Float(x.to()),
            }
        })
    }

    /// Appends the bytes of this value as a `scalar`; refuses what that type cannot hold.
    ///
    /// # Errors
    /// [`Code::Type`] for a float where integers are held, [`Code::Value`] for an integer out of range.
    pub fn write(self, scalar: Scalar, out: &mut impl Extend<u8>) -> Result<()> {
        if scalar.is_int() {
            let v = match self {
                Number::Bool(b) => i128::from(b),
                Number::Int(v) => v,
                Number::Float(v) => {
                    return Err(Error::new(
                        Code::Type,
                        format!("{v} is a float, {scalar} holds integers"),
                    )
                    .hint("make it an int first"));
                }
            };
            let (low, high) = range(scalar);
            if v < low || v > high {
                return Err(Error::new(
                    Code::Value,
                    format!("{v} does not fit {scalar}, which holds {low} to {high}"),
                ));
            }
        }
        self.cast(scalar).put(scalar, out);
        Ok(())
    }

    /// The value as a cast in a kernel makes it: floats are cut towards zero, integers wrap.
    pub fn cast(self, scalar: Scalar) -> Number {
        match (scalar.class(), self) {
            (Class::Bool, Number::Int(v)) => Number::Bool(v != 0),
            (Class::Bool, Number::Float(v)) => Number::Bool(v != 0.0),
            (Class::Bool, Number::Bool(_)) => self,
            (Class::Int | Class::UInt, Number::Bool(b)) => Number::Int(i128::from(b)),
            (Class::Int | Class::UInt, Number::Float(v)) => Number::Int(v as i128).wrap(scalar),
            (Class::Int | Class::UInt, Number::Int(_)) => self.wrap(scalar),
            (_, Number::Int(v)) => Number::Float(v as f64),
            (_, Number::Bool(b)) => Number::Float(f64::from(u8::from(b))),
            (_, Number::Float(_)) => self,
        }
    }

    fn wrap(self, scalar: Scalar) -> Number {
        let Number::Int(v) = self else { return self };
        let unused = 128 - scalar.bits();
        Number::Int(match scalar.class() {
            Class::Int => (v << unused) >> unused,
            _ => (((v as u128) << unused) >> unused) as i128,
        })
    }

    /// Appends the bytes of a value that is of the scalar's kind and range.
    pub(super) fn put(self, scalar: Scalar, out: &mut impl Extend<u8>) {
        let int = match self {
            Number::Bool(b) => i128::from(b),
            Number::Int(v) => v,
            Number::Float(_) => 0,
        };
        let float = match self {
            Number::Float(v) => v,
            _ => int as f64,
        };
        // The low bytes of any integer type are the same; so are those of a bool.
        let bits = match scalar.is_float() {
            true => scalar.float_bits(float),
            false => int as u64,
        };
        out.extend(bits.to_le_bytes().into_iter().take(scalar.size()));
    }

    /// The value rounded to what a `scalar` can hold; refuses as [`Number::write`] does.
    ///
    /// # Errors
    /// As [`Number::write`].
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
                    _ => Number::Float(v as f64),
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
