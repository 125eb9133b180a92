//! The values, recorded values and functions that something with an effect depends on.

use crate::ir::{Rules, Slot, Value};
use crate::pass::cse::writes;
use crate::pass::slots::Replays;

/// Which values something that has an effect depends on.
#[derive(Clone, PartialEq, Debug)]
pub struct Live {
    pub(super) values: Vec<bool>,
    pub(super) replays: Replays,
    pub(super) functions: Vec<Function>,
    /// The functions are those of a whole of which this is a part: they stay as they are.
    pub(super) part: bool,
}

/// What of a function somebody needs.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Function {
    pub(super) called: bool,
    /// Each parameter, which is a value.
    pub(super) params: Vec<Value>,
    /// Whether each result is needed by any call.
    pub(super) results: Vec<bool>,
}

impl Live {
    /// Whether something depends on the value.
    pub fn has(&self, value: Value) -> bool {
        self.values[value.0 as usize]
    }

    pub(super) fn any(&self, values: &[Value]) -> bool {
        values.iter().any(|v| self.has(*v))
    }

    /// For each parameter of a function whether it is needed.
    pub(super) fn taken(&self, function: &Function) -> Vec<bool> {
        let taken = |p: &Value| self.part || self.has(*p);
        function.params.iter().map(taken).collect()
    }

    /// For each value of a slot whether its replay is needed.
    pub(super) fn recorded(&self, slot: Slot) -> Vec<bool> {
        let outs = self.replays.get(&slot);
        let outs = outs.expect("a record has its replay: the function was verified");
        outs.iter().map(|out| self.has(*out)).collect()
    }
}

/// Whether a derivative writes anything, gradients too: then a call matters to the adjoint whose results nobody uses.
pub(super) fn derivative_writes(rules: &Rules) -> bool {
    rules.reverse.as_ref().is_some_and(writes)
}
