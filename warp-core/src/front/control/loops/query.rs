//! `for item in query`: a loop over what a query of an object finds.

use super::carried::{replace, scalars};
use crate::builtins::{Arg, Operand, Tree};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::front::source::library;
use crate::front::source::scope::{External, FuncRef};
use crate::front::walk::Walk;
use crate::ir::{Kind, Op, Value};
use crate::span::Span;
use ruff_python_ast::{Expr, StmtFor};

impl Walk<'_> {
    /// Whether a loop runs over a query: the query, and the function that gives its next item.
    pub(super) fn query(&mut self, iter: &Expr) -> Result<Option<(Tree, FuncRef)>> {
        let may_be = match iter {
            Expr::Call(call) => {
                !(self.is_builtin(&call.func, "range") || self.is_builtin(&call.func, "reversed"))
            }
            Expr::Name(_) | Expr::Attribute(_) => true,
            _ => false,
        };
        if !may_be {
            return Ok(None);
        }
        // Only its type is asked for first: another iterable is refused where ranges are.
        let path = match self.expr_path(|w| w.expr(iter)) {
            Ok(path) => path,
            Err(error) if self.calls_library(iter) => return Err(error),
            Err(_) => return Ok(None),
        };
        let crate::ty::Type::Struct(s) = path.tree.ty() else {
            return Ok(None);
        };
        let Some(next) = library::next_of(s) else {
            return Ok(None);
        };
        Ok(Some((self.expr(iter)?, next)))
    }

    /// Whether an expression calls a function of a library.
    fn calls_library(&self, expr: &Expr) -> bool {
        let Expr::Call(call) = expr else { return false };
        let found = self.path(&call.func).and_then(|path| self.lookup(&path));
        matches!(found, Some(External::Func(func)) if library::is_public(&func))
    }

    /// Walks the loop; the flag that `break` ended it. The next item is asked for before the loop and at the end of each
    /// iteration, and the loop carries whether there is one, the query and the item.
    pub(super) fn query_loop(
        &mut self,
        it: &StmtFor,
        (query, next): (Tree, FuncRef),
        slot: usize,
    ) -> Result<Option<Value>> {
        let at = self.span(&*it.iter);
        let item_at = self.span(&*it.target);
        let none = Tree::Elem(Operand::scalar(Scalar::I32, self.b.i32(0)));
        let (first, query, item) = self.next_item(&next, query, none, at)?;
        let mut init = vec![first];
        scalars(&query, &mut init);
        scalars(&item, &mut init);
        let own = init.len();
        let (carried, stops) = self.enter_loop(&it.body, Some(slot), None, at)?;
        let before = self.frame.env.clone();
        init.extend(carried.init.iter().copied());

        let params = self.b.fresh_like(&init);
        self.b.open(params.clone());
        let cond = self.b.close(vec![params[0]]);

        let params = self.b.fresh_like(&init);
        self.set_carried(&carried, &params[own..]);
        self.b.open(params.clone());
        let mut mine = params[1..own].iter().copied();
        let query = replace(&query, &mut mine);
        let item = replace(&item, &mut mine);
        self.set(slot, item.clone(), item_at);
        let end = self.iteration(&it.body, &carried)?;
        self.frame.env.clone_from(&before);
        self.set_carried(&carried, &end);
        let mut results = match self.any(&stops) {
            None => self.next_values(&next, query, item, at)?,
            Some(stopped) => self.next_unless(stopped, &next, query, item, at)?,
        };
        self.carried_now(&carried, &mut results);
        let body = self.b.close(results);
        self.b.span = at;
        let outs = self.b.fresh_like(&init);
        self.b.push(Kind::While {
            init,
            cond,
            body,
            outs: outs.clone(),
        });
        Ok(self.leave_loop(before, &carried, &outs[own..], (&it.body, Some(slot))))
    }

    /// Whether there is a next item; the query and the item from now on.
    fn next_item(
        &mut self,
        next: &FuncRef,
        query: Tree,
        item: Tree,
        at: Span,
    ) -> Result<(Value, Tree, Tree)> {
        // Two places, so that what the function changes can be distinguished.
        let place = |n: u32| Span {
            start: at.start + n,
            ..at
        };
        let args = [query.clone(), item.clone()];
        let args = args.into_iter().zip(0..).map(|(tree, n)| Arg {
            name: None,
            tree,
            span: place(n),
        });
        let args: Vec<Arg<'_>> = args.collect();
        let called = self.call_library(next, args, at)?;
        let Tree::Elem(found) = &called.result else {
            return Err(Error::at(
                Code::Bug,
                at,
                "a query says whether there is more",
            ));
        };
        let found = found.parts[0];
        let (mut query, mut item) = (query, item);
        for (from, tree) in called.updates {
            match from == place(0) {
                true => query = tree,
                false => item = tree,
            }
        }
        Ok((found, query, item))
    }

    /// The same as values.
    fn next_values(
        &mut self,
        next: &FuncRef,
        query: Tree,
        item: Tree,
        at: Span,
    ) -> Result<Vec<Value>> {
        let (found, query, item) = self.next_item(next, query, item, at)?;
        let mut values = vec![found];
        scalars(&query, &mut values);
        scalars(&item, &mut values);
        Ok(values)
    }

    /// The same; nothing more where a flag says that the loop ends.
    fn next_unless(
        &mut self,
        stopped: Value,
        next: &FuncRef,
        query: Tree,
        item: Tree,
        at: Span,
    ) -> Result<Vec<Value>> {
        let go_on = self.b.op(Op::Not, &[stopped]);
        self.b.open(Vec::new());
        let values = self.next_values(next, query.clone(), item.clone(), at)?;
        let then = self.b.close(values);
        self.b.open(Vec::new());
        let mut values = vec![self.b.bool(false)];
        scalars(&query, &mut values);
        scalars(&item, &mut values);
        let els = self.b.close(values);
        Ok(self.b.branch(go_on, then, els))
    }
}
