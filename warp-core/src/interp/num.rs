//! Numbers and primitive operations on them.

use crate::dtype::{Class, Scalar};
use crate::interp::fault::Fault;
use crate::interp::special;
use crate::ir::Op;
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
    pub(super) fn truth(self) -> bool {
        match self {
            Num::Int(i) => i != 0,
            Num::Float(x) => x != 0.0,
        }
    }
    /// The mathematical value of an integer of type `ty`.
    pub(super) fn wide(self, ty: Scalar) -> i128 {
        match ty {
            Scalar::U64 => i128::from(self.int() as u64),
            _ => i128::from(self.int()),
        }
    }
}

/// Rounds to the nearest number of a float type.
pub fn round_to(x: f64, ty: Scalar) -> f64 {
    match ty {
        Scalar::F16 => half::f16::from_f64(x).to_f64(),
        Scalar::BF16 => half::bf16::from_f64(x).to_f64(),
        Scalar::F32 => f64::from(x as f32),
        _ => x,
    }
}

/// Wraps to an integer type.
pub(super) fn wrap(x: i128, ty: Scalar) -> i64 {
    match ty {
        Scalar::Bool => i64::from(x != 0),
        Scalar::I8 => i64::from(x as i8),
        Scalar::I16 => i64::from(x as i16),
        Scalar::I32 => i64::from(x as i32),
        Scalar::U8 => i64::from(x as u8),
        Scalar::U16 => i64::from(x as u16),
        Scalar::U32 => i64::from(x as u32),
        _ => x as i64,
    }
}

/// Applies a pure operation to numbers of type `from`, giving one of type `to`. (`from` is
/// the type of the arguments, of the second one for `select`.)
pub fn evaluate(op: Op, from: Scalar, to: Scalar, args: &[Num]) -> Result<Num, Fault> {
    match op {
        Op::Select => return Ok(if args[0].truth() { args[1] } else { args[2] }),
        Op::Cast => return Ok(cast(args[0], from, to)),
        Op::RangeLen => {
            let [start, stop, step] = [0, 1, 2].map(|i| args[i].wide(from));
            let rounds = match step.cmp(&0) {
                Ordering::Greater => (stop - start + step - 1).div_euclid(step),
                Ordering::Less => (start - stop - step - 1).div_euclid(-step),
                Ordering::Equal => 0,
            };
            // As many rounds as there are integers between never fit the signed type itself.
            return Ok(Num::Int(wrap(rounds.max(0), to)));
        }
        _ => {}
    }
    if from.class() == Class::Float || from.class() == Class::BFloat {
        let a = args[0].float();
        match args.get(1) {
            None => float1(op, a, to),
            Some(b) => float2(op, a, b.float(), to),
        }
    } else {
        let a = args[0].wide(from);
        match args.get(1) {
            None => int1(op, a, from),
            Some(b) => int2(op, a, b.wide(from), from),
        }
    }
    .ok_or_else(|| Fault(format!("{op:?} of {from}")))
}

fn cast(x: Num, from: Scalar, to: Scalar) -> Num {
    match (from.is_float(), to.is_float()) {
        (_, _) if to == Scalar::Bool => Num::Int(i64::from(x.truth())),
        (true, true) => Num::Float(round_to(x.float(), to)),
        (false, true) => {
            let wide = x.wide(from);
            // One rounding only: through f32 where the target is that narrow.
            Num::Float(match to {
                Scalar::F64 => wide as f64,
                Scalar::F32 => f64::from(wide as f32),
                narrow => round_to(f64::from(wide as f32), narrow),
            })
        }
        (false, false) => Num::Int(wrap(x.wide(from), to)),
        (true, false) => {
            let x = x.float();
            Num::Int(match to {
                Scalar::I8 => i64::from(x as i8),
                Scalar::I16 => i64::from(x as i16),
                Scalar::I32 => i64::from(x as i32),
                Scalar::I64 => x as i64,
                Scalar::U8 => i64::from(x as u8),
                Scalar::U16 => i64::from(x as u16),
                Scalar::U32 => i64::from(x as u32),
                _ => (x as u64) as i64,
            })
        }
    }
}

