//! Numbers and primitive operations on them.

use crate::dtype::{Native, Scalar, with_native};
use crate::ir::op::Op;
use crate::ir::primitive::{OnFloats, OnInts};
use std::cmp::Ordering;

/// A number; its [`Scalar`] type is known from where it stands.
#[derive(Clone, Copy, Debug)]
pub enum Num {
    /// Bool (0 or 1) or integer; uint64 as the same bits.
    Int(i64),
    /// A float, always rounded to its type.
    Float(f64),
}

impl PartialEq for Num {
    /// Bitwise, so that NaN equals itself.
    fn eq(&self, other: &Num) -> bool {
        match (self, other) {
            (Num::Int(a), Num::Int(b)) => a == b,
            (Num::Float(a), Num::Float(b)) => a.to_bits() == b.to_bits(),
            _ => false,
        }
    }
}

impl Num {
    /// As an integer; 0 for a float (verified IR does not ask).
    pub fn int(self) -> i64 {
        match self {
            Num::Int(i) => i,
            Num::Float(_) => 0,
        }
    }
    /// As a float.
    pub fn float(self) -> f64 {
        match self {
            Num::Int(i) => i as f64,
            Num::Float(x) => x,
        }
    }
    fn truth_value(value: bool) -> Num {
        Num::Int(i64::from(value))
    }
    /// Whether it is not zero.
    pub fn truth(self) -> bool {
        match self {
            Num::Int(i) => i != 0,
            Num::Float(x) => x != 0.0,
        }
    }
    /// The mathematical value of an integer of type `ty`.
    pub fn wide(self, ty: Scalar) -> i128 {
        match ty {
            Scalar::U64 => i128::from(self.int() as u64),
            _ => i128::from(self.int()),
        }
    }
}

/// Wraps to an integer type.
pub fn wrap(x: i128, ty: Scalar) -> i64 {
    match ty {
        Scalar::Bool => i64::from(x != 0),
        _ => with_native!(ty, T => T::of_int(x as i64).to()),
    }
}

/// The number that lies in memory as these bits.
pub fn of_bits(bits: u64, ty: Scalar) -> Num {
    match ty.is_float() {
        true => Num::Float(ty.float_of(bits)),
        false => Num::Int(with_native!(ty, T => T::of_bits(bits).to())),
    }
}

/// Applies a pure operation to numbers of type `from`, giving one of type `to`. (`from` is
/// the type of the arguments, of the second one for `select`.)
///
/// # Errors
/// If the operation has no meaning for the type.
pub fn evaluate(op: Op, from: Scalar, to: Scalar, args: &[Num]) -> Result<Num, String> {
    match op {
        Op::Select => return Ok(if args[0].truth() { args[1] } else { args[2] }),
        Op::Cast => return Ok(cast(args[0], from, to)),
        Op::Bits => return Ok(of_bits(bits(args[0], from), to)),
        Op::RangeLen => {
            let [start, stop, step] = [0, 1, 2].map(|i| args[i].wide(from));
            let iterations = match step.cmp(&0) {
                Ordering::Greater => (stop - start + step - 1).div_euclid(step),
                Ordering::Less => (start - stop - step - 1).div_euclid(-step),
                Ordering::Equal => 0,
            };
            // As many iterations as there are integers between never fit the signed type itself.
            return Ok(Num::Int(wrap(iterations.max(0), to)));
        }
        _ => {}
    }
    op.primitive()
        .and_then(|row| match from.is_float() {
            true => of_floats(row.floats, args, to),
            false => of_ints(row.ints, args, from),
        })
        .ok_or_else(|| format!("{op:?} of {from}"))
}

/// A number as it stands in memory; integers with their sign in the bits above.
fn bits(x: Num, ty: Scalar) -> u64 {
    match x {
        Num::Int(x) => x as u64,
        Num::Float(x) => ty.float_bits(x),
    }
}

