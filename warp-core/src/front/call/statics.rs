//! `wp.static(..)`: an expression that Python evaluates while the kernel is built.

use crate::builtins::Tree;
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::front::walk::{VariableState, Walk};
use crate::ir::Const;
use crate::span::Span;
use crate::ty::Elem;
use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{Arguments, Expr, ExprName, Parameter};
use ruff_text_size::{Ranged, TextRange};

impl Walk<'_> {
    /// `wp.static(expr)`: Python evaluates the text.
    pub(super) fn static_value(
        &mut self,
        args: &Arguments,
        want: Option<Scalar>,
        at: Span,
    ) -> Result<Tree> {
        let ([expr], []) = (&args.args[..], &args.keywords[..]) else {
            return Err(
                Error::at(Code::Argument, at, "`static` takes one expression")
                    .hint("wp.static(expression)"),
            );
        };
        let text = self.with_lengths(expr);
        // Lines of an expression in brackets need brackets when they stand alone.
        let text = if text.contains('\n') {
            format!("({text})")
        } else {
            text
        };
        let names = self.frame.routine.names.iter().zip(&self.frame.env);
        let names = names.filter(|(name, _)| text.contains(name.as_str()));
        let known = names.filter_map(|(name, state)| match state {
            VariableState::Bound(Tree::Elem(x), _) => {
                Some((name.as_str(), self.b.as_const(x.as_scalar()?)?))
            }
            _ => None,
        });
        let known: Vec<(&str, Const)> = known.collect();
        let is_known = |name: &str| known.iter().any(|(known, _)| *known == name);
        if let Some((name, at)) = (self.loop_variable(expr)).filter(|(name, _)| !is_known(name)) {
            let what = format!(
                "`static({text})` cannot be evaluated: `{name}` is the variable of a loop that is not written out"
            );
            return Err(Error::at(Code::Value, at, what).hint(self.when_static()));
        }
        match self.frame.scope.get().eval_static(&text, &known) {
            Ok(found) => self.constant(found, &format!("static({text})"), want, at),
            Err(why) => {
                let what = format!("`static({text})` cannot be evaluated: {why}");
                Err(Error::at(Code::Value, self.span(expr), what).hint(self.when_static()))
            }
        }
    }

    /// The text of an expression with numbers in the place of `len(v)` and `len(a.dtype)`, where `v` is a vector or its like and
    /// `a` an array of them.
    fn with_lengths(&self, expr: &Expr) -> String {
        struct Lengths<'w, 's>(&'w Walk<'s>, Vec<(TextRange, u32)>);
        impl<'e> Visitor<'e> for Lengths<'_, '_> {
            fn visit_expr(&mut self, expr: &'e Expr) {
                match self.0.length(expr) {
                    Some(length) => self.1.push((expr.range(), length)),
                    None => walk_expr(self, expr),
                }
            }
        }
        let mut lengths = Lengths(self, Vec::new());
        lengths.visit_expr(expr);
        let start = expr.range().start().to_usize();
        let mut text = self.text(expr.range()).to_string();
        for (range, length) in lengths.1.into_iter().rev() {
            let place = range.start().to_usize() - start..range.end().to_usize() - start;
            text.replace_range(place, &length.to_string());
        }
        text
    }

    fn length(&self, expr: &Expr) -> Option<u32> {
        let Expr::Call(call) = expr else { return None };
        let (Expr::Name(name), [of], []) = (
            &*call.func,
            &call.arguments.args[..],
            &call.arguments.keywords[..],
        ) else {
            return None;
        };
        let (of, is_dtype) = match of {
            Expr::Attribute(it) if &it.attr == "dtype" => (&*it.value, true),
            of => (of, false),
        };
        let Expr::Name(of) = of else { return None };
        if name.id.as_str() != "len" || self.local("len").is_some() {
            return None;
        }
        let VariableState::Bound(tree, _) = &self.frame.env[self.local(of.id.as_str())?] else {
            return None;
        };
        let elem = match (tree, is_dtype) {
            (Tree::Elem(x), false) => x.elem,
            (Tree::Array(view), true) => view.elem,
            (Tree::Tuple(items), false) => return u32::try_from(items.len()).ok(),
            _ => return None,
        };
        match elem {
            Elem::Vec { len, .. } => Some(len),
            Elem::Mat { rows, .. } => Some(rows),
            Elem::Compound(compound, _) => u32::try_from(compound.count()).ok(),
            Elem::Scalar(_) | Elem::Struct(_) => None,
        }
    }

    #[cold]
    fn when_static(&self) -> String {
        format!(
            "it is evaluated in Python when the kernel is built: variables of the kernel are not known then, but those that hold a constant, and those of loops of up to {} iterations (wp.config.max_unroll) over a constant range, or of any number over `range(wp.static(n))`, without `break` and `return`",
            self.reading.max_unroll
        )
    }

    /// A name in an expression of `wp.static` that is the variable of a loop around, and no name of the expression's own.
    fn loop_variable<'e>(&self, expr: &'e Expr) -> Option<(&'e str, Span)> {
        struct Names<'e>(Vec<&'e ExprName>, Vec<&'e str>);
        impl<'e> Visitor<'e> for Names<'e> {
            fn visit_expr(&mut self, expr: &'e Expr) {
                match expr {
                    Expr::Name(name) if name.ctx.is_load() => self.0.push(name),
                    Expr::Name(name) => self.1.push(name.id.as_str()),
                    _ => walk_expr(self, expr),
                }
            }
            fn visit_parameter(&mut self, parameter: &'e Parameter) {
                self.1.push(parameter.name.as_str());
            }
        }
        let mut names = Names(Vec::new(), Vec::new());
        names.visit_expr(expr);
        let Names(names, own) = names;
        let names = names.into_iter().filter(|n| !own.contains(&n.id.as_str()));
        let mut variables = names.filter(|name| {
            let slot = self.local(name.id.as_str());
            slot.is_some() && self.frame.loops.iter().any(|l| l.variable == slot)
        });
        variables.next().map(|n| (n.id.as_str(), self.span(n)))
    }
}
