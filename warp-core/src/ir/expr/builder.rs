//! A builder that the expressions of a formula share, and control flow between formulas.

use crate::dtype::Scalar;
use crate::ir::build::Builder;
use crate::ir::data::Block;
use crate::ir::expr::{Emit, Expr, Exprs};
use crate::ir::id::Value;
use crate::ir::op::{Const, Op};
use std::cell::{RefCell, RefMut};

/// A builder, borrowed for as long as formulas are written to it.
///
/// Each operation borrows it for itself. Who holds [`ExprBuilder::builder`] meanwhile cannot use expressions.
#[derive(Debug)]
pub struct ExprBuilder<'b> {
    builder: RefCell<&'b mut Builder>,
}

impl<'b> ExprBuilder<'b> {
    /// Lends a builder to expressions.
    pub fn new(builder: &'b mut Builder) -> ExprBuilder<'b> {
        let builder = RefCell::new(builder);
        ExprBuilder { builder }
    }

    /// The builder itself, for what is no formula.
    ///
    /// # Panics
    /// If it is borrowed already.
    pub fn builder(&self) -> RefMut<'_, &'b mut Builder> {
        self.builder.borrow_mut()
    }

    /// An expression for a value.
    pub fn expr(&self, value: Value) -> Expr<'_> {
        Expr::new(self, value)
    }

    /// Expressions for values.
    pub fn exprs<'s>(&'s self, values: &[Value]) -> Exprs<'s> {
        values.iter().map(|value| self.expr(*value)).collect()
    }

    /// The number nearest to `x` of a type.
    pub fn number(&self, ty: Scalar, x: f64) -> Expr<'_> {
        self.expr(Emit::number(self, ty, x))
    }

    /// Numbers of a type.
    pub fn numbers<const N: usize>(&self, ty: Scalar, numbers: [f64; N]) -> [Expr<'_>; N] {
        numbers.map(|x| self.number(ty, x))
    }

    /// An int32 constant.
    pub fn i32(&self, n: i32) -> Expr<'_> {
        self.number(Scalar::I32, n.into())
    }

    /// A truth value.
    pub fn bool(&self, truth: bool) -> Expr<'_> {
        self.number(Scalar::Bool, truth.into())
    }

    /// How many iterations `range(start, stop, step)` has.
    pub fn range_len(&self, range: [Expr<'_>; 3]) -> Expr<'_> {
        self.expr(self.op(Op::RangeLen, &range.map(Expr::value)))
    }

    /// An `if` whose blocks give as many results.
    pub fn if_<'s, R>(
        &'s self,
        cond: Expr<'s>,
        then: impl FnOnce() -> R,
        els: impl FnOnce() -> R,
    ) -> Exprs<'s>
    where
        R: IntoIterator<Item = Expr<'s>>,
    {
        let then = self.block(Vec::new(), then);
        let els = self.block(Vec::new(), els);
        let outs = self.builder().branch(cond.value(), then, els);
        self.exprs(&outs)
    }

    /// `for iv in range(start, stop, step)`; `body` gets iv and the carried values.
    pub fn for_<'s, R>(
        &'s self,
        range: [Expr<'s>; 3],
        init: &[Expr<'s>],
        body: impl FnOnce(Expr<'s>, &[Expr<'s>]) -> R,
    ) -> Exprs<'s>
    where
        R: IntoIterator<Item = Expr<'s>>,
    {
        let (range, init) = (range.map(Expr::value), values(init.iter().copied()));
        let params = self.builder().loop_params(range[0], &init);
        let now = self.exprs(&params);
        let body = self.block(params, || body(now[0], &now[1..]));
        let outs = self.builder().counted_loop(range, init, body);
        self.exprs(&outs)
    }

    /// `while cond(carried): carried = body(carried)`.
    pub fn while_<'s, R>(
        &'s self,
        init: &[Expr<'s>],
        cond: impl FnOnce(&[Expr<'s>]) -> Expr<'s>,
        body: impl FnOnce(&[Expr<'s>]) -> R,
    ) -> Exprs<'s>
    where
        R: IntoIterator<Item = Expr<'s>>,
    {
        let init = values(init.iter().copied());
        let params = self.builder().fresh_like(&init);
        let now = self.exprs(&params);
        let cond = self.block(params, || [cond(&now)]);
        let params = self.builder().fresh_like(&init);
        let now = self.exprs(&params);
        let body = self.block(params, || body(&now));
        let outs = self.builder().while_loop(init, cond, body);
        self.exprs(&outs)
    }

    fn block<'s, R>(&'s self, params: Vec<Value>, inside: impl FnOnce() -> R) -> Block
    where
        R: IntoIterator<Item = Expr<'s>>,
    {
        self.builder().open(params);
        let results = values(inside());
        self.builder().close(results)
    }
}

/// The values of expressions.
fn values<'s>(exprs: impl IntoIterator<Item = Expr<'s>>) -> Vec<Value> {
    exprs.into_iter().map(Expr::value).collect()
}

impl Emit for ExprBuilder<'_> {
    fn op(&self, op: Op, args: &[Value]) -> Value {
        self.builder().op(op, args)
    }
    fn number(&self, ty: Scalar, value: f64) -> Value {
        self.builder().number(ty, value)
    }
    fn cast(&self, value: Value, ty: Scalar) -> Value {
        self.builder().cast(value, ty)
    }
    fn ty(&self, value: Value) -> Scalar {
        self.builder.borrow().ty(value)
    }
    fn as_const(&self, value: Value) -> Option<Const> {
        self.builder.borrow().as_const(value)
    }
}
