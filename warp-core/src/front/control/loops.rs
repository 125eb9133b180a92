//! `for` over a range and `while`.
//!
//! A loop hands from round to round what its body assigns and what had a value before it. A loop with `break`
//! or `return` really ends: it becomes a `while` whose condition asks the flags first.

use crate::builtins::{Operand, Tree, TypedWay, View};
use crate::error::{Code, Error, Result};
use crate::front::control::flow::After;
use crate::front::control::range::Range;
use crate::front::data::structs::writes_array;
use crate::front::source::facts::{self, Change};
use crate::front::walk::join::same_shape;
use crate::front::walk::{Loop, Poison, Unset, VariableState, Walk, boolean};
use crate::ir::{Builder, Const, Kind, Op, Value};
use crate::span::Span;
use ruff_python_ast::{Expr, Stmt, StmtFor, StmtWhile};
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
        let results = self.round(&it.body, &carried)?;
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
    /// before the loop and at the end of each round, and the loop carries the answer.
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
        let end = self.round(&it.body, &carried)?;
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

    /// Walks a loop; the flag that `break` ended it.
    pub fn for_loop(&mut self, it: &StmtFor) -> Result<Option<Value>> {
        if it.is_async {
            return Err(Error::at(
                Code::Syntax,
                self.span(it),
                "kernels have no `async for`",
            ));
        }
        let at = self.span(&*it.target);
        let Expr::Name(target) = &*it.target else {
            let what = "the variable of a `for` loop is one name";
            return Err(Error::at(Code::Syntax, at, what).hint("for i in range(n):"));
        };
        let range = self.range(&it.iter)?;
        let ty = self.b.ty(range.start);
        let slot = self.local(target.id.as_str());
        let slot = slot.ok_or_else(|| Error::at(Code::Name, at, "not a name"))?;
        if let Some(values) = self.few_rounds(&range, it, target.id.as_str()) {
            if values.is_empty() {
                return Ok(None);
            }
            self.unrolled(&it.body, slot, &values, ty, at)?;
            return Ok(None);
        }
        let (carried, stops) = self.enter_loop(&it.body, Some(slot), None, at)?;
        let before = self.frame.env.clone();
        let outs = if stops.is_empty() {
            let iv = self.b.fresh(ty);
            let params = self.b.fresh_like(&carried.init);
            self.set_carried(&carried, &params);
            self.b.open(std::iter::once(iv).chain(params).collect());
            let item = self.range_item(&range, iv);
            self.set(slot, Tree::Elem(Operand::scalar(ty, item)), at);
            let results = self.round(&it.body, &carried)?;
            let body = self.b.close(results);
            self.b.span = self.span(it);
            let outs = self.b.fresh_like(&carried.init);
            let init = carried.init.clone();
            let Range {
                start, stop, step, ..
            } = range;
            self.b.push(Kind::For {
                start,
                stop,
                step,
                init,
                body,
                outs: outs.clone(),
            });
            outs
        } else {
            self.ending_for(it, slot, range, &carried, &stops)?
        };
        Ok(self.leave_loop(before, &carried, &outs, (&it.body, Some(slot))))
    }

    /// A `for` that may end early. The rounds are counted, so that the variable cannot wrap past
    /// the end of its type.
    fn ending_for(
        &mut self,
        it: &StmtFor,
        slot: usize,
        range: Range,
        carried: &Carried,
        stops: &[usize],
    ) -> Result<Vec<Value>> {
        let at = self.span(&*it.target);
        let ty = self.b.ty(range.start);
        let int = |w: &mut Self, n| w.b.constant(ty, Const::Int(n));
        // With a step of one the variable itself counts.
        let plain = matches!(self.b.as_const(range.step), Some(Const::Int(1)));
        let (first, end) = match plain {
            true => (range.start, range.stop),
            false => {
                let rounds = self
                    .b
                    .op(Op::RangeLen, &[range.start, range.stop, range.step]);
                (int(self, 0), rounds)
            }
        };
        let init: Vec<Value> = std::iter::once(first)
            .chain(carried.init.iter().copied())
            .collect();
        let before = self.frame.env.clone();

        let params = self.b.fresh_like(&init);
        self.set_carried(carried, &params[1..]);
        self.b.open(params.clone());
        let more = self.b.op(Op::Lt, &[params[0], end]);
        let test = match self.any(stops) {
            None => more,
            Some(stopped) => {
                let go_on = self.b.op(Op::Not, &[stopped]);
                self.b.op(Op::And, &[go_on, more])
            }
        };
        let cond = self.b.close(vec![test]);
        self.frame.env = before;

        let params = self.b.fresh_like(&init);
        self.set_carried(carried, &params[1..]);
        self.b.open(params.clone());
        let iv = match plain {
            true => params[0],
            false => {
                let offset = self.b.op(Op::Mul, &[params[0], range.step]);
                self.b.op(Op::Add, &[range.start, offset])
            }
        };
        let item = self.range_item(&range, iv);
        self.set(slot, Tree::Elem(Operand::scalar(ty, item)), at);
        let mut results = self.round(&it.body, carried)?;
        let one = int(self, 1);
        results.insert(0, self.b.op(Op::Add, &[params[0], one]));
        let body = self.b.close(results);
        self.b.span = self.span(it);
        let outs = self.b.fresh_like(&init);
        self.b.push(Kind::While {
            init,
            cond,
            body,
            outs: outs.clone(),
        });
        Ok(outs[1..].to_vec())
    }

    /// Pushes the loop that the statements of a body mean; gives what it carries and the flags that end it. `test`: the
    /// condition that each round asks anew.
    pub fn enter_loop(
        &mut self,
        body: &[Stmt],
        iv: Option<usize>,
        test: Option<&Expr>,
        at: Span,
    ) -> Result<(Carried, Vec<usize>)> {
        let exits = facts::exits(body);
        let mut updated = self.updated_in(body);
        updated.extend(test.map_or_else(Vec::new, |test| self.updated_in_test(test)));
        let has_continue_flag = facts::needs_flag(body, false, |e| e.continues);
        let new_slot = |w: &mut Self| {
            w.frame.env.push(VariableState::Unbound);
            w.frame.env.len() - 1
        };
        let stop = exits.breaks.then(|| new_slot(self));
        let skip = has_continue_flag.then(|| new_slot(self));
        let mut stops: Vec<usize> = stop.into_iter().collect();
        let mut slots: Vec<usize> = Vec::new();
        let routine = Rc::clone(&self.frame.routine);
        let fork = self.zero_before(at)?;
        let iv = iv.filter(|slot| !self.is_zeroed(fork, *slot));
        slots.extend(
            self.zeroed
                .get(&fork)
                .into_iter()
                .flatten()
                .map(|(slot, _)| *slot),
        );
        facts::assigned(body, &mut |name, change, target| {
            let Some(slot) = routine.locals.get(name).copied() else {
                return;
            };
            let array = change == Change::Component
                && matches!(&self.frame.env[slot], VariableState::Bound(tree, _) if writes_array(tree, target));
            if Some(slot) != iv && !slots.contains(&slot) && !array {
                slots.push(slot);
            }
        });
        for slot in updated {
            if Some(slot) != iv && !slots.contains(&slot) {
                slots.push(slot);
            }
        }
        if exits.returns {
            stops.push(routine.returned());
            self.zero_result(&mut slots, at)?;
        }
        // A flag that is not set yet starts as false.
        for flag in &stops {
            if self.flag(*flag).is_none() {
                let unset = self.b.bool(false);
                self.bind(*flag, boolean(unset), at);
            }
            slots.push(*flag);
        }
        // Whether variables were assigned is carried with them where it is not certain.
        let variables = slots.iter().filter(|slot| **slot < routine.names.len());
        let flags = variables.map(|slot| routine.assigned(*slot));
        let flags: Vec<usize> = flags.filter(|flag| self.flag(*flag).is_some()).collect();
        slots.extend(flags);
        let mut carried = Carried {
            slots: Vec::new(),
            init: Vec::new(),
            fork,
        };
        for slot in slots {
            let VariableState::Bound(tree, at) = self.frame.env[slot].clone() else {
                continue;
            };
            if let Some(error) = self.changed.get(&(fork, slot)) {
                let poison = Poison::Changed(error.clone());
                self.frame.env[slot] = VariableState::Poison(Rc::new(poison));
                continue;
            }
            let wider = self
                .widening
                .get(&(fork, slot))
                .cloned()
                .unwrap_or_default();
            let tree = widened(&mut self.b, &tree, &mut wider.iter());
            let mut parts = Vec::new();
            if scalars(&tree, &mut parts) {
                carried.init.extend(parts);
                carried.slots.push((slot, tree, at));
            } else {
                self.frame.env[slot] = VariableState::Poison(Rc::new(Poison::LoopFunction(at)));
            }
        }
        self.frame.loops.push(Loop {
            fork,
            variable: iv,
            skip,
            stop,
            carried: Vec::new(),
            written_out: false,
        });
        Ok((carried, stops))
    }

    /// Numbers the loop, and gives the variables zeros that are read behind it and may have no value there.
    fn zero_before(&mut self, at: Span) -> Result<usize> {
        let fork = self.fork();
        for (slot, ty) in self.zeroed.get(&fork).cloned().unwrap_or_default() {
            match &self.frame.env[slot] {
                VariableState::Bound(..) => continue,
                // A branch or loop before this one may have set it.
                VariableState::Poison(_) => drop(self.read(slot, at)?),
                VariableState::Unbound => {}
            }
            if let Some(unset) = self.unset(&ty) {
                self.bind(slot, unset, at);
                if self.reading.debug {
                    let no = boolean(self.b.bool(false));
                    self.bind(self.frame.routine.assigned(slot), no, at);
                }
            }
        }
        Ok(fork)
    }

    /// Flags of variables that this round has certainly assigned, as values that the next round takes over.
    pub fn settle_assigned(&mut self, carried: &Carried) {
        let routine = Rc::clone(&self.frame.routine);
        for (slot, _, at) in &carried.slots {
            if routine.is_assigned_flag(*slot) && self.flag(*slot).is_none() {
                let yes = boolean(self.b.bool(true));
                self.bind(*slot, yes, *at);
            }
        }
    }

    /// A function's result that is returned from inside a loop is carried, from zeros on.
    fn zero_result(&mut self, slots: &mut Vec<usize>, at: Span) -> Result<()> {
        let slot = self.frame.routine.result();
        let Some(result) = &self.frame.result else {
            return Ok(());
        };
        let Some((ty, _)) = result.known.clone().filter(|_| !result.dry) else {
            return Ok(());
        };
        if matches!(self.frame.env[slot], VariableState::Unbound) {
            let zeros = self.zeros(&ty).ok_or_else(|| {
                Error::at(
                    Code::Type,
                    at,
                    format!("{ty} cannot be returned from inside a loop"),
                )
                .hint("which array is returned must be known when compiling")
            })?;
            self.bind(slot, zeros, at);
        }
        slots.push(slot);
        Ok(())
    }

    /// Makes these values those of the carried variables.
    fn set_carried(&mut self, carried: &Carried, values: &[Value]) {
        let mut values = values.iter().copied();
        let mut round = Vec::with_capacity(carried.slots.len());
        for (slot, tree, at) in &carried.slots {
            let tree = replace(tree, &mut values);
            self.bind(*slot, tree.clone(), *at);
            round.push((*slot, tree, *at));
        }
        if let Some(innermost) = self.frame.loops.last_mut() {
            innermost.carried = round;
        }
    }

    /// Walks the body; gives what the next round takes over.
    fn round(&mut self, body: &[Stmt], carried: &Carried) -> Result<Vec<Value>> {
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
                        let mut ways = now.ways.iter();
                        ways.all(|way| known.ways.iter().any(|k| k.is_like(way)))
                    };
                    if now.len() == known.len() && pairs.into_iter().all(is_known) {
                        continue;
                    }
                    let ways = now.iter().map(|view| view.typed_ways(&self.b)).collect();
                    let wider = Some((innermost.fork, *slot, ways));
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

    /// Ends a loop: carried variables have its results, what only its body or its head assigned has none. Gives the flag
    /// that `break` ended it.
    pub fn leave_loop(
        &mut self,
        before: Vec<VariableState>,
        carried: &Carried,
        outs: &[Value],
        (body, iv): (&[Stmt], Option<usize>),
    ) -> Option<Value> {
        let inside = std::mem::replace(&mut self.frame.env, before);
        self.set_carried(carried, outs);
        let ended = self.frame.loops.pop();
        let routine = Rc::clone(&self.frame.routine);
        facts::assigned(body, &mut |name, change, _| {
            let Some(slot) = routine.locals.get(name).copied() else {
                return;
            };
            if change == Change::Rebinds {
                self.leave_variable(slot, &inside[slot], carried);
            }
        });
        if let Some(slot) = iv {
            self.leave_variable(slot, &inside[slot], carried);
        }
        let broke = (ended.as_ref()).and_then(|ended| self.flag(ended.stop?));
        // The flags of this loop have the last slots.
        if let Some(ended) = ended {
            let own = usize::from(ended.stop.is_some()) + usize::from(ended.skip.is_some());
            let len = self.frame.env.len() - own;
            self.frame.env.truncate(len);
        }
        broke
    }

    /// What a variable is behind a loop that sets it; `inside` is what it is at the end of a round.
    pub fn leave_variable(&mut self, slot: usize, inside: &VariableState, carried: &Carried) {
        if carried.slots.iter().any(|c| c.0 == slot) {
            return;
        }
        let (at, ty) = match inside {
            VariableState::Bound(tree, at) => (*at, Some(tree.ty())),
            VariableState::Poison(poison) => (poison.place(Span::default()), poison.ty()),
            VariableState::Unbound => return,
        };
        let poison = match &self.frame.env[slot] {
            VariableState::Poison(before)
                if matches!(**before, Poison::LoopFunction(_) | Poison::Changed(_)) =>
            {
                return;
            }
            _ => Poison::Loop(Unset {
                at,
                ty,
                fork: carried.fork,
            }),
        };
        self.frame.env[slot] = VariableState::Poison(Rc::new(poison));
    }

    /// `break` or `continue`.
    pub fn jump_in_loop(&mut self, at: Span, is_break: bool) -> Result<()> {
        let Some(innermost) = self.frame.loops.last() else {
            let word = if is_break { "break" } else { "continue" };
            return Err(Error::at(
                Code::Syntax,
                at,
                format!("`{word}` stands outside a loop"),
            ));
        };
        let flag = if is_break {
            innermost.stop
        } else {
            innermost.skip
        };
        self.check_round()?;
        self.b.span = at;
        if let Some(flag) = flag {
            self.set_flag(flag, at);
        }
        Ok(())
    }
}

