//! Where a loop is left: variables behind it, and jumps in it.

use super::Carried;
use crate::error::{Code, Error, Result};
use crate::front::source::facts::{self, Change};
use crate::front::walk::{Poison, Unset, VariableState, Walk};
use crate::ir::Value;
use crate::span::Span;
use ruff_python_ast::Stmt;
use std::rc::Rc;

impl Walk<'_> {
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

    /// What a variable is behind a loop that sets it; `inside` is what it is at the end of an iteration.
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
