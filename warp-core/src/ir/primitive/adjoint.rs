//! The adjoint of any pure operation. Every derivative of the system follows from here.
//!
//! Contributions are made of primitives, so they can be differentiated again. At singular
//! points a contribution is finite wherever a finite one is right: a guarded operand (`safe`)
//! stands in the operation itself, not only in a `Select` behind it, because the
//! adjoint of the operation would otherwise multiply 0 by infinity.

use crate::ir::id::Value;
use crate::ir::op::Op;
use crate::ir::primitive::derivative::{Chain, Emit};
use crate::ir::primitive::row::Derivative;
use smallvec::{SmallVec, smallvec};

/// A contribution to the adjoint of each argument; None: there is no gradient.
pub type Contributions = SmallVec<[Option<Value>; 3]>;

/// What each argument of `out = op(args)` gets of `d`, the adjoint of `out`.
///
/// Integers, truth values, comparisons and piecewise constant functions have no gradient.
pub fn adjoint(emit: &mut dyn Emit, op: Op, args: &[Value], out: Value, d: Value) -> Contributions {
    let none = smallvec![None; args.len()];
    let ty = emit.ty(out);
    if !ty.is_float() {
        return none;
    }
    match (op, args) {
        (Op::Cast, [x]) => {
            let from = emit.ty(*x);
            return smallvec![from.is_float().then(|| emit.cast(d, from))];
        }
        (Op::Select, [cond, _, _]) => {
            let zero = emit.number(ty, 0.0);
            let then = emit.op(Op::Select, &[*cond, d, zero]);
            let els = emit.op(Op::Select, &[*cond, zero, d]);
            return smallvec![None, Some(then), Some(els)];
        }
        _ => {}
    }
    let Some(primitive) = op.primitive() else {
        return none;
    };
    let mut chain = Chain { emit, ty, out, d };
    match (primitive.derivative, args) {
        (Derivative::Unary(rule), [x]) => smallvec![Some(rule(&mut chain, *x))],
        (Derivative::Binary(rule), [x, y]) => SmallVec::from_slice(&rule(&mut chain, *x, *y)),
        _ => none,
    }
}
