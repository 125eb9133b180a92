//! Variables that calls change: `wp.randf(state)` gives a number and `state` another value, as an assignment would.
//!
//! The value of a new expression, as in `wp.randf(wp.rand_init(seed))`, belongs to nobody: its new value is dropped.
//! A `@wp.func` has its own copy of each argument, so what it draws does not change its caller's variable.

use crate::builtins::{self, Tree};
use crate::error::{Code, Error, Result};
use crate::front::scope::External;
use crate::front::walk::{VariableState, Walk};
use crate::span::Span;
use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{Arguments, Expr, ExprCall, Stmt};

impl Walk<'_> {
    /// Gives the argument at a place its new value.
    pub fn update_argument(
        &mut self,
        callee: &str,
        args: &Arguments,
        at: Span,
        now: Tree,
    ) -> Result<()> {
        let keywords = args.keywords.iter().map(|k| &k.value);
        let found = args.args.iter().chain(keywords);
        let Some(expr) = found.into_iter().find(|e| self.span(*e) == at) else {
            return Ok(());
        };
        let why = match expr {
            Expr::Starred(_) => "is unpacked from a tuple",
            Expr::Subscript(_) => "is an element",
            Expr::Name(_) | Expr::Attribute(_) if self.is_outside(expr) => {
                "stands outside the function"
            }
            Expr::Name(_) | Expr::Attribute(_) => match root(expr) {
                Some(name) => {
                    let slot = self.local(name);
                    return match slot {
                        Some(slot) => self.update_part(slot, expr, now, at),
                        None => Ok(()),
                    };
                }
                None => "is a part of an element",
            },
            _ => return Ok(()),
        };
        let what = format!("`{callee}` changes its argument, and this {why}");
        Err(Error::at(Code::Type, at, what).hint(format!(
            "copy it to a variable first: `state = ...`, then `{callee}(state)`"
        )))
    }

    /// A variable, or a field of one, gets its new value.
    fn update_part(&mut self, slot: usize, expr: &Expr, now: Tree, at: Span) -> Result<()> {
        let before = self.frame.env[slot].clone();
        self.assign(expr, now, expr)?;
        let after = std::mem::replace(&mut self.frame.env[slot], before);
        if let VariableState::Bound(now, _) = after {
            self.update(slot, now, at);
        }
        Ok(())
    }

    /// Gives a variable its new value within an expression.
    pub fn update(&mut self, slot: usize, now: Tree, at: Span) {
        let bound = VariableState::Bound(now, at);
        let before = std::mem::replace(&mut self.frame.env[slot], bound);
        if let Some(way) = self.frame.ways.last_mut() {
            way.push((slot, before));
        }
    }

    /// The variables that calls in these statements change.
    pub fn updated_in(&self, stmts: &[Stmt]) -> Vec<usize> {
        let mut calls = Calls::default();
        stmts.iter().for_each(|stmt| calls.visit_stmt(stmt));
        self.updated_by(&calls)
    }

    /// The variables that calls in an expression change.
    pub fn updated_in_test(&self, test: &Expr) -> Vec<usize> {
        let mut calls = Calls::default();
        calls.visit_expr(test);
        self.updated_by(&calls)
    }

    fn updated_by(&self, calls: &Calls<'_>) -> Vec<usize> {
        let mut slots = Vec::new();
        for call in &calls.found {
            let Some(path) = self.path(&call.func) else {
                continue;
            };
            let Some(External::Builtin(name)) = self.lookup(&path) else {
                continue;
            };
            let Some(row) = builtins::find(&name) else {
                continue;
            };
            for (n, param) in row.updated() {
                let argument = call.arguments.find_argument_value(param, n);
                let slot = argument.and_then(root).and_then(|name| self.local(name));
                slots.extend(slot.filter(|slot| !slots.contains(slot)));
            }
        }
        slots
    }
}

/// The variable that a dotted name begins with.
fn root(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Name(it) => Some(it.id.as_str()),
        Expr::Attribute(it) => root(&it.value),
        _ => None,
    }
}

/// Calls with a variable, or a field of one, among their arguments.
#[derive(Default)]
struct Calls<'a> {
    found: Vec<&'a ExprCall>,
}

impl<'a> Visitor<'a> for Calls<'a> {
    fn visit_expr(&mut self, expr: &'a Expr) {
        if let Expr::Call(call) = expr {
            let keywords = call.arguments.keywords.iter().map(|k| &k.value);
            let mut args = call.arguments.args.iter().chain(keywords);
            if args.any(|arg| root(arg).is_some()) {
                self.found.push(call);
            }
        }
        walk_expr(self, expr);
    }
}
