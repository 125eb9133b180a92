//! Constants of constants. Only what indices and loop bounds need (integers and negation), and
//! powers that are a product. Everything else is left to the passes.

use crate::dtype::{Class, Scalar};
use crate::ir::{Builder, Const, Op, Value};

/// An operation, or the constant that it gives.
pub fn op(b: &mut Builder, op: Op, args: &[Value]) -> Value {
    let ty = b.ty(args[0]);
    let known: smallvec::SmallVec<[Option<Const>; 2]> = args.iter().map(|a| b.known(*a)).collect();
    let constant = match (op, &known[..]) {
        (Op::Neg, [Some(Const::Float(x))]) => match b.full_value(args[0]) {
            Some(full) => return b.untyped(ty, -full),
            None => Some(Const::Float(-x)),
        },
        (Op::Neg, [Some(Const::Int(x))]) => Some(Const::Int(wrap(ty, 0i64.wrapping_sub(*x)))),
        (Op::Pow, _) => return power(b, args[0], args[1]),
        (_, [Some(Const::Int(x)), Some(Const::Int(y))]) => integers(op, *x, *y, ty).map(Const::Int),
        _ => None,
    };
    match constant {
        Some(constant) if args.iter().any(|a| b.probe.look(*a).is_some()) => {
            let out = b.op(op, args);
            b.probe.add(out, constant);
            out
        }
        Some(constant) => b.constant(ty, constant),
        None => b.op(op, args),
    }
}

/// A power, or the product that it is: the same numbers for every x, since each is one exact operation, rounded once.
fn power(b: &mut Builder, x: Value, exponent: Value) -> Value {
    match b.as_const(exponent) {
        Some(Const::Float(2.0)) => b.op(Op::Mul, &[x, x]),
        Some(Const::Float(1.0)) => x,
        Some(Const::Float(-1.0)) => {
            let one = b.number(b.ty(x), 1.0);
            b.op(Op::Div, &[one, x])
        }
        _ => b.op(Op::Pow, &[x, exponent]),
    }
}

fn integers(op: Op, x: i64, y: i64, ty: Scalar) -> Option<i64> {
    // Division and order of uint64 would need the other reading of the bits.
    let value = match op {
        Op::Add => x.wrapping_add(y),
        Op::Sub => x.wrapping_sub(y),
        Op::Mul => x.wrapping_mul(y),
        Op::FloorDiv if y > 0 && ty != Scalar::U64 => x.div_euclid(y),
        Op::Div if y > 0 && ty != Scalar::U64 => x / y,
        Op::Mod if y > 0 && ty != Scalar::U64 => x % y,
        _ => return None,
    };
    Some(wrap(ty, value))
}

/// The low bits of an integer, read as a type reads them.
pub fn wrap(ty: Scalar, value: i64) -> i64 {
    let unused = 64 - ty.bits();
    match ty.class() {
        Class::UInt if ty.bits() < 64 => ((value as u64) << unused >> unused) as i64,
        _ => value << unused >> unused,
    }
}
