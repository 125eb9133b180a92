//! `wp.adjoint[x]` as a variable: the syntax of a derivative, rewritten.

use crate::error::Result;
use crate::front::source::scope::{External, FuncRef, Scope};
use crate::front::walk::names::ADJOINT;
use crate::front::walk::{Routine, Walk};
use crate::span::Span;
use ruff_python_ast::name::Name;
use ruff_python_ast::visitor::transformer::{Transformer, walk_expr};
use ruff_python_ast::{Expr, ExprAttribute, ExprContext, ExprName};
use std::cell::RefCell;
use std::rc::Rc;

/// The variable that `wp.adjoint[name]` is.
pub(super) fn variable(name: &str) -> String {
    format!("wp.adjoint[{name}]")
}

/// Makes names of `wp.adjoint[x]`.
struct Rewrite<'a> {
    scope: &'a dyn Scope,
    params: Vec<String>,
    found: RefCell<Vec<String>>,
}

impl Transformer for Rewrite<'_> {
    fn visit_expr(&self, expr: &mut Expr) {
        if let Expr::Subscript(it) = &*expr
            && let Some(param) = root(&it.slice)
            && self.params.iter().any(|p| p == param)
            && self.is_adjoint(&it.value)
        {
            let name = variable(param);
            let variable = Expr::Name(ExprName {
                node_index: it.node_index.clone(),
                range: it.range,
                id: Name::new(&name),
                ctx: it.ctx,
            });
            *expr = of_variable(&it.slice, variable, it.ctx);
            self.found.borrow_mut().push(name);
            return;
        }
        walk_expr(self, expr);
    }
}

/// The name at the beginning of `x` and `x.field.field`.
fn root(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Name(name) => Some(name.id.as_str()),
        Expr::Attribute(member) => root(&member.value),
        _ => None,
    }
}

/// `x.field.field` with a variable in the place of `x`.
fn of_variable(expr: &Expr, variable: Expr, ctx: ExprContext) -> Expr {
    match expr {
        Expr::Attribute(member) => {
            let value = of_variable(&member.value, variable, ExprContext::Load);
            Expr::Attribute(ExprAttribute {
                value: Box::new(value),
                ctx,
                ..member.clone()
            })
        }
        _ => match variable {
            Expr::Name(name) => Expr::Name(ExprName { ctx, ..name }),
            other => other,
        },
    }
}

impl Walk<'_> {
    /// The syntax of a derivative, in which `wp.adjoint[x]` of the first `count` parameters is a name.
    pub(super) fn gradient_routine(
        &mut self,
        func: &FuncRef,
        count: usize,
        at: Span,
    ) -> Result<Rc<Routine>> {
        if let Some(known) = self.routines.get(&func.id) {
            return Ok(Rc::clone(known));
        }
        let (mut def, number) = self.parsed(func, at)?;
        let params = def.parameters.iter_non_variadic_params().take(count);
        let rewrite = Rewrite {
            scope: &*func.scope,
            params: params.map(|p| p.parameter.name.to_string()).collect(),
            found: RefCell::default(),
        };
        for stmt in &mut def.body {
            rewrite.visit_stmt(stmt);
        }
        let found = rewrite.found.into_inner();
        let routine = Rc::new(Routine::new(def, number, &found));
        self.routines.insert(func.id, Rc::clone(&routine));
        Ok(routine)
    }
}

impl Rewrite<'_> {
    fn is_adjoint(&self, expr: &Expr) -> bool {
        let mut path = Vec::new();
        let mut at = expr;
        while let Expr::Attribute(it) = at {
            path.push(it.attr.as_str());
            at = &it.value;
        }
        let Expr::Name(first) = at else { return false };
        path.push(first.id.as_str());
        path.reverse();
        // Other names are not asked for here.
        path.last() == Some(&ADJOINT)
            && matches!(self.scope.resolve(&path), Some(External::Builtin(name)) if name == ADJOINT)
    }
}
