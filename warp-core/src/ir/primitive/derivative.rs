//! What the derivatives of primitives are written with.

use crate::dtype::Scalar;
use crate::ir::id::Value;
use crate::ir::op::{Const, Op};

/// Where the operations of a derivative go. [`Builder`](crate::ir::Builder) is one.
pub trait Emit {
    /// Defines a value by an operation whose type follows from its arguments.
    fn op(&mut self, op: Op, args: &[Value]) -> Value;
    /// The number nearest to `value` of a type.
    fn number(&mut self, ty: Scalar, value: f64) -> Value;
    /// Converts to a type; nothing if it is that type already.
    fn cast(&mut self, value: Value, ty: Scalar) -> Value;
    /// Type of a value.
    fn ty(&self, value: Value) -> Scalar;
    /// The constant that defines a value, if one does.
    fn as_const(&self, value: Value) -> Option<Const>;
}

/// One application of the chain rule to `out = op(args)`: short names for operations on values of its type.
pub struct Chain<'a> {
    pub(super) emit: &'a mut dyn Emit,
    pub(super) ty: Scalar,
    /// The result of the operation.
    pub out: Value,
    /// Its adjoint.
    pub d: Value,
}

impl Chain<'_> {
    /// A constant.
    pub fn number(&mut self, value: f64) -> Value {
        self.emit.number(self.ty, value)
    }
    /// The constant that defines a value, if one does.
    pub fn as_const(&self, value: Value) -> Option<Const> {
        self.emit.as_const(value)
    }
    /// An operation on one value.
    pub fn op1(&mut self, op: Op, x: Value) -> Value {
        self.emit.op(op, &[x])
    }
    /// An operation on two values.
    pub fn op2(&mut self, op: Op, x: Value, y: Value) -> Value {
        self.emit.op(op, &[x, y])
    }
    /// `cond ? then : els`
    pub fn select(&mut self, cond: Value, then: Value, els: Value) -> Value {
        self.emit.op(Op::Select, &[cond, then, els])
    }
    /// `x * y`
    pub fn mul(&mut self, x: Value, y: Value) -> Value {
        self.op2(Op::Mul, x, y)
    }
    /// `x / y`
    pub fn div(&mut self, x: Value, y: Value) -> Value {
        self.op2(Op::Div, x, y)
    }
    /// `-x`
    pub fn neg(&mut self, x: Value) -> Value {
        self.op1(Op::Neg, x)
    }
    /// `x * by`
    pub fn scale(&mut self, x: Value, by: f64) -> Value {
        let by = self.number(by);
        self.mul(x, by)
    }
    /// `1 - x * x`
    pub fn one_minus_square(&mut self, x: Value) -> Value {
        let square = self.mul(x, x);
        let one = self.number(1.0);
        self.op2(Op::Sub, one, square)
    }
    /// `1 + x * x`
    pub fn one_plus_square(&mut self, x: Value) -> Value {
        let square = self.mul(x, x);
        let one = self.number(1.0);
        self.op2(Op::Add, one, square)
    }
    /// `d / x`, but 0 where both are 0: a root at 0 whose value nothing depends on.
    pub fn over_root(&mut self, x: Value) -> Value {
        let zero = self.number(0.0);
        let one = self.number(1.0);
        let at_root = self.op2(Op::Eq, x, zero);
        let unused = self.op2(Op::Eq, self.d, zero);
        let both = self.op2(Op::And, at_root, unused);
        let safe = self.select(both, one, x);
        self.div(self.d, safe)
    }
}
