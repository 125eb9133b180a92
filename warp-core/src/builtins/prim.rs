//! THE adjoint of each primitive operation. Every derivative of the system follows from these.
//!
//! Contributions are made of primitive operations, so they can be differentiated again. At singular
//! points a contribution is finite wherever a finite one is right: a guarded operand (`safe`)
//! stands in the operation itself, not only in a `Select` behind it, because the
//! adjoint of the operation would otherwise multiply 0 by infinity.

use crate::dtype::Scalar;
use crate::ir::{Builder, Const, Op, Value};
use smallvec::{SmallVec, smallvec};
use std::f64::consts::{LN_2, LN_10, PI};

/// A contribution to the adjoint of each argument; None: there is no gradient.
pub type Contributions = SmallVec<[Option<Value>; 3]>;

/// What each argument of `out = op(args)` gets of `d`, the adjoint of `out`.
///
/// Integers, truth values, comparisons and piecewise constant functions have no gradient.
pub fn adjoint(b: &mut Builder, op: Op, args: &[Value], out: Value, d: Value) -> Contributions {
    if !b.ty(out).is_float() {
        return smallvec![None; args.len()];
    }
    let mut e = Emit {
        b,
        ty: Scalar::F64,
        out,
        d,
    };
    e.ty = e.b.ty(out);
    match *args {
        [] => SmallVec::new(),
        [x] => smallvec![unary(&mut e, op, x)],
        [x, y] => SmallVec::from_slice(&binary(&mut e, op, x, y)),
        [c, _, _] if op == Op::Select => {
            let zero = e.number(0.0);
            let then = e.b.select(c, d, zero);
            let els = e.b.select(c, zero, d);
            smallvec![None, Some(then), Some(els)]
        }
        // RangeLen is of integers and was answered above.
        _ => smallvec![None; args.len()],
    }
}

/// Short names for operations on the values of one rule.
struct Emit<'a> {
    b: &'a mut Builder,
    ty: Scalar,
    out: Value,
    d: Value,
}

impl Emit<'_> {
    fn number(&mut self, value: f64) -> Value {
        self.b.number(self.ty, value)
    }
    fn op1(&mut self, op: Op, x: Value) -> Value {
        self.b.op(op, &[x])
    }
    fn op2(&mut self, op: Op, x: Value, y: Value) -> Value {
        self.b.op(op, &[x, y])
    }
    fn mul(&mut self, x: Value, y: Value) -> Value {
        self.op2(Op::Mul, x, y)
    }
    fn div(&mut self, x: Value, y: Value) -> Value {
        self.op2(Op::Div, x, y)
    }
    fn neg(&mut self, x: Value) -> Value {
        self.op1(Op::Neg, x)
    }
    fn scale(&mut self, x: Value, by: f64) -> Value {
        let by = self.number(by);
        self.mul(x, by)
    }
    /// 1 - x * x
    fn one_minus_square(&mut self, x: Value) -> Value {
        let square = self.mul(x, x);
        let one = self.number(1.0);
        self.op2(Op::Sub, one, square)
    }
    /// 1 + x * x
    fn one_plus_square(&mut self, x: Value) -> Value {
        let square = self.mul(x, x);
        let one = self.number(1.0);
        self.op2(Op::Add, one, square)
    }
    /// `scale * d * exp(sign * x * x)`
    fn gauss(&mut self, x: Value, scale: f64, sign: f64) -> Value {
        let square = self.mul(x, x);
        let square = if sign < 0.0 { self.neg(square) } else { square };
        let exp = self.op1(Op::Exp, square);
        let scaled = self.scale(exp, scale);
        self.mul(self.d, scaled)
    }
    /// `d / x`, but 0 where both are 0: a root at 0 whose value nothing depends on.
    fn over_root(&mut self, x: Value) -> Value {
        let zero = self.number(0.0);
        let one = self.number(1.0);
        let at_root = self.op2(Op::Eq, x, zero);
        let unused = self.op2(Op::Eq, self.d, zero);
        let both = self.op2(Op::And, at_root, unused);
        let safe = self.b.select(both, one, x);
        self.div(self.d, safe)
    }
}

