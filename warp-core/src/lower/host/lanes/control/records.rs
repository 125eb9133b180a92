//! Recording: a row for each iteration of the gang, with a number for each lane of what varies.

use crate::ir::{Slot, Value};
use crate::lower::emit::text::{ins, line};
use crate::lower::host::lanes::gang::GangBody;
use crate::lower::host::stacks::Stack;
use crate::lower::report::Costly;
use std::fmt::Write;

/// Where rows begin, so that vectors in them lie well.
const ALIGN: usize = 64;

impl GangBody<'_> {
    /// Offsets of values in a row, vectors first, and its bytes.
    fn row_of(&self, values: &[Value]) -> (Vec<usize>, usize) {
        let size = |v: &Value| self.body.ty(*v).size();
        let mut offsets = vec![0; values.len()];
        let mut at = 0;
        let sorted = |uniform: bool| {
            let mut all: Vec<usize> = (0..values.len())
                .filter(|k| self.is_uniform(values[*k]) == uniform)
                .collect();
            all.sort_by_key(|k| std::cmp::Reverse(size(&values[*k])));
            all
        };
        for k in sorted(false) {
            offsets[k] = at;
            at += self.width * size(&values[k]);
        }
        for k in sorted(true) {
            offsets[k] = at;
            at += size(&values[k]);
        }
        let unit = if at >= ALIGN { ALIGN } else { 8 };
        (offsets, at.next_multiple_of(unit))
    }

    /// `record`.
    pub(in crate::lower::host::lanes) fn record(&mut self, slot: Slot, values: &[Value]) {
        let (offsets, bytes) = self.row_of(values);
        if bytes == 0 {
            return;
        }
        self.note(Costly::Record(bytes));
        let at = self.body.push(Stack::of(slot), bytes);
        for (value, offset) in values.iter().zip(offsets) {
            let to = ins!(self.body.t, "getelementptr i8, ptr {at}, i64 {offset}");
            let ty = self.body.ty(*value);
            if self.is_uniform(*value) {
                let name = self.body.name(*value);
                self.body.t.store(ty, &name, &to, "");
            } else {
                let name = self.vector(*value);
                self.wide(|g| {
                    let raw = g.body.t.pack(ty, &name);
                    let mem = g.body.t.mem(ty);
                    line!(g.body.t, "store {mem} {raw}, ptr {to}, align 8");
                });
            }
        }
    }

    /// `replay`.
    pub(in crate::lower::host::lanes) fn replay(&mut self, slot: Slot, outs: &[Value]) {
        let (offsets, bytes) = self.row_of(outs);
        if bytes == 0 {
            return;
        }
        let at = self.body.pop(Stack::of(slot), bytes);
        for (out, offset) in outs.iter().zip(offsets) {
            let from = ins!(self.body.t, "getelementptr i8, ptr {at}, i64 {offset}");
            let ty = self.body.ty(*out);
            if self.is_uniform(*out) {
                self.body.names[out.0 as usize] = self.body.t.load(ty, &from, "");
            } else {
                self.vectors[out.0 as usize] = self.wide(|g| {
                    let mem = g.body.t.mem(ty);
                    let raw = ins!(g.body.t, "load {mem}, ptr {from}, align 8");
                    g.body.t.unpack(ty, raw)
                });
            }
        }
    }
}
