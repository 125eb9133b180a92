//! Where a loop is entered: what it carries, and the flags that end it.

use super::Carried;
use super::carried::{scalars, widened};
use crate::error::{Code, Error, Result};
use crate::front::data::structs::writes_array;
use crate::front::source::facts::{self, Change};
use crate::front::walk::{Loop, Poison, VariableState, Walk, boolean};
use crate::span::Span;
use ruff_python_ast::{Expr, Stmt};
use std::rc::Rc;

impl Walk<'_> {
    /// Pushes the loop that the statements of a body mean; gives what it carries and the flags that end it. `test`: the
    /// condition that each iteration asks anew.
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
}