fn unary(e: &mut Emit<'_>, op: Op, x: Value) -> Option<Value> {
    let (out, d) = (e.out, e.d);
    let value = match op {
        Op::Cast => {
            let from = e.b.ty(x);
            return from.is_float().then(|| e.b.cast(d, from));
        }
        Op::Neg => e.neg(d),
        Op::Abs => {
            let sign = e.op1(Op::Sign, x);
            e.mul(d, sign)
        }
        Op::Sqrt => {
            let over = e.over_root(out);
            e.scale(over, 0.5)
        }
        Op::Norm => {
            let zero = e.number(0.0);
            let one = e.number(1.0);
            let regular = e.op2(Op::Ne, out, zero);
            let safe = e.b.select(regular, out, one);
            let slope = e.div(d, safe);
            let slope = e.scale(slope, 0.5);
            e.b.select(regular, slope, zero)
        }
        Op::Cbrt => {
            let square = e.mul(out, out);
            let over = e.over_root(square);
            let three = e.number(3.0);
            e.div(over, three)
        }
        Op::Sin => {
            let cos = e.op1(Op::Cos, x);
            e.mul(d, cos)
        }
        Op::Cos => {
            let sin = e.op1(Op::Sin, x);
            let slope = e.mul(d, sin);
            e.neg(slope)
        }
        Op::Tan => {
            let slope = e.one_plus_square(out);
            e.mul(d, slope)
        }
        Op::Asin | Op::Acos => {
            let rest = e.one_minus_square(x);
            let root = e.op1(Op::Sqrt, rest);
            let over = e.over_root(root);
            if op == Op::Acos { e.neg(over) } else { over }
        }
        Op::Atan => {
            let rest = e.one_plus_square(x);
            e.div(d, rest)
        }
        Op::Sinh => {
            let cosh = e.op1(Op::Cosh, x);
            e.mul(d, cosh)
        }
        Op::Cosh => {
            let sinh = e.op1(Op::Sinh, x);
            e.mul(d, sinh)
        }
        Op::Tanh => {
            let slope = e.one_minus_square(out);
            e.mul(d, slope)
        }
        Op::Exp => e.mul(d, out),
        Op::Exp2 => {
            let slope = e.scale(out, LN_2);
            e.mul(d, slope)
        }
        Op::Log => e.div(d, x),
        Op::Log2 => {
            let scaled = e.scale(x, LN_2);
            e.div(d, scaled)
        }
        Op::Log10 => {
            let scaled = e.scale(x, LN_10);
            e.div(d, scaled)
        }
        Op::Erf => e.gauss(x, 2.0 / PI.sqrt(), -1.0),
        Op::Erfc => e.gauss(x, -2.0 / PI.sqrt(), -1.0),
        Op::Erfinv => e.gauss(out, PI.sqrt() / 2.0, 1.0),
        Op::Erfcinv => e.gauss(out, -PI.sqrt() / 2.0, 1.0),
        // Piecewise constant.
        Op::Sign | Op::Floor | Op::Ceil | Op::Trunc | Op::Round | Op::Rint => return None,
        // Of integers or bool, or giving bool.
        Op::Not | Op::IsNan | Op::IsInf | Op::IsFinite => return None,
        // Not of one argument.
        Op::Const(_)
        | Op::Tid(_)
        | Op::Shape(..)
        | Op::Param(..)
        | Op::Present(_)
        | Op::Select
        | Op::RangeLen
        | Op::Add
        | Op::Sub
        | Op::Mul
        | Op::Div
        | Op::FloorDiv
        | Op::Mod
        | Op::Pow
        | Op::Atan2
        | Op::Min
        | Op::Max
        | Op::And
        | Op::Or
        | Op::Xor
        | Op::Shl
        | Op::Shr
        | Op::Eq
        | Op::Ne
        | Op::Lt
        | Op::Le
        | Op::Gt
        | Op::Ge => return None,
    };
    Some(value)
}

