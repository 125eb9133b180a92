//! Functions that are the same for any values of some integers, although these are constants where they are called.
//!
//! A function is made for integers that are constants, since loops may go around that often. A long one that is called with several is
//! walked once more with parameters in their places: where nothing asks what they are, this is the function for all, and the kernel
//! is walked anew without those that were made before ([`crate::front::walk::kernel`]).

use crate::error::Result;
use crate::front::call::instance::{Given, Instance, Integers, Kind, Number};
use crate::front::source::scope::FuncRef;
use crate::front::walk::Walk;
use crate::ir::{Block, Const};
use crate::span::Span;
use std::rc::Rc;

/// A function that was made so often may be one for all.
const OFTEN: usize = 3;

/// Statements from which on a function is long: shorter ones stand in the places of their calls.
const LONG: usize = 64;

impl Walk<'_> {
    /// The kind of a call if its integers could be any. None: none is a constant.
    pub(super) fn kind_for_any_integers(
        &self,
        func: &FuncRef,
        bound: &[usize],
        given: &[Given],
    ) -> Option<Kind> {
        let some = given.iter().any(|(_, number)| is_integer(*number));
        some.then(|| (func.id, self.kind_of(bound, &for_any(given))))
    }

    /// The numbers without integers that the function does not need to know.
    pub(super) fn needed_integers(&self, general: Option<&Kind>, given: Vec<Given>) -> Vec<Given> {
        if let Some(Integers::Any) = general.and_then(|kind| self.integers.get(kind)) {
            return for_any(&given);
        }
        // What is known here may be known in the function around it alone.
        let asked = given.iter().filter(|(_, number)| number.is_some());
        asked.for_each(|(value, _)| {
            let _ = self.b.probe.ask(*value);
        });
        given
    }

    /// Walks a function that has been made often, for any integers. None: it has not, or it needs to know them.
    pub(super) fn walk_for_any_integers(
        &mut self,
        func: &FuncRef,
        general: &Kind,
        bound: &[usize],
        given: &[Given],
        at: Span,
    ) -> Result<Option<Rc<Instance>>> {
        match self.integers.get(general) {
            Some(Integers::MadeFor(n)) if *n >= OFTEN && !self.b.probe.is_on() => {}
            _ => return Ok(None),
        }
        let before = self.frame.env.clone();
        let params = self.b.func().params.len();
        let instance = self.walk_apart(func, bound, given, true, at)?;
        let asked = self.b.probe.end();
        let instance = instance.filter(|it| !asked && !self.gives_own_array(it, params));
        let found = match instance {
            Some(_) => Integers::Any,
            None => {
                self.frame.env = before;
                Integers::Needed
            }
        };
        self.integers.insert(general.clone(), found);
        let instance = instance.map(Rc::new);
        if let Some(instance) = &instance {
            self.instances.insert(general.clone(), Rc::clone(instance));
        }
        Ok(instance)
    }

    /// Counts a function that was made for the integers of a call, if it is long.
    pub(super) fn count_instance(&mut self, general: Option<Kind>, instance: &Instance) {
        let long = instance.callee.is_some_and(|callee| {
            let block = &self.b.func().callee(callee).block;
            size(block) >= LONG
        });
        if let Some(general) = general
            && long
            && let Integers::MadeFor(n) = (self.integers)
                .entry(general)
                .or_insert(Integers::MadeFor(0))
        {
            *n += 1;
        }
    }
}

/// The same for any integers.
pub(super) fn for_any(given: &[Given]) -> Vec<Given> {
    let any = |number: Option<Number>| number.filter(|it| !is_integer(Some(*it)));
    (given.iter().map(|(value, number)| (*value, any(*number)))).collect()
}

fn is_integer(number: Option<Number>) -> bool {
    number.is_some_and(|it| matches!(it.value, Const::Int(_)) && it.full.is_none())
}

fn size(block: &Block) -> usize {
    let inner = block.stmts.iter().flat_map(|stmt| stmt.kind.blocks());
    block.stmts.len() + inner.map(size).sum::<usize>()
}