fn float1(op: Op, x: f64, to: Scalar) -> Option<Num> {
    let truth = |b: bool| Some(Num::Int(i64::from(b)));
    let value = match op {
        Op::Neg => -x,
        Op::Abs => x.abs(),
        Op::Sign if x.is_nan() => x,
        Op::Sign => f64::from(if x < 0.0 { -1i8 } else { 1 }),
        Op::Sqrt | Op::Norm => x.sqrt(),
        Op::Cbrt => x.cbrt(),
        Op::Sin => x.sin(),
        Op::Cos => x.cos(),
        Op::Tan => x.tan(),
        Op::Asin => x.asin(),
        Op::Acos => x.acos(),
        Op::Atan => x.atan(),
        Op::Sinh => x.sinh(),
        Op::Cosh => x.cosh(),
        Op::Tanh => x.tanh(),
        Op::Exp => x.exp(),
        Op::Exp2 => x.exp2(),
        Op::Log => x.ln(),
        Op::Log2 => x.log2(),
        Op::Log10 => x.log10(),
        Op::Floor => x.floor(),
        Op::Ceil => x.ceil(),
        Op::Trunc => x.trunc(),
        Op::Round => x.round(),
        Op::Rint => x.round_ties_even(),
        Op::Erf => special::erf(x),
        Op::Erfc => special::erfc(x),
        Op::Erfinv => special::erfinv(x),
        Op::Erfcinv => special::erfcinv(x),
        Op::IsNan => return truth(x.is_nan()),
        Op::IsInf => return truth(x.is_infinite()),
        Op::IsFinite => return truth(x.is_finite()),
        _ => return None,
    };
    Some(Num::Float(round_to(value, to)))
}

fn float2(op: Op, a: f64, b: f64, to: Scalar) -> Option<Num> {
    let truth = |b: bool| Some(Num::Int(i64::from(b)));
    let value = match op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul => a * b,
        Op::Div => a / b,
        Op::FloorDiv => round_to(a / b, to).floor(),
        Op::Mod => a % b,
        Op::Pow => a.powf(b),
        Op::Atan2 => a.atan2(b),
        Op::Min | Op::Max if a.is_nan() || b.is_nan() => f64::NAN,
        // Of two zeros the negative one is smaller.
        Op::Min if a == b => {
            if a.is_sign_negative() {
                a
            } else {
                b
            }
        }
        Op::Max if a == b => {
            if a.is_sign_negative() {
                b
            } else {
                a
            }
        }
        Op::Min => a.min(b),
        Op::Max => a.max(b),
        Op::Eq => return truth(a == b),
        Op::Ne => return truth(a != b),
        Op::Lt => return truth(a < b),
        Op::Le => return truth(a <= b),
        Op::Gt => return truth(a > b),
        Op::Ge => return truth(a >= b),
        _ => return None,
    };
    Some(Num::Float(round_to(value, to)))
}

fn int1(op: Op, x: i128, ty: Scalar) -> Option<Num> {
    let value = match op {
        Op::Neg => -x,
        Op::Abs => x.abs(),
        Op::Sign => {
            if x < 0 {
                -1
            } else {
                1
            }
        }
        Op::Not if ty == Scalar::Bool => i128::from(x == 0),
        Op::Not => !x,
        _ => return None,
    };
    Some(Num::Int(wrap(value, ty)))
}

fn int2(op: Op, a: i128, b: i128, ty: Scalar) -> Option<Num> {
    let bits = i128::from(ty.bits());
    let in_range = (0..bits).contains(&b);
    let value = match op {
        Op::Add => a + b,
        Op::Sub => a - b,
        // Two uint64 may exceed 127 bits; the low 64, which are kept, stay right.
        Op::Mul => a.wrapping_mul(b),
        Op::Div | Op::FloorDiv | Op::Mod if b == 0 => 0,
        Op::Div => a / b,
        Op::FloorDiv => a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0),
        Op::Mod => a % b,
        Op::Min => a.min(b),
        Op::Max => a.max(b),
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Shl => {
            if in_range {
                a << b
            } else {
                0
            }
        }
        Op::Shr => a >> if in_range { b } else { 127 },
        Op::Eq => return Some(Num::Int(i64::from(a == b))),
        Op::Ne => return Some(Num::Int(i64::from(a != b))),
        Op::Lt => return Some(Num::Int(i64::from(a < b))),
        Op::Le => return Some(Num::Int(i64::from(a <= b))),
        Op::Gt => return Some(Num::Int(i64::from(a > b))),
        Op::Ge => return Some(Num::Int(i64::from(a >= b))),
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
        for (start, stop, step, rounds) in [
            (0, 5, 1, 5),
            (5, 0, 1, 0),
            (5, 0, -2, 3),
            (0, 5, 2, 3),
            (0, 5, 0, 0),
            (-3, 3, 3, 2),
        ] {
            let args = [start, stop, step].map(Num::Int);
            let found = evaluate(Op::RangeLen, Scalar::I32, Scalar::I32, &args);
            assert_eq!(found.expect("defined").int(), rounds);
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
