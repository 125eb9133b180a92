//! Statements in order, `if`, and jumps as conditions.
//!
//! `break`, `continue` and `return` end their path. What follows an `if` with jumps goes into the one branch that
//! reaches it; only where both may reach it and one may have jumped does a flag tell.

use crate::builtins::{Tree, truth};
use crate::error::Result;
use crate::front::source::facts::{self, Exits};
use crate::front::walk::join::{ExprPath, Path};
use crate::front::walk::{VariableState, Walk};
use crate::ir::{Block, Const, Op, Value};
use crate::span::Span;
use ruff_python_ast::{ElifElseClause, Expr, Stmt};

/// Statements that follow those that are walked.
pub(in crate::front) struct Rest<'a> {
    stmts: &'a [Stmt],
    next: Option<&'a Rest<'a>>,
}

/// What follows a list of statements.
#[derive(Clone, Copy)]
pub(in crate::front) struct After<'a> {
    /// To be walked on this path, too.
    rest: Option<&'a Rest<'a>>,
    /// The end of the function or of the loop's body comes then.
    tail: bool,
}

impl<'a> After<'a> {
    /// The end of the function or of the loop's body.
    pub const END: After<'static> = After {
        rest: None,
        tail: true,
    };

    fn is_empty(self) -> bool {
        let mut rest = self.rest;
        while let Some(it) = rest {
            if !it.stmts.is_empty() {
                return false;
            }
            rest = it.next;
        }
        true
    }

    /// Whether nothing at all follows.
    fn is_end(self) -> bool {
        self.tail && self.is_empty()
    }

    /// Another call walks the statements that follow.
    fn detached(self) -> After<'static> {
        After {
            rest: None,
            tail: self.is_end(),
        }
    }
}

