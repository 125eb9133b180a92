//! Variables that calls change: `wp.randf(state)` gives a number and `state` another value, as an assignment would.
//!
//! The value of a new expression, as in `wp.randf(wp.rand_init(seed))`, belongs to nobody: its new value is dropped.
//! A `@wp.func` has its own copy of each argument, so what it draws does not change its caller's variable, unless the
//! parameter is a `wp.ref[T]`: then the argument is assigned when the function ends, an element of an array too.

use crate::builtins::{self, Tree};
use crate::error::{Code, Error, Result};
use crate::front::data::structs::writes_array;
use crate::front::source::scope::{External, FuncRef};
use crate::front::walk::{VariableState, Walk};
use crate::span::Span;
use crate::ty::Type;
use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{Arguments, Expr, ExprCall, Stmt};

/// Who changes an argument.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::front) enum Changer {
    /// A builtin: it changes variables.
    Builtin,
    /// A function through a `wp.ref[T]`: it changes whatever can be assigned, and nothing else is passed to it.
    Function,
}

impl Walk<'_> {
    /// Gives the argument at a place its new value.
    pub fn update_argument(
        &mut self,
        callee: &str,
        args: &Arguments,
        at: Span,
        now: Tree,
        changer: Changer,
    ) -> Result<()> {
        let keywords = args.keywords.iter().map(|k| &k.value);
        let found = args.args.iter().chain(keywords);
        let Some(expr) = found.into_iter().find(|e| self.span(*e) == at) else {
            return Ok(());
        };
        let through = changer == Changer::Function;
        let base = root(expr).and_then(|name| self.local(name));
        let why = match (expr, base) {
            (Expr::Starred(_), _) => "is unpacked from a tuple",
            (Expr::Name(_) | Expr::Attribute(_), _) if self.is_outside(expr) => {
                "stands outside the function"
            }
            (Expr::Name(_) | Expr::Attribute(_) | Expr::Subscript(_), Some(slot)) => {
                match &self.frame.env[slot] {
                    VariableState::Bound(tree, _) if in_array(tree, expr) && !through => {
                        "is an element of an array"
                    }
                    VariableState::Bound(tree, _) if in_array(tree, expr) => {
                        return self.assign(expr, now, expr);
                    }
                    _ => return self.update_part(slot, expr, now, at),
                }
            }
            _ if through => "is a new value",
            _ => return Ok(()),
        };
        let what = format!("`{callee}` changes its argument, and this {why}");
        let hint = match through {
            true => "a `wp.ref` takes variables, their parts and elements of arrays: give it a name first".to_string(),
            false => format!("copy it to a variable first: `x = ...`, then `{callee}(x)`"),
        };
        Err(Error::at(Code::Type, at, what).hint(hint))
    }

    /// A variable, or a part of one, gets its new value.
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
        if let Some(path) = self.frame.paths.last_mut() {
            path.push((slot, before));
        }
    }

    /// The variables that calls in these statements change.
    pub fn updated_in(&mut self, stmts: &[Stmt]) -> Vec<usize> {
        let mut calls = Calls::default();
        stmts.iter().for_each(|stmt| calls.visit_stmt(stmt));
        self.updated_by(&calls)
    }

    /// The variables that calls in an expression change.
    pub fn updated_in_test(&mut self, test: &Expr) -> Vec<usize> {
        let mut calls = Calls::default();
        calls.visit_expr(test);
        self.updated_by(&calls)
    }

    fn updated_by(&mut self, calls: &Calls<'_>) -> Vec<usize> {
        let mut slots = Vec::new();
        for call in &calls.found {
            let updated: Vec<(usize, String)> = match self.callee(&call.func) {
                Some(External::Builtin(name)) => match builtins::find(&name) {
                    Some(row) => row.updated().map(|(n, p)| (n, p.to_string())).collect(),
                    None => continue,
                },
                Some(External::Func(func)) => self.refs_of(&func, self.span(*call)),
                _ => continue,
            };
            for (n, param) in &updated {
                let argument = call.arguments.find_argument_value(param, *n);
                let slot = argument.and_then(root).and_then(|name| self.local(name));
                let slot = slot.filter(|slot| {
                    let in_array = |tree| argument.is_some_and(|expr| in_array(tree, expr));
                    !matches!(&self.frame.env[*slot], VariableState::Bound(tree, _) if in_array(tree))
                });
                slots.extend(slot.filter(|slot| !slots.contains(slot)));
            }
        }
        slots
    }

    /// What a call calls, if that is known before it is walked.
    fn callee(&self, func: &Expr) -> Option<External> {
        if let Some(path) = self.path(func) {
            return self.lookup(&path);
        }
        let slot = root(func).and_then(|name| self.local(name))?;
        match &self.frame.env[slot] {
            VariableState::Bound(Tree::Function(n), _) => Some(self.functions[*n as usize].clone()),
            _ => None,
        }
    }

    /// The parameters that a function or an overload of it writes, place and name.
    fn refs_of(&mut self, func: &FuncRef, at: Span) -> Vec<(usize, String)> {
        let mut found = Vec::new();
        for func in func.overloads.iter().chain([func]) {
            // Mistakes are told where the call is walked.
            for (n, (name, ty, _)) in self.params_of(func, at).into_iter().flatten().enumerate() {
                if let Some(Type::Ref(_)) = ty.exact() {
                    found.push((n, name));
                }
            }
        }
        found
    }
}

/// Whether an argument is an element of an array, or a part of one: assigning to it leaves the variable alone.
fn in_array(tree: &Tree, expr: &Expr) -> bool {
    match expr {
        Expr::Attribute(it) => writes_array(tree, expr) || in_array(tree, &it.value),
        Expr::Subscript(it) => writes_array(tree, expr) || in_array(tree, &it.value),
        _ => false,
    }
}

/// The variable that an argument is or is a part of.
fn root(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Name(it) => Some(it.id.as_str()),
        Expr::Attribute(it) => root(&it.value),
        Expr::Subscript(it) => root(&it.value),
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
