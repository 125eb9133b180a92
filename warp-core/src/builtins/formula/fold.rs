//! Constants of constants. Only what indices and loop bounds need (integers and negation), and
//! powers that are a product. Everything else is left to the passes.

use crate::dtype::{Class, Scalar};
use crate::ir::{Builder, Const, Op, Value};

/// An operation, or the constant that it gives.
pub fn op(b: &mut Builder, op: Op, args: &[Value]) -> Value {
    let ty = b.ty(args[0]);
    let consts: smallvec::SmallVec<[Option<Const>; 2]> =
        args.iter().map(|a| b.as_const(*a)).collect();
    match (op, &consts[..]) {
        (Op::Neg, [Some(Const::Float(x))]) => match b.full_value(args[0]) {
            Some(full) => b.untyped(ty, -full),
            None => b.constant(ty, Const::Float(-x)),
        },
        (Op::Neg, [Some(Const::Int(x))]) => {
            b.constant(ty, Const::Int(wrap(ty, 0i64.wrapping_sub(*x))))
        }
        // The same numbers as the power for every x: each is one exact operation, rounded once.
        (Op::Pow, [_, Some(Const::Float(2.0))]) => b.op(Op::Mul, &[args[0], args[0]]),
        (Op::Pow, [_, Some(Const::Float(1.0))]) => args[0],
        (Op::Pow, [_, Some(Const::Float(-1.0))]) => {
            let one = b.number(ty, 1.0);
            b.op(Op::Div, &[one, args[0]])
        }
        (_, [Some(Const::Int(x)), Some(Const::Int(y))]) => match integers(op, *x, *y, ty) {
            Some(value) => b.constant(ty, Const::Int(value)),
            None => b.op(op, args),
        },
        _ => b.op(op, args),
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
