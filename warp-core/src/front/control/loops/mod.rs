//! `for` over a range and `while`.
//!
//! A loop hands from iteration to iteration what its body assigns and what had a value before it. A loop with `break`
//! or `return` really ends: it becomes a `while` whose condition asks the flags first.

mod carried;
mod enter;
mod for_loop;
mod leave;
mod query;

use crate::builtins::{Tree, View};
use crate::error::{Code, Error, Result};
use crate::front::control::flow::After;
use crate::front::source::facts;
use crate::front::walk::join::same_shape;
use crate::front::walk::{VariableState, Walk, boolean};
use crate::ir::{Kind, Op, Value};
use crate::span::Span;
pub(in crate::front) use carried::scalars;
use carried::{as_carried, replace, views};
use ruff_python_ast::{Stmt, StmtWhile};
use std::rc::Rc;

/// What a loop carries: the slots, their trees before the loop, and all scalars in one list.
pub(in crate::front) struct Carried {
    pub slots: Vec<(usize, Tree, Span)>,
    pub init: Vec<Value>,
    /// The loop's number, see [`Zeroed`](crate::front::walk::Zeroed).
    pub fork: usize,
}

impl Walk<'_> {
    /// Walks a loop; whether control gets past it, and the flag that `break` ended it.
    pub fn while_loop(&mut self, it: &StmtWhile) -> Result<(bool, Option<Value>)> {
        let at = self.span(it);
        let forever = facts::always(&it.test);
        if !self.updated_in_test(&it.test).is_empty() {
            return self.while_updating(it);
        }
        let (carried, stops) = self.enter_loop(&it.body, None, None, at)?;
        let before = self.frame.env.clone();

        let params = self.b.fresh_like(&carried.init);
        self.set_carried(&carried, &params);
        self.b.open(params);
        let stopped = self.any(&stops);
        let test = match stopped {
            None if forever => self.b.bool(true),
            None => self.condition(&it.test)?,
            Some(stopped) if forever => self.b.op(Op::Not, &[stopped]),
            Some(stopped) => {
                // After a `break` the condition is not asked again: it may read out of range then.
                let go_on = self.b.op(Op::Not, &[stopped]);
                self.and(go_on, at, |w| w.condition(&it.test))?
            }
        };
        let cond = self.b.close(vec![test]);
        self.frame.env.clone_from(&before);

        let params = self.b.fresh_like(&carried.init);
        self.set_carried(&carried, &params);
        self.b.open(params);
        let results = self.iteration(&it.body, &carried)?;
        let body = self.b.close(results);
        self.b.span = at;
        let outs = self.b.fresh_like(&carried.init);
        let init = carried.init.clone();
        self.b.push(Kind::While {
            init,
            cond,
            body,
            outs: outs.clone(),
        });
        let broke = self.leave_loop(before, &carried, &outs, (&it.body, None));
        Ok((!forever || facts::exits(&it.body).breaks, broke))
    }

    /// A `while` whose condition changes variables. A condition in the IR only gives a truth value, so this one is asked
    /// before the loop and at the end of each iteration, and the loop carries the answer.
    fn while_updating(&mut self, it: &StmtWhile) -> Result<(bool, Option<Value>)> {
        let at = self.span(it);
        let first = self.condition(&it.test)?;
        let (carried, stops) = self.enter_loop(&it.body, None, Some(&it.test), at)?;
        let before = self.frame.env.clone();
        let init: Vec<Value> = std::iter::once(first)
            .chain(carried.init.iter().copied())
            .collect();

        let params = self.b.fresh_like(&init);
        self.b.open(params.clone());
        let cond = self.b.close(vec![params[0]]);

        let params = self.b.fresh_like(&init);
        self.set_carried(&carried, &params[1..]);
        self.b.open(params);
        let end = self.iteration(&it.body, &carried)?;
        self.frame.env.clone_from(&before);
        self.set_carried(&carried, &end);
        let again = match self.any(&stops) {
            None => self.condition(&it.test)?,
            Some(stopped) => {
                let go_on = self.b.op(Op::Not, &[stopped]);
                self.and(go_on, at, |w| w.condition(&it.test))?
            }
        };
        let mut results = vec![again];
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
        let broke = self.leave_loop(before, &carried, &outs[1..], (&it.body, None));
        Ok((true, broke))
    }

    /// Flags of variables that this iteration has certainly assigned, as values that the next iteration takes over.
    pub fn settle_assigned(&mut self, carried: &Carried) {
        let routine = Rc::clone(&self.frame.routine);
        for (slot, _, at) in &carried.slots {
            if routine.is_assigned_flag(*slot) && self.flag(*slot).is_none() {
                let yes = boolean(self.b.bool(true));
                self.bind(*slot, yes, *at);
            }
        }
    }

    /// Makes these values those of the carried variables.
    fn set_carried(&mut self, carried: &Carried, values: &[Value]) {
        let mut values = values.iter().copied();
        let mut iteration = Vec::with_capacity(carried.slots.len());
        for (slot, tree, at) in &carried.slots {
            let tree = replace(tree, &mut values);
            self.bind(*slot, tree.clone(), *at);
            iteration.push((*slot, tree, *at));
        }
        if let Some(innermost) = self.frame.loops.last_mut() {
            innermost.carried = iteration;
        }
    }

    /// Walks the body; gives what the next iteration takes over.
    fn iteration(&mut self, body: &[Stmt], carried: &Carried) -> Result<Vec<Value>> {
        if let Some(skip) = self.frame.loops.last().and_then(|l| l.skip) {
            self.frame.env[skip] = VariableState::Unbound;
        }
        let falls = self.stmts(body, After::END)?;
        if falls {
            self.check_round()?;
        }
        self.settle_assigned(carried);
        let mut results = Vec::with_capacity(carried.init.len());
        self.carried_now(carried, &mut results);
        Ok(results)
    }

    /// The scalars that the carried variables have by now.
    fn carried_now(&mut self, carried: &Carried, into: &mut Vec<Value>) {
        for (slot, tree, _) in &carried.slots {
            match &self.frame.env[*slot] {
                VariableState::Bound(end, _) if same_shape(end, tree) => {
                    let end = end.clone();
                    as_carried(&mut self.b, &end, tree, into);
                }
                // Only jumps lead here, and they saw to the types: nobody reads this.
                _ => drop(scalars(tree, into)),
            }
        }
    }

    /// Checks that the carried variables have the types with which the loop began, and hold arrays that it knew.
    pub fn check_round(&mut self) -> Result<()> {
        let Some(innermost) = self.frame.loops.last() else {
            return Ok(());
        };
        for (slot, tree, before) in &innermost.carried {
            let name = self
                .frame
                .routine
                .names
                .get(*slot)
                .map_or("result", String::as_str);
            match &self.frame.env[*slot] {
                VariableState::Bound(end, at) if !same_shape(end, tree) => {
                    let (was, is) = (tree.ty(), end.ty());
                    let what = format!("the loop changes variable `{name}` from {was} to {is}");
                    let hint = format!(
                        "a variable has one type: start with a {is}, or convert here to {was}"
                    );
                    let (fork, slot) = (innermost.fork, *slot);
                    let (at, before) = (*at, *before);
                    self.change = Some((fork, slot));
                    return Err(Error::at(Code::Type, at, what)
                        .label(before, format!("{was} before the loop"))
                        .hint(hint));
                }
                VariableState::Bound(..) if innermost.written_out => {}
                VariableState::Bound(end, at) => {
                    let (now, known) = (views(end), views(tree));
                    let pairs = now.iter().zip(&known);
                    let is_known = |(now, known): (&&View, &&View)| {
                        let mut candidates = now.candidates.iter();
                        candidates
                            .all(|candidate| known.candidates.iter().any(|k| k.is_like(candidate)))
                    };
                    if now.len() == known.len() && pairs.into_iter().all(is_known) {
                        continue;
                    }
                    let candidates = now
                        .iter()
                        .map(|view| view.typed_candidates(&self.b))
                        .collect();
                    let wider = Some((innermost.fork, *slot, candidates));
                    let what = format!("the loop changes which array `{name}` is");
                    let error = Error::at(Code::Type, *at, what)
                        .label(*before, "another one before the loop")
                        .hint("use a variable of its own inside the loop");
                    self.wider = wider;
                    return Err(error);
                }
                VariableState::Poison(poison) => {
                    let error = poison.error(name, poison.place(*before));
                    self.change = Some((innermost.fork, *slot));
                    return Err(error);
                }
                VariableState::Unbound => {}
            }
        }
        Ok(())
    }
}
