//! Numbers values in the order in which they are defined and forgets those that are not. Slots likewise.

use crate::ir::{Block, Func, Kind, Slot, Value};
use std::collections::HashMap;

/// Numbers values in the order in which they are defined.
pub fn renumber(func: &mut Func) {
    let mut numbers = Numbers {
        to: vec![None; func.values.len()],
        types: Vec::new(),
        slots: HashMap::new(),
    };
    let mut body = std::mem::take(&mut func.body);
    numbers.block(&mut body, func);
    func.body = body;
    let mut callees = std::mem::take(&mut func.callees);
    for callee in &mut callees {
        numbers.block(&mut callee.block, func);
    }
    func.callees = callees;
    func.values = numbers.types;
}

struct Numbers {
    to: Vec<Option<Value>>,
    types: Vec<crate::dtype::Scalar>,
    slots: HashMap<u32, u32>,
}

impl Numbers {
    fn define(&mut self, value: &mut Value, func: &Func) {
        let new = Value(self.types.len() as u32);
        self.types.push(func.ty(*value));
        self.to[value.0 as usize] = Some(new);
        *value = new;
    }

    fn apply(&self, value: &mut Value) {
        *value = self.to[value.0 as usize].expect("a value is defined before it is used");
    }

    fn slot(&mut self, slot: &mut Slot) {
        let next = self.slots.len() as u32;
        slot.id = *self.slots.entry(slot.id).or_insert(next);
    }

    fn block(&mut self, block: &mut Block, func: &Func) {
        block.params.iter_mut().for_each(|p| self.define(p, func));
        for stmt in &mut block.stmts {
            stmt.kind.uses_mut(|v| self.apply(v));
            if let Kind::Intrinsic { op, .. } = &mut stmt.kind
                && let Some(slot) = op.slot_mut()
            {
                self.slot(slot);
            }
            for inner in stmt.kind.blocks_mut() {
                self.block(inner, func);
            }
            for out in stmt.kind.outs_mut() {
                self.define(out, func);
            }
        }
        block.results.iter_mut().for_each(|r| self.apply(r));
    }
}
