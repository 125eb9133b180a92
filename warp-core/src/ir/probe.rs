//! What tells whether a function that is built would be another one if some of its constants were other numbers.

use crate::ir::id::Value;
use crate::ir::op::Const;
use std::cell::Cell;
use std::collections::HashMap;

/// Parameters that are constants in the call at hand, and what follows from them alone.
///
/// Whoever asks for one of these gets it, as for other constants. Then the function is made for it.
#[derive(Debug, Default)]
pub struct Probe {
    known: HashMap<Value, Const>,
    asked: Cell<bool>,
}

impl Probe {
    /// Adds a value.
    pub fn add(&mut self, value: Value, constant: Const) {
        self.known.insert(value, constant);
    }

    /// What a value is, if it is one of these. That is not held against the function.
    pub fn look(&self, value: Value) -> Option<Const> {
        self.known.get(&value).copied()
    }

    /// What a value is, for one who makes something of it.
    pub fn ask(&self, value: Value) -> Option<Const> {
        let known = self.look(value);
        self.asked.set(self.asked.get() || known.is_some());
        known
    }

    /// Whether there are such values.
    pub fn is_on(&self) -> bool {
        !self.known.is_empty()
    }

    /// Ends it: whether somebody asked for one of the values.
    pub fn end(&mut self) -> bool {
        self.known.clear();
        self.asked.take()
    }
}