impl Walk<'_> {
    /// Walks statements and what is to be walked after them. Whether control gets past all of it.
    pub fn stmts(&mut self, list: &[Stmt], after: After<'_>) -> Result<bool> {
        for (at, stmt) in list.iter().enumerate() {
            let rest = Rest {
                stmts: &list[at + 1..],
                next: after.rest,
            };
            let behind = After {
                rest: Some(&rest),
                tail: after.tail,
            };
            match stmt {
                Stmt::If(it) => {
                    let span = self.span(&*it.test);
                    let path = Else(&it.elif_else_clauses);
                    let exits = facts::stmt_exits(stmt);
                    if exits.jumps() {
                        return self.nested(span, |w| {
                            w.if_with_jumps(&it.test, &it.body, path, behind, span)
                        });
                    }
                    self.nested(span, |w| {
                        w.plain_if(&it.test, &it.body, path, behind.is_end(), span)
                    })?;
                }
                Stmt::For(_) | Stmt::While(_) => {
                    let span = self.span(stmt);
                    let (falls, broke) = self.nested(span, |w| match stmt {
                        Stmt::For(it) => w.for_loop(it).map(|broke| (true, broke)),
                        Stmt::While(it) => w.while_loop(it),
                        _ => Ok((true, None)),
                    })?;
                    if !falls {
                        return Ok(false);
                    }
                    if let Some(orelse) = facts::loop_else(stmt) {
                        self.loop_else(orelse, broke, facts::stmt_exits(stmt).returns, span)?;
                    }
                    let exits = facts::stmt_exits(stmt);
                    if exits.jumps() {
                        return self.guarded(exits, behind, span);
                    }
                }
                Stmt::Break(it) => return self.jump_in_loop(self.span(it), true).map(|()| false),
                Stmt::Continue(it) => {
                    return self.jump_in_loop(self.span(it), false).map(|()| false);
                }
                Stmt::Return(it) => {
                    let span = self.span(it);
                    return self.return_value(it.value.as_deref(), span).map(|()| false);
                }
                other => self.simple(other)?,
            }
        }
        match after.rest {
            Some(rest) => self.stmts(
                rest.stmts,
                After {
                    rest: rest.next,
                    tail: after.tail,
                },
            ),
            None => Ok(true),
        }
    }

    /// The value of a condition.
    pub fn condition(&mut self, test: &Expr) -> Result<Value> {
        let tree = self.expr(test)?;
        let span = self.span(test);
        self.b.span = span;
        truth(&mut self.b, &tree, span)
    }

    /// A condition that is known when compiling.
    pub fn known(&self, cond: Value) -> Option<bool> {
        match self.b.as_const(cond) {
            Some(Const::Bool(known)) => Some(known),
            _ => None,
        }
    }

    /// One path of an `if`.
    fn walk_path(&mut self, walk: impl FnOnce(&mut Self) -> Result<bool>) -> Result<Path> {
        let before = self.frame.env.clone();
        self.b.open(Vec::new());
        let falls = walk(self)?;
        let block = self.b.close(Vec::new());
        let env = std::mem::replace(&mut self.frame.env, before);
        Ok(Path { block, env, falls })
    }

    /// An `if` without jumps. `last`: nothing follows it.
    fn plain_if(
        &mut self,
        test: &Expr,
        then: &[Stmt],
        els: Else<'_>,
        last: bool,
        at: Span,
    ) -> Result<()> {
        let cond = self.condition(test)?;
        let after = After {
            rest: None,
            tail: last,
        };
        match self.known(cond) {
            Some(true) => self.stmts(then, after).map(|_| ()),
            Some(false) => self.else_path(els, after, at).map(|_| ()),
            None => {
                let then = self.walk_path(|w| w.stmts(then, after))?;
                let els = self.walk_path(|w| w.else_path(els, after, at))?;
                self.join(cond, then, els, last, at);
                Ok(())
            }
        }
    }

    /// What stands behind `if`: an `elif` is an `if` inside `else`.
    fn else_path(&mut self, els: Else<'_>, after: After<'_>, at: Span) -> Result<bool> {
        match els.split() {
            Parts::Nothing => self.stmts(&[], after),
            Parts::Else(body) => self.stmts(body, after),
            Parts::Elif(test, body, more) => self.nested(at, |w| {
                if els.exits().jumps() {
                    return w.if_with_jumps(test, body, more, after, at);
                }
                // Without jumps the rest has not been handed down.
                let last = after.is_end();
                w.plain_if(test, body, more, last, at)?;
                w.stmts(&[], after)
            }),
        }
    }

    fn if_with_jumps(
        &mut self,
        test: &Expr,
        then: &[Stmt],
        els: Else<'_>,
        after: After<'_>,
        at: Span,
    ) -> Result<bool> {
        let cond = self.condition(test)?;
        match self.known(cond) {
            Some(true) => return self.stmts(then, after),
            Some(false) => return self.else_path(els, after, at),
            None => {}
        }
        let (a, b) = (facts::exits(then), els.exits());
        if a.falls && b.falls && !after.is_empty() {
            let inner = after.detached();
            let then = self.walk_path(|w| w.stmts(then, inner))?;
            let els = self.walk_path(|w| w.else_path(els, inner, at))?;
            self.join(cond, then, els, false, at);
            return self.guarded(a.or(b), after, at);
        }
        // What a branch does not reach is not handed to it.
        let for_branch = |exits: Exits| {
            if exits.falls {
                after
            } else {
                After {
                    rest: None,
                    ..after
                }
            }
        };
        let then = self.walk_path(|w| w.stmts(then, for_branch(a)))?;
        let els = self.walk_path(|w| w.else_path(els, for_branch(b), at))?;
        let falls = then.falls || els.falls;
        self.join(cond, then, els, after.tail, at);
        Ok(falls)
    }

    /// What stands behind the `else` of a loop runs unless `break` or `return` ended the loop.
    fn loop_else(
        &mut self,
        orelse: &[Stmt],
        broke: Option<Value>,
        returns: bool,
        at: Span,
    ) -> Result<()> {
        self.b.span = at;
        let returned = self.frame.routine.returned();
        let returned = self.flag(returned).filter(|_| returns);
        let ended = match (broke, returned) {
            (Some(a), Some(b)) => self.b.op(Op::Or, &[a, b]),
            (None, None) => self.b.bool(false),
            (Some(one), None) | (None, Some(one)) => one,
        };
        let cond = self.b.op(Op::Not, &[ended]);
        let nothing_follows = After {
            rest: None,
            tail: false,
        };
        let then = self.walk_path(|w| w.stmts(orelse, nothing_follows))?;
        let els = Path {
            block: Block::default(),
            env: self.frame.env.clone(),
            falls: true,
        };
        self.join(cond, then, els, false, at);
        Ok(())
    }

    /// Walks what follows only if none of these jumps was taken.
    fn guarded(&mut self, exits: Exits, after: After<'_>, at: Span) -> Result<bool> {
        if after.is_empty() {
            return Ok(true);
        }
        let mut slots = smallvec::SmallVec::<[usize; 3]>::new();
        if exits.returns {
            slots.push(self.frame.routine.returned());
        }
        if let Some(innermost) = self.frame.loops.last() {
            slots.extend(innermost.stop.filter(|_| exits.breaks));
            slots.extend(innermost.skip.filter(|_| exits.continues));
        }
        self.b.span = at;
        let Some(jumped) = self.any(&slots) else {
            return self.stmts(&[], after);
        };
        let go_on = self.b.op(Op::Not, &[jumped]);
        let then = self.walk_path(|w| w.stmts(&[], after))?;
        let els = Path {
            block: Block::default(),
            env: self.frame.env.clone(),
            falls: false,
        };
        let falls = then.falls;
        self.join(go_on, then, els, after.tail, at);
        Ok(falls)
    }

    /// Whether any of these flags is set; None: certainly none.
    pub fn any(&mut self, slots: &[usize]) -> Option<Value> {
        let set: smallvec::SmallVec<[Value; 3]> =
            slots.iter().filter_map(|s| self.flag(*s)).collect();
        let (first, rest) = set.split_first()?;
        Some(
            rest.iter()
                .fold(*first, |all, one| self.b.op(Op::Or, &[all, *one])),
        )
    }

    /// An expression on one path only.
    pub fn expr_path(&mut self, walk: impl FnOnce(&mut Self) -> Result<Tree>) -> Result<ExprPath> {
        self.b.open(Vec::new());
        self.frame.paths.push(Vec::new());
        let tree = walk(self)?;
        let changed = self.frame.paths.pop().unwrap_or_default();
        let mut path = ExprPath {
            block: self.b.close(Vec::new()),
            tree,
            updates: Vec::new(),
        };
        // The oldest state comes last, so it stays.
        for (slot, before) in changed.into_iter().rev() {
            let now = std::mem::replace(&mut self.frame.env[slot], before);
            if let VariableState::Bound(now, at) = now
                && path.updates.iter().all(|(known, ..)| *known != slot)
            {
                path.updates.push((slot, now, at));
            }
        }
        Ok(path)
    }

    /// Forgets what a `return` inside a loop leaves in variables that the loop carries: nobody
    /// reads them any more, but their types must be the loop's.
    pub fn forget_round(&mut self) {
        if let Some(innermost) = self.frame.loops.last() {
            for (slot, tree, at) in &innermost.carried {
                self.frame.env[*slot] = match &self.frame.env[*slot] {
                    kept if *slot >= self.frame.routine.names.len() => kept.clone(),
                    _ => VariableState::Bound(tree.clone(), *at),
                };
            }
        }
    }
}

/// What stands behind the first branch of an `if`.
#[derive(Clone, Copy)]
pub(in crate::front) struct Else<'a>(&'a [ElifElseClause]);

enum Parts<'a> {
    Nothing,
    Else(&'a [Stmt]),
    Elif(&'a Expr, &'a [Stmt], Else<'a>),
}

impl<'a> Else<'a> {
    fn split(self) -> Parts<'a> {
        match self.0.split_first() {
            None => Parts::Nothing,
            Some((first, more)) => match &first.test {
                None => Parts::Else(&first.body),
                Some(test) => Parts::Elif(test, &first.body, Else(more)),
            },
        }
    }

    fn exits(self) -> Exits {
        facts::else_exits(self.0)
    }
}
