//! Copies of functions: new values, slots and local arrays for each.

use crate::dtype::Scalar;
use crate::ir::{Block, Kind, Op, ParamId, Slot, Stmt, Value};
use std::collections::HashMap;

/// New names for one copy.
pub(super) struct Copy<'a> {
    pub(super) types: &'a mut Vec<Scalar>,
    pub(super) values: HashMap<Value, Value>,
    pub(super) arrays: HashMap<ParamId, ParamId>,
    pub(super) slots: HashMap<u32, u32>,
    pub(super) next_slot: &'a mut u32,
}

impl Copy<'_> {
    pub(super) fn apply(&self, value: &mut Value) {
        *value = self.values[value];
    }

    fn define(&mut self, value: &mut Value) {
        self.types.push(self.types[value.0 as usize]);
        let new = Value(self.types.len() as u32 - 1);
        self.values.insert(*value, new);
        *value = new;
    }

    pub(super) fn array(&self, id: &mut ParamId) {
        *id = self.arrays.get(id).copied().unwrap_or(*id);
    }

    fn slot(&mut self, slot: &mut Slot) {
        let next = &mut *self.next_slot;
        slot.id = *self.slots.entry(slot.id).or_insert_with(|| {
            *next += 1;
            *next - 1
        });
    }

    pub(super) fn stmt(&mut self, stmt: &mut Stmt) {
        stmt.kind.uses_mut(|v| self.apply(v));
        match &mut stmt.kind {
            Kind::Load { place, .. } | Kind::Store { place, .. } | Kind::Atomic { place, .. } => {
                self.array(&mut place.array);
            }
            Kind::Let {
                op: Op::Shape(id, _) | Op::Present(id) | Op::Address(id) | Op::Stride(id, _),
                ..
            } => self.array(id),
            Kind::Intrinsic { op, .. } => {
                if let Some(slot) = op.slot_mut() {
                    self.slot(slot);
                }
            }
            kind => {
                for block in kind.blocks_mut() {
                    self.block(block);
                }
            }
        }
        for out in stmt.kind.outs_mut() {
            self.define(out);
        }
    }

    pub(super) fn block(&mut self, block: &mut Block) {
        for param in &mut block.params {
            self.define(param);
        }
        for stmt in &mut block.stmts {
            self.stmt(stmt);
        }
        block.results.iter_mut().for_each(|v| self.apply(v));
    }
}
