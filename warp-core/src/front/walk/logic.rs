//! `and`, `or` and comparisons, chains of them included. What stands on the right is evaluated only if what
//! stands before it does not decide.

use crate::builtins::{self, CompareOp, Tree};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::front::walk::join::ExprPath;
use crate::front::walk::{Walk, boolean};
use crate::ir::{Const, Kind, Op, Value};
use crate::span::Span;
use ruff_python_ast::{BoolOp, CmpOp, Expr, ExprBoolOp, ExprCompare};

impl Walk<'_> {
    pub fn bool_op(&mut self, it: &ExprBoolOp) -> Result<Value> {
        let Some((first, rest)) = it.values.split_first() else {
            return Ok(self.b.bool(true));
        };
        let first = self.condition(first)?;
        self.bool_rest(first, it.op == BoolOp::And, rest)
    }

    fn bool_rest(&mut self, lhs: Value, is_and: bool, rest: &[Expr]) -> Result<Value> {
        let mut lhs = lhs;
        for next in rest {
            match self.known(lhs) {
                // `False and x` is decided, `True and x` is x.
                Some(known) if known != is_and => return Ok(lhs),
                Some(_) => lhs = self.condition(next)?,
                None => {
                    let at = self.span(next);
                    let rhs = self.expr_path(|w| w.condition(next).map(boolean))?;
                    lhs = self.short_circuit(lhs, rhs, is_and, at)?;
                }
            }
        }
        Ok(lhs)
    }

    pub fn compare(&mut self, it: &ExprCompare) -> Result<Value> {
        let left = self.expr(&it.left)?;
        let Some((op, right)) = it.ops.iter().zip(&it.comparators).next() else {
            return Ok(self.b.bool(true));
        };
        let right_tree = self.expr(right)?;
        let first = self.compare_two(*op, &left, &right_tree, self.span(it))?;
        self.compare_rest(
            first,
            right_tree,
            &it.ops[1..],
            &it.comparators[1..],
            self.span(it),
        )
    }

    /// `... < b < c`: `b` is evaluated once, `c` only if what stands before holds.
    fn compare_rest(
        &mut self,
        before: Value,
        left: Tree,
        ops: &[CmpOp],
        rest: &[Expr],
        at: Span,
    ) -> Result<Value> {
        let (Some((op, ops)), Some((right, rest))) = (ops.split_first(), rest.split_first()) else {
            return Ok(before);
        };
        if self.known(before) == Some(false) {
            return Ok(before);
        }
        self.nested(at, |w| {
            w.and(before, at, |w| {
                let right = w.expr(right)?;
                let next = w.compare_two(*op, &left, &right, at)?;
                w.compare_rest(next, right, ops, rest, at)
            })
        })
    }

    fn compare_two(&mut self, op: CmpOp, left: &Tree, right: &Tree, at: Span) -> Result<Value> {
        let op = match op {
            CmpOp::Eq => CompareOp::Eq,
            CmpOp::NotEq => CompareOp::Ne,
            CmpOp::Lt => CompareOp::Lt,
            CmpOp::LtE => CompareOp::Le,
            CmpOp::Gt => CompareOp::Gt,
            CmpOp::GtE => CompareOp::Ge,
            other => {
                let what = format!("kernels have no `{}`", other.as_str());
                let hint = match other {
                    CmpOp::Is | CmpOp::IsNot => {
                        "an array counts as true unless None was passed: `if x:`, `if not x:`; values are compared by =="
                    }
                    _ => "values are compared by ==, !=, <, <=, > and >=",
                };
                return Err(Error::at(Code::Syntax, at, what).hint(hint));
            }
        };
        self.b.span = at;
        if let Some(known) = self.compare_known(op, left, right) {
            return Ok(self.b.bool(known));
        }
        match builtins::compare(&mut self.b, op, left, right, at)? {
            Tree::Elem(x) => Ok(x.parts[0]),
            _ => Ok(self.b.bool(false)),
        }
    }

    /// Comparisons of constants decide which branches are compiled at all.
    fn compare_known(&self, op: CompareOp, left: &Tree, right: &Tree) -> Option<bool> {
        let (Tree::Elem(x), Tree::Elem(y)) = (left, right) else {
            return None;
        };
        if x.elem != y.elem || x.elem.scalar() == Scalar::U64 {
            return None;
        }
        let (x, y) = (x.as_scalar()?, y.as_scalar()?);
        // A constant beside what is none decides nothing, so that nobody need ask for it.
        self.b.known(x).and(self.b.known(y))?;
        let order = match (self.b.as_const(x)?, self.b.as_const(y)?) {
            (Const::Int(x), Const::Int(y)) => Some(x.cmp(&y)),
            (Const::Float(x), Const::Float(y)) => x.partial_cmp(&y),
            (Const::Bool(x), Const::Bool(y)) => Some(x.cmp(&y)),
            _ => return None,
        };
        Some(match op {
            CompareOp::Eq => order.is_some_and(|o| o.is_eq()),
            CompareOp::Ne => order.is_none_or(|o| o.is_ne()),
            CompareOp::Lt => order.is_some_and(|o| o.is_lt()),
            CompareOp::Le => order.is_some_and(|o| o.is_le()),
            CompareOp::Gt => order.is_some_and(|o| o.is_gt()),
            CompareOp::Ge => order.is_some_and(|o| o.is_ge()),
        })
    }

    /// `lhs and rhs` where `rhs` must not be evaluated if `lhs` is false.
    pub fn and(
        &mut self,
        lhs: Value,
        at: Span,
        rhs: impl FnOnce(&mut Self) -> Result<Value>,
    ) -> Result<Value> {
        let rhs = self.expr_path(|w| rhs(w).map(boolean))?;
        self.short_circuit(lhs, rhs, true, at)
    }

    /// `and`, `or` where the right side must not be evaluated if the left one decides. Pure right sides
    /// need no region.
    pub fn short_circuit(
        &mut self,
        lhs: Value,
        rhs: ExprPath,
        is_and: bool,
        at: Span,
    ) -> Result<Value> {
        const FEW: usize = 12;
        let Tree::Elem(x) = &rhs.tree else {
            return Err(Error::at(Code::Type, at, "not a truth value"));
        };
        let stmts = &rhs.block.stmts;
        let pure = stmts.iter().all(|s| matches!(s.kind, Kind::Let { .. }));
        if pure && stmts.len() <= FEW && rhs.updates.is_empty() {
            for stmt in rhs.block.stmts {
                self.b.span = stmt.span;
                self.b.push(stmt.kind);
            }
            let op = if is_and { Op::And } else { Op::Or };
            return Ok(self.b.op(op, &[lhs, x.parts[0]]));
        }
        let rest = ExprPath::of(boolean(self.b.bool(!is_and)));
        let (then, els) = if is_and { (rhs, rest) } else { (rest, rhs) };
        match self.join_expr(lhs, then, els, at) {
            Some(Tree::Elem(joined)) => Ok(joined.parts[0]),
            _ => Err(Error::at(Code::Type, at, "not a truth value")),
        }
    }
}
