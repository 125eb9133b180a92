//! What is in scope, block by block, and what was found to be wrong.

use crate::dtype::Scalar;
use crate::ir::{Block, Effects, Func, Kind, ParamId, Slot, Value};
use crate::ty::Elem;
use std::collections::HashMap;

#[derive(Clone, Copy, PartialEq)]
pub enum State {
    Unseen,
    InScope,
    OutOfScope,
}

pub struct Checker<'a> {
    pub func: &'a Func,
    pub state: Vec<State>,
    /// By number: the slot, the types recorded, and whether its replay has been seen.
    pub slots: HashMap<u32, (Slot, Vec<Scalar>, bool)>,
    /// Whether the statement stands in the derivative of a call: there alone are gradients.
    pub in_reverse: bool,
    /// What the functions do that may be called here.
    pub callable: Vec<Effects>,
    /// Whether these access gradients.
    pub derivatives: Vec<bool>,
    /// What is wrong.
    pub found: Vec<String>,
}

pub type R<T = ()> = Result<T, String>;

pub fn ensure(holds: bool, what: impl FnOnce() -> String) -> R {
    if holds { Ok(()) } else { Err(what()) }
}

impl Checker<'_> {
    /// Of a local array the extents are constants, and it is there. Of a pointer-based one each access says them.
    pub fn passed(&self, id: ParamId) -> R {
        ensure(self.func.param(id).ty.is_passed(), || {
            format!("parameter {} is not passed", id.0)
        })
    }

    /// Element type and number of dimensions of an array.
    pub fn array(&self, id: ParamId) -> R<(Elem, u8)> {
        self.func
            .array(id)
            .ok_or_else(|| format!("parameter {} is no array", id.0))
    }

    fn define(&mut self, value: Value) -> R {
        let state = self.state.get_mut(value.0 as usize);
        let state = state.ok_or_else(|| format!("%{} has no type", value.0))?;
        ensure(*state == State::Unseen, || {
            format!("%{} is defined twice", value.0)
        })?;
        *state = State::InScope;
        Ok(())
    }

    pub fn used(&self, value: Value) -> R<Scalar> {
        match self.state.get(value.0 as usize) {
            Some(State::InScope) => Ok(self.func.ty(value)),
            Some(State::OutOfScope) => Err(format!("%{} is used outside its block", value.0)),
            _ => Err(format!("%{} is used before it is defined", value.0)),
        }
    }

    pub fn types(&self, values: &[Value]) -> R<Vec<Scalar>> {
        values.iter().map(|v| self.used(*v)).collect()
    }

    /// Checks a block and takes what it defined out of scope.
    pub fn block(&mut self, block: &Block) {
        for param in &block.params {
            let outcome = self.define(*param);
            self.note(outcome);
        }
        for stmt in &block.stmts {
            let outcome = self.stmt(&stmt.kind);
            self.note(outcome);
            for out in stmt.kind.outs() {
                let outcome = self.define(*out);
                self.note(outcome);
            }
        }
        for result in &block.results {
            let outcome = self.used(*result).map(|_| ());
            self.note(outcome);
        }
        let inner = block.stmts.iter().flat_map(|s| s.kind.outs());
        for value in block.params.iter().chain(inner) {
            if let Some(state) = self.state.get_mut(value.0 as usize) {
                *state = State::OutOfScope;
            }
        }
    }

    /// Whether a block accesses gradients, or calls a function that does.
    pub fn has_gradients(&self, block: &Block) -> bool {
        block.any(&|kind| match kind {
            Kind::Load { place, .. } | Kind::Store { place, .. } | Kind::Atomic { place, .. } => {
                self.func.gradient_of(place.array).is_some()
            }
            Kind::Call { callee, .. } => self.derivatives.get(callee.0 as usize) == Some(&true),
            _ => false,
        })
    }

    /// Keeps what is wrong.
    pub fn note(&mut self, outcome: R) {
        self.found.extend(outcome.err());
    }

    pub fn tys(&self, values: &[Value]) -> Vec<Scalar> {
        values
            .iter()
            .filter_map(|v| self.func.values.get(v.0 as usize).copied())
            .collect()
    }

    pub fn same(&self, what: &str, a: &[Value], b: &[Value]) -> R {
        let equal = a.len() == b.len() && self.tys(a) == self.tys(b);
        ensure(equal, || {
            format!(
                "{what} do not agree: {:?} and {:?}",
                self.tys(a),
                self.tys(b)
            )
        })
    }
}