fn cast(x: Num, from: Scalar, to: Scalar) -> Num {
    match (from.is_float(), to.is_float()) {
        (_, _) if to == Scalar::Bool => Num::Int(i64::from(x.truth())),
        (true, true) => Num::Float(to.round(x.float())),
        (false, true) => {
            let wide = x.wide(from);
            // One rounding only: through f32 where the target is that narrow.
            Num::Float(match to {
                Scalar::F64 => wide as f64,
                Scalar::F32 => f64::from(wide as f32),
                narrow => narrow.round(f64::from(wide as f32)),
            })
        }
        (false, false) => Num::Int(wrap(x.wide(from), to)),
        (true, false) => Num::Int(with_native!(to, T => T::of_float(x.float()).to())),
    }
}

fn of_floats(function: OnFloats, args: &[Num], to: Scalar) -> Option<Num> {
    let value = match (function, args) {
        (OnFloats::Unary(f), [x]) => f(x.float()),
        (OnFloats::Binary(f), [a, b]) => f(a.float(), b.float(), to),
        (OnFloats::Test(f), [x]) => return Some(Num::truth_value(f(x.float()))),
        (OnFloats::Compare(f), [a, b]) => {
            return Some(Num::truth_value(f(a.float().partial_cmp(&b.float()))));
        }
        _ => return None,
    };
    Some(Num::Float(to.round(value)))
}

fn of_ints(function: OnInts, args: &[Num], ty: Scalar) -> Option<Num> {
    let value = match (function, args) {
        (OnInts::Unary(f), [x]) => f(x.wide(ty), ty),
        (OnInts::Binary(f), [a, b]) => f(a.wide(ty), b.wide(ty), ty),
        (OnInts::Compare(f), [a, b]) => {
            return Some(Num::truth_value(f(Some(a.wide(ty).cmp(&b.wide(ty))))));
        }
        _ => return None,
    };
    Some(Num::Int(wrap(value, ty)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(op: Op, ty: Scalar, a: i64, b: i64) -> i64 {
        evaluate(op, ty, ty, &[Num::Int(a), Num::Int(b)])
            .expect("defined")
            .int()
    }

    #[test]
    fn integer_rules() {
        assert_eq!(int(Op::FloorDiv, Scalar::I32, -7, 2), -4);
        assert_eq!(int(Op::FloorDiv, Scalar::I32, 7, -2), -4);
        assert_eq!(int(Op::FloorDiv, Scalar::I32, -7, -2), 3);
        assert_eq!(int(Op::FloorDiv, Scalar::I32, -6, -2), 3);
        assert_eq!(int(Op::Div, Scalar::I32, -7, 2), -3);
        assert_eq!(int(Op::Mod, Scalar::I32, -7, 2), -1);
        assert_eq!(
            int(Op::Div, Scalar::I32, i32::MIN.into(), -1),
            i32::MIN.into()
        );
        assert_eq!(int(Op::Mod, Scalar::I64, 5, 0), 0);
        assert_eq!(int(Op::Shr, Scalar::I32, -8, 40), -1);
        assert_eq!(int(Op::Shl, Scalar::I32, 1, 32), 0);
        assert_eq!(int(Op::Shr, Scalar::U8, 200, 1), 100);
    }

    #[test]
    fn range_length_is_python_s() {
        for (start, stop, step, iterations) in [
            (0, 5, 1, 5),
            (5, 0, 1, 0),
            (5, 0, -2, 3),
            (0, 5, 2, 3),
            (0, 5, 0, 0),
            (-3, 3, 3, 2),
        ] {
            let args = [start, stop, step].map(Num::Int);
            let found = evaluate(Op::RangeLen, Scalar::I32, Scalar::I32, &args);
            assert_eq!(found.expect("defined").int(), iterations);
        }
    }

    #[test]
    fn casts_saturate() {
        let to = |x: f64, ty| cast(Num::Float(x), Scalar::F64, ty).int();
        assert_eq!(to(1e20, Scalar::I32), i32::MAX.into());
        assert_eq!(to(-1.9, Scalar::I32), -1);
        assert_eq!(to(-1.9, Scalar::U8), 0);
        assert_eq!(to(f64::NAN, Scalar::I64), 0);
    }
}