/// The scalars in a tree, in order, those that say where an array lies among them; false if it holds a function or a text.
pub(in crate::front) fn scalars(tree: &Tree, out: &mut Vec<Value>) -> bool {
    match tree {
        Tree::Elem(x) => {
            out.extend(x.parts.iter().copied());
            true
        }
        Tree::Array(view) => {
            out.extend(view.values());
            true
        }
        Tree::Tuple(items) => items.iter().all(|item| scalars(item, out)),
        Tree::Struct(_, trees) => trees.iter().all(|tree| scalars(tree, out)),
        Tree::None => true,
        Tree::Str(_) | Tree::Type(_) | Tree::Function(_) => false,
    }
}

/// The scalars of a tree in the order of those of another one, which knows all arrays that it may hold.
fn as_carried(b: &mut Builder, tree: &Tree, like: &Tree, out: &mut Vec<Value>) {
    match (tree, like) {
        (Tree::Array(view), Tree::Array(like)) => {
            if like.which.is_some() {
                out.push(view.number_among(b, &like.ways));
            }
            for way in &like.ways {
                let known = view.ways.iter().find(|known| known.is_like(way));
                out.extend(known.unwrap_or(way).values());
            }
        }
        (Tree::Tuple(items), Tree::Tuple(likes)) => {
            let pairs = items.iter().zip(likes.iter());
            pairs.for_each(|(item, like)| as_carried(b, item, like, out));
        }
        (Tree::Struct(_, trees), Tree::Struct(_, likes)) => {
            let pairs = trees.iter().zip(likes.iter());
            pairs.for_each(|(tree, like)| as_carried(b, tree, like, out));
        }
        (tree, _) => drop(scalars(tree, out)),
    }
}