fn binary(e: &mut Emit<'_>, op: Op, x: Value, y: Value) -> [Option<Value>; 2] {
    let (out, d) = (e.out, e.d);
    let (dx, dy) = match op {
        Op::Add => (d, d),
        Op::Sub => (d, e.neg(d)),
        Op::Mul => (e.mul(d, y), e.mul(d, x)),
        Op::Div => {
            let dx = e.div(d, y);
            let slope = e.mul(dx, out);
            (dx, e.neg(slope))
        }
        Op::Mod => {
            // How often y was taken from x: exact, unlike trunc(x / y), also where x / y rounds up.
            let taken = e.op2(Op::Sub, x, out);
            let times = e.div(taken, y);
            let times = e.op1(Op::Rint, times);
            let slope = e.mul(times, d);
            (d, e.neg(slope))
        }
        Op::Pow => return pow(e, x, y),
        Op::Atan2 => {
            let (xx, yy) = (e.mul(x, x), e.mul(y, y));
            let square = e.op2(Op::Add, xx, yy);
            let zero = e.number(0.0);
            let one = e.number(1.0);
            let origin = e.op2(Op::Eq, square, zero);
            let safe = e.b.select(origin, one, square);
            let over = e.div(d, safe);
            let dx = e.mul(over, y);
            let dy = e.mul(over, x);
            (dx, e.neg(dy))
        }
        Op::Min | Op::Max => {
            let order = if op == Op::Min { Op::Le } else { Op::Ge };
            let first = e.op2(order, x, y);
            let zero = e.number(0.0);
            (e.b.select(first, d, zero), e.b.select(first, zero, d))
        }
        // Piecewise constant.
        Op::FloorDiv => return [None, None],
        // Of integers or bool, or giving bool.
        Op::And
        | Op::Or
        | Op::Xor
        | Op::Shl
        | Op::Shr
        | Op::Eq
        | Op::Ne
        | Op::Lt
        | Op::Le
        | Op::Gt
        | Op::Ge => return [None, None],
        // Not of two arguments.
        Op::Const(_)
        | Op::Tid(_)
        | Op::Shape(..)
        | Op::Param(..)
        | Op::Present(_)
        | Op::Cast
        | Op::Select
        | Op::RangeLen
        | Op::Neg
        | Op::Abs
        | Op::Sign
        | Op::Not
        | Op::Sqrt
        | Op::Norm
        | Op::Cbrt
        | Op::Sin
        | Op::Cos
        | Op::Tan
        | Op::Asin
        | Op::Acos
        | Op::Atan
        | Op::Sinh
        | Op::Cosh
        | Op::Tanh
        | Op::Exp
        | Op::Exp2
        | Op::Log
        | Op::Log2
        | Op::Log10
        | Op::Floor
        | Op::Ceil
        | Op::Trunc
        | Op::Round
        | Op::Rint
        | Op::Erf
        | Op::Erfc
        | Op::Erfinv
        | Op::Erfcinv
        | Op::IsNan
        | Op::IsInf
        | Op::IsFinite => return [None, None],
    };
    [Some(dx), Some(dy)]
}

/// `x ** y`: by x for any x whose power exists, by y only where x is positive.
fn pow(e: &mut Emit<'_>, x: Value, y: Value) -> [Option<Value>; 2] {
    let (out, d) = (e.out, e.d);
    if let Some(Const::Float(exponent)) = e.b.as_const(y) {
        let slope = match exponent {
            0.0 => return [None, None],
            1.0 => d,
            2.0 => {
                let double = e.scale(x, 2.0);
                e.mul(d, double)
            }
            _ => {
                let less = e.number(exponent - 1.0);
                let power = e.op2(Op::Pow, x, less);
                let slope = e.mul(power, y);
                e.mul(d, slope)
            }
        };
        return [Some(slope), None];
    }
    let (zero, one) = (e.number(0.0), e.number(1.0));
    // 0 ** 0 is 1 whatever x is: the slope y * x ** -1 would be 0 * inf.
    let (x0, y0) = (e.op2(Op::Eq, x, zero), e.op2(Op::Eq, y, zero));
    let both = e.op2(Op::And, x0, y0);
    let base = e.b.select(both, one, x);
    let less = e.op2(Op::Sub, y, one);
    let power = e.op2(Op::Pow, base, less);
    let slope = e.mul(power, y);
    let dx = e.mul(d, slope);

    let positive = e.op2(Op::Gt, x, zero);
    let safe = e.b.select(positive, x, one);
    let log = e.op1(Op::Log, safe);
    let slope = e.mul(out, log);
    let slope = e.mul(d, slope);
    let dy = e.b.select(positive, slope, zero);
    [Some(dx), Some(dy)]
}
