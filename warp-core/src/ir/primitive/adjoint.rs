//! The adjoint of any pure operation. Every derivative of the system follows from here.
//!
//! Contributions are made of primitives, so they can be differentiated again. At singular
//! points a contribution is finite wherever a finite one is right: a guarded operand (`safe`)
//! stands in the operation itself, not only in a `Select` behind it, because the
//! adjoint of the operation would otherwise multiply 0 by infinity.

use crate::ir::expr::{Emit, Expr};
use crate::ir::id::Value;
use crate::ir::op::Op;
use crate::ir::primitive::row::Derivative;
use smallvec::{SmallVec, smallvec};

/// A contribution to the adjoint of each argument; None: there is no gradient.
pub type Contributions = SmallVec<[Option<Value>; 3]>;

/// What each argument of `out = op(args)` gets of `d`, the adjoint of `out`.
///
/// Integers, truth values, comparisons and piecewise constant functions have no gradient.
pub fn adjoint(emit: &dyn Emit, op: Op, args: &[Value], out: Value, d: Value) -> Contributions {
    let none = smallvec![None; args.len()];
    if !emit.ty(out).is_float() {
        return none;
    }
    let expr = |value| Expr::new(emit, value);
    let (out, d) = (expr(out), expr(d));
    let given = |part: Expr<'_>| Some(part.value());
    let derivative = op.primitive().map(|row| row.derivative);
    match (op, derivative, args) {
        (Op::Cast, _, [x]) => {
            let from = emit.ty(*x);
            smallvec![from.is_float().then(|| d.cast(from).value())]
        }
        (Op::Select, _, [cond, _, _]) => {
            let (cond, zero) = (expr(*cond), d.number(0.0));
            smallvec![
                None,
                given(cond.select(d, zero)),
                given(cond.select(zero, d))
            ]
        }
        (_, Some(Derivative::Unary(rule)), [x]) => smallvec![given(rule(d, out, expr(*x)))],
        (_, Some(Derivative::Binary(rule)), [x, y]) => {
            let parts = rule(d, out, expr(*x), expr(*y));
            parts.into_iter().map(|part| part.and_then(given)).collect()
        }
        _ => none,
    }
}
