//! Recording and the undo log: stacks of a size that is known before the launch, one for each thread of the grid.
//!
//! What is kept in a register is the number of units in use. A thread that would push more than there is room for ends with a
//! fault.

use super::target::Grid;
use crate::abi::{self, fault, grid};
use crate::dtype::Scalar;
use crate::ir::{Slot, Value};
use crate::lower::body::Body;
use crate::lower::text::{Text, ins, line};
use std::fmt::Write;

/// Bytes of a unit.
const UNIT: usize = 8;

impl Body<'_, Grid> {
    fn stacks(&self) -> Vec<usize> {
        let records = self.facts.records.iter().map(|s| usize::from(*s));
        let log = (!self.facts.logs.is_empty()).then_some(abi::UNDO);
        records.chain(log).collect()
    }

    /// In the head: where this thread's stacks are, and how much of them is in use.
    pub(super) fn open_stacks(&mut self) {
        let stacks = self.stacks();
        if stacks.is_empty() {
            return;
        }
        line!(self.head, "%row = mul nuw nsw i64 %step, {UNIT}");
        let mine = ins!(self.head, "mul nuw nsw i64 %first, {UNIT}");
        for k in stacks {
            let at = grid::STACKS + k * grid::STACK_SIZE;
            let field = |head: &mut Text, ty: &str, offset: usize| {
                let at = ins!(head, "getelementptr inbounds i8, ptr %launch, i64 {offset}");
                ins!(head, "load {ty}, ptr {at}, align 8")
            };
            let base = field(&mut self.head, "ptr", at);
            let room = field(&mut self.head, "i64", at + grid::STACK_ROOM);
            line!(
                self.head,
                "%stack{k} = getelementptr i8, ptr {base}, i64 {mine}"
            );
            line!(self.head, "%stack{k}.room = add i64 {room}, 0");
            line!(self.head, "%stack{k}.used = alloca i64");
            line!(self.head, "store i64 0, ptr %stack{k}.used");
        }
    }

    /// The address of a byte `offset` bytes behind unit `unit` of a stack.
    fn unit(&mut self, stack: usize, unit: &str, offset: usize) -> String {
        let unit = match offset / UNIT {
            0 => unit.to_string(),
            more => ins!(self.t, "add nuw nsw i64 {unit}, {more}"),
        };
        let bytes = ins!(self.t, "mul nuw nsw i64 {unit}, %row");
        let at = ins!(self.t, "getelementptr i8, ptr %stack{stack}, i64 {bytes}");
        match offset % UNIT {
            0 => at,
            rest => ins!(self.t, "getelementptr i8, ptr {at}, i64 {rest}"),
        }
    }

    /// Makes room on a stack and gives its first unit.
    fn push(&mut self, stack: usize, bytes: usize) -> String {
        let units = bytes / UNIT;
        let used = ins!(self.t, "load i64, ptr %stack{stack}.used");
        let next = ins!(self.t, "add nuw nsw i64 {used}, {units}");
        let full = ins!(self.t, "icmp sgt i64 {next}, %stack{stack}.room");
        let wanted = ins!(self.t, "mul i64 {next}, {UNIT}");
        let limit = ins!(self.t, "mul i64 %stack{stack}.room, {UNIT}");
        self.fail_if(&full, fault::RECORD_LIMIT, &wanted, &limit);
        line!(self.t, "store i64 {next}, ptr %stack{stack}.used");
        used
    }

    /// Takes the newest bytes off a stack and gives their first unit.
    fn pop(&mut self, stack: usize, bytes: usize) -> String {
        let used = ins!(self.t, "load i64, ptr %stack{stack}.used");
        let first = ins!(self.t, "sub nuw nsw i64 {used}, {}", bytes / UNIT);
        line!(self.t, "store i64 {first}, ptr %stack{stack}.used");
        first
    }

    /// Offsets of values packed one after the other, and the bytes of all, whole units.
    fn offsets_of(&self, values: &[Value]) -> (Vec<usize>, usize) {
        let (offsets, bytes) = abi::pack(values.iter().map(|v| self.ty(*v).size()));
        (offsets, bytes.next_multiple_of(UNIT))
    }

    /// `record`.
    pub(super) fn record(&mut self, slot: Slot, values: &[Value]) {
        let (offsets, bytes) = self.offsets_of(values);
        if bytes == 0 {
            return;
        }
        let stack = usize::from(slot.stack);
        let first = self.push(stack, bytes);
        for (v, offset) in values.iter().zip(offsets) {
            let to = self.unit(stack, &first, offset);
            let (ty, name) = (self.ty(*v), self.name(*v));
            self.t.store(ty, &name, &to, "");
        }
    }

    /// `replay`.
    pub(super) fn replay(&mut self, slot: Slot, outs: &[Value]) {
        let (offsets, bytes) = self.offsets_of(outs);
        if bytes == 0 {
            return;
        }
        let stack = usize::from(slot.stack);
        let first = self.pop(stack, bytes);
        for (out, offset) in outs.iter().zip(offsets) {
            let from = self.unit(stack, &first, offset);
            self.names[out.0 as usize] = self.t.load(self.facts.func.ty(*out), &from, "");
        }
    }

    /// Bytes of a log entry: address, content, and the content's size where that differs.
    fn entry_bytes(&self) -> usize {
        if self.facts.logs.len() > 1 { 24 } else { 16 }
    }

    /// Keeps what an address held in the undo log.
    pub(super) fn log(&mut self, ty: Scalar, at: &str, old: &str) {
        let bytes = self.entry_bytes();
        let first = self.push(abi::UNDO, bytes);
        let entry = self.unit(abi::UNDO, &first, 0);
        line!(self.t, "store ptr {at}, ptr {entry}, align 8");
        let content = self.unit(abi::UNDO, &first, 8);
        self.t.store(ty, old, &content, "");
        if bytes > 16 {
            let size = self.unit(abi::UNDO, &first, 16);
            line!(self.t, "store i64 {}, ptr {size}, align 8", ty.size());
        }
    }

    /// `mark`: the units in use.
    pub(super) fn mark(&mut self, out: Value) {
        self.names[out.0 as usize] = if self.facts.logs.is_empty() {
            "0".into()
        } else {
            ins!(self.t, "load i64, ptr %stack{}.used", abi::UNDO)
        };
    }

    /// `unwind`: writes back what the log holds beyond a mark, newest first.
    pub(super) fn unwind(&mut self, mark: Value) {
        if self.facts.logs.is_empty() {
            return;
        }
        let mark = self.name(mark);
        let [test, undo, done] = ["unwind", "undo", "end"].map(|l| self.t.new_label(l));
        line!(self.t, "br label %{test}");
        self.t.start(&test);
        let used = ins!(self.t, "load i64, ptr %stack{}.used", abi::UNDO);
        let more = ins!(self.t, "icmp sgt i64 {used}, {mark}");
        line!(self.t, "br i1 {more}, label %{undo}, label %{done}");
        self.t.start(&undo);
        let bytes = self.entry_bytes();
        let first = self.pop(abi::UNDO, bytes);
        let entry = self.unit(abi::UNDO, &first, 0);
        let at = ins!(self.t, "load ptr, ptr {entry}, align 8");
        let content = self.unit(abi::UNDO, &first, 8);
        let size = (bytes > 16).then(|| {
            let at = self.unit(abi::UNDO, &first, 16);
            ins!(self.t, "load i64, ptr {at}, align 8")
        });
        self.write_back(&at, &content, size.as_deref(), &test);
        self.t.start(&done);
    }
}
