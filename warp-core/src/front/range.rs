//! `range(start, stop, step)`: what a `for` loop runs over.

use crate::builtins::{Arg, Operand, Tree};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::front::walk::Walk;
use crate::ir::{Const, Value};
use crate::span::Span;
use ruff_python_ast::Expr;
use ruff_text_size::Ranged;

/// Start, stop and step of a range, of one integer type.
pub(super) struct Range {
    pub start: Value,
    pub stop: Value,
    pub step: Value,
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
        Ok(Range { start, stop, step })
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
