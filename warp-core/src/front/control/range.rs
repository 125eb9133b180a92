//! `range(start, stop, step)` and `reversed` of it: what a `for` loop runs over.

use crate::builtins::{Arg, Operand, Tree};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::front::walk::Walk;
use crate::ir::{Const, Op, Value};
use crate::span::Span;
use ruff_python_ast::Expr;
use ruff_text_size::Ranged;

/// Start, stop and step of a range, of one integer type.
pub(in crate::front) struct Range {
    pub start: Value,
    pub stop: Value,
    pub step: Value,
    /// In reverse: the range counts iterations; the integers are `last - iteration * step` for these two.
    pub reversed: Option<(Value, Value)>,
}

impl Walk<'_> {
    pub fn range(&mut self, iter: &Expr) -> Result<Range> {
        let at = self.span(iter);
        let not_range = |found: String| {
            Error::at(
                Code::Type,
                at,
                format!("a `for` loop runs over `range(...)`, not over {found}"),
            )
            .hint("for i in range(n):  with n = len(...) or a.shape[0] for what has elements")
        };
        let Expr::Call(call) = iter else {
            return Err(not_range(format!("`{}`", self.text(iter.range()))));
        };
        if self.is_builtin(&call.func, "reversed") {
            let ([inner], []) = (&call.arguments.args[..], &call.arguments.keywords[..]) else {
                let what = "`reversed` takes one range";
                return Err(
                    Error::at(Code::Argument, at, what).hint("for i in reversed(range(n)):")
                );
            };
            let range = self.range(inner)?;
            return Ok(self.reversed(range));
        }
        if !self.is_builtin(&call.func, "range") {
            return Err(not_range(format!("`{}`", self.text(iter.range()))));
        }
        let mut args = self.arguments(&call.arguments, None)?;
        if args.is_empty() || args.len() > 3 || args.iter().any(|a| a.name.is_some()) {
            let what = format!("`range` takes 1 to 3 integers, {} given", args.len());
            return Err(Error::at(Code::Argument, at, what)
                .hint("range(stop), range(start, stop) or range(start, stop, step)"));
        }
        let ty = self.range_type(&args)?;
        if args.len() == 1 {
            args.insert(0, self.int_arg(ty, 0, at));
        }
        if args.len() == 2 {
            args.push(self.int_arg(ty, 1, at));
        }
        let mut values =
            [args[0].clone(), args[1].clone(), args[2].clone()].map(|a| (a.tree, a.span));
        let mut out = [Value(0); 3];
        for ((tree, _), out) in values.iter_mut().zip(&mut out) {
            *out = self.range_value(tree, ty);
        }
        if let Some(Const::Int(0)) = self.b.as_const(out[2]) {
            return Err(
                Error::at(Code::Value, values[2].1, "the step of a range is 0")
                    .hint("1 counts up, -1 counts down"),
            );
        }
        let [start, stop, step] = out;
        Ok(Range {
            start,
            stop,
            step,
            reversed: None,
        })
    }

    /// The same integers from the last to the first. Where the ends are known they are swapped; otherwise the iterations
    /// are counted, because the new end may lie outside the type.
    fn reversed(&mut self, range: Range) -> Range {
        let ty = self.b.ty(range.start);
        let at = self.b.span;
        if range.reversed.is_none()
            && ty.is_signed()
            && let [Some(start), Some(stop), Some(step)] =
                [range.start, range.stop, range.step].map(|v| self.known_int(v))
        {
            let distance = if step > 0 { stop - start } else { start - stop };
            let iterations = ((distance + step.abs() - 1) / step.abs()).max(0);
            let ends = [start + (iterations - 1) * step, start - step, -step];
            let limit = 1_i128 << (ty.bits() - 1);
            if ends.iter().all(|n| (-limit..limit).contains(n)) {
                self.b.span = at;
                let [start, stop, step] = ends.map(|n| self.b.constant(ty, Const::Int(n as i64)));
                return Range {
                    start,
                    stop,
                    step,
                    reversed: None,
                };
            }
        }
        let ends = [range.start, range.stop, range.step];
        let iterations = self.b.op(Op::RangeLen, &ends);
        let (zero, one) = (
            self.b.constant(ty, Const::Int(0)),
            self.b.constant(ty, Const::Int(1)),
        );
        let before = self.b.op(Op::Sub, &[iterations, one]);
        let (last, back) = match range.reversed {
            // Reversed again it goes forward.
            Some((_, step)) => (self.range_item(&range, before), self.b.op(Op::Neg, &[step])),
            None => {
                let distance = self.b.op(Op::Mul, &[before, range.step]);
                (self.b.op(Op::Add, &[range.start, distance]), range.step)
            }
        };
        Range {
            start: zero,
            stop: iterations,
            step: one,
            reversed: Some((last, back)),
        }
    }

    /// The integer that stands for this value of the loop's counter.
    pub fn range_item(&mut self, range: &Range, counter: Value) -> Value {
        match range.reversed {
            None => counter,
            Some((last, step)) => {
                let distance = self.b.op(Op::Mul, &[counter, step]);
                self.b.op(Op::Sub, &[last, distance])
            }
        }
    }

    fn known_int(&self, value: Value) -> Option<i128> {
        match self.b.as_const(value) {
            Some(Const::Int(n)) if self.b.ty(value) != Scalar::U64 => Some(n.into()),
            _ => None,
        }
    }

    /// The one integer type of the arguments; integer constants take that of the others.
    fn range_type(&self, args: &[Arg<'_>]) -> Result<Scalar> {
        let mut known: Option<Scalar> = None;
        for arg in args {
            let scalar = match &arg.tree {
                Tree::Elem(x) if x.as_scalar().is_some() && x.elem.scalar().is_int() => {
                    x.elem.scalar()
                }
                other => {
                    let what = format!("`range` takes integers, this is {}", other.ty());
                    return Err(
                        Error::at(Code::Type, arg.span, what).hint("convert with `int(...)`")
                    );
                }
            };
            let constant = match &arg.tree {
                Tree::Elem(x) => self.b.as_const(x.parts[0]).is_some() && scalar == Scalar::I32,
                _ => false,
            };
            match known {
                _ if constant => {}
                Some(other) if other != scalar => {
                    let what = format!(
                        "`range` takes integers of one type, these are {other} and {scalar}"
                    );
                    return Err(Error::at(Code::Type, arg.span, what).hint(format!(
                        "convert with `wp.{other}(...)` or `wp.{scalar}(...)`"
                    )));
                }
                _ => known = Some(scalar),
            }
        }
        Ok(known.unwrap_or(Scalar::I32))
    }

    fn int_arg(&mut self, ty: Scalar, value: i64, span: Span) -> Arg<'static> {
        let value = self.b.constant(ty, Const::Int(value));
        Arg {
            name: None,
            tree: Tree::Elem(Operand::scalar(ty, value)),
            span,
        }
    }

    fn range_value(&mut self, tree: &Tree, ty: Scalar) -> Value {
        let Tree::Elem(x) = tree else { return Value(0) };
        match (self.b.as_const(x.parts[0]), self.b.ty(x.parts[0]) == ty) {
            (_, true) => x.parts[0],
            (Some(Const::Int(n)), false) => self.b.constant(ty, Const::Int(n)),
            _ => self.b.cast(x.parts[0], ty),
        }
    }
}