/// The arrays in a tree, in order.
fn views(tree: &Tree) -> Vec<&View> {
    match tree {
        Tree::Array(view) => vec![view],
        Tree::Tuple(items) => items.iter().flat_map(views).collect(),
        Tree::Struct(_, trees) => trees.iter().flat_map(views).collect(),
        _ => Vec::new(),
    }
}

/// The tree with arrays that may be these, too.
fn widened<'w>(
    b: &mut Builder,
    tree: &Tree,
    wider: &mut impl Iterator<Item = &'w Vec<TypedWay>>,
) -> Tree {
    match tree {
        Tree::Array(view) => match wider.next() {
            Some(ways) => Tree::Array(view.widened(b, ways)),
            None => tree.clone(),
        },
        Tree::Tuple(items) => Tree::Tuple(items.iter().map(|t| widened(b, t, wider)).collect()),
        Tree::Struct(s, trees) => {
            Tree::Struct(*s, trees.iter().map(|t| widened(b, t, wider)).collect())
        }
        other => other.clone(),
    }
}

/// The tree with other scalars.
fn replace(tree: &Tree, values: &mut impl Iterator<Item = Value>) -> Tree {
    match tree {
        Tree::Elem(x) => {
            let parts = x
                .parts
                .iter()
                .map(|old| values.next().unwrap_or(*old))
                .collect();
            Tree::Elem(Operand {
                elem: x.elem,
                parts,
            })
        }
        Tree::Array(view) => Tree::Array(view.with_values(values)),
        Tree::Tuple(items) => Tree::Tuple(items.iter().map(|item| replace(item, values)).collect()),
        Tree::Struct(s, trees) => {
            let trees = trees.iter().map(|tree| replace(tree, values));
            Tree::Struct(*s, trees.collect())
        }
        other => other.clone(),
    }
}
