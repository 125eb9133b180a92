//! Recording and the undo log: stacks of each thread of the grid, which begin in room that the launch made and grow into memory
//! that all threads share.
//!
//! What a thread keeps in registers is where its stack begins, by how many bytes its units follow each other, how many it has
//! room for, and how many are in use. See [`grid`] for where they begin; behind the first growth they follow each other closely.
//! Functions that record get these in memory of the thread, and give them back there.

use super::target::Grid;
use crate::abi::{self, fault, grid};
use crate::dtype::Scalar;
use crate::ir::{Slot, Value};
use crate::lower::analysis::facts::KernelFacts;
use crate::lower::body::Body;
use crate::lower::body::call::STACKS;
use crate::lower::emit::text::{Text, ins, line};
use std::fmt::Write;

/// Bytes of a unit.
pub const UNIT: usize = 8;

/// What is known of a stack, with its type.
const PARTS: [(&str, &str); 4] = [
    ("base", "ptr addrspace(1)"),
    ("row", "i64"),
    ("room", "i64"),
    ("used", "i64"),
];

/// The address of a part of what is lent, of the stack at a place in the list of all.
fn lent(t: &mut Text, stack: usize, part: usize) -> String {
    let offset = (stack * PARTS.len() + part) * UNIT;
    ins!(t, "getelementptr inbounds i8, ptr {STACKS}, i64 {offset}")
}

/// Takes over what is lent.
fn take(t: &mut Text, stacks: &[usize]) {
    for (at, k) in stacks.iter().enumerate() {
        for (n, (what, ty)) in PARTS.into_iter().enumerate() {
            let from = lent(t, at, n);
            let value = ins!(t, "load {ty}, ptr {from}, align {UNIT}");
            line!(t, "store {ty} {value}, ptr %stack{k}.{what}");
        }
    }
}

/// Loads a field of the launch.
fn field(t: &mut Text, ty: &str, offset: usize) -> String {
    let at = ins!(t, "getelementptr inbounds i8, ptr %launch, i64 {offset}");
    ins!(t, "load {ty}, ptr {at}, align 8")
}

/// Offsets of values of these sizes packed one after the other, and the bytes of all, whole units.
pub fn packed(sizes: impl IntoIterator<Item = usize>) -> (Vec<usize>, usize) {
    let (offsets, bytes) = abi::pack(sizes);
    (offsets, bytes.next_multiple_of(UNIT))
}

/// Bytes of a log entry: address, content, and the content's size where that differs.
pub fn entry_bytes(facts: &KernelFacts<'_>) -> usize {
    if facts.logs.len() > 1 { 24 } else { 16 }
}

impl Body<'_, Grid> {
    fn stacks(&self) -> Vec<usize> {
        let records = self.facts.records.iter().map(|s| usize::from(*s));
        let log = (!self.facts.logs.is_empty()).then_some(abi::UNDO);
        records.chain(log).collect()
    }

    /// In the head: where this thread's stacks begin, with nothing on them.
    pub(super) fn open_stacks(&mut self) {
        let stacks = self.stacks();
        if stacks.is_empty() {
            return;
        }
        self.open_lent_stacks();
        let row = ins!(self.head, "mul nuw nsw i64 %step, {UNIT}");
        let mine = ins!(self.head, "mul nuw nsw i64 %first, {UNIT}");
        for k in stacks {
            let at = grid::STACKS + k * grid::STACK_SIZE;
            let all = field(&mut self.head, "ptr addrspace(1)", at);
            let room = field(&mut self.head, "i64", at + grid::STACK_ROOM);
            let base = ins!(
                self.head,
                "getelementptr i8, ptr addrspace(1) {all}, i64 {mine}"
            );
            let first = [base.as_str(), &row, &room, "0"];
            for ((what, ty), first) in PARTS.into_iter().zip(first) {
                line!(self.head, "%stack{k}.{what} = alloca {ty}");
                line!(self.head, "store {ty} {first}, ptr %stack{k}.{what}");
            }
        }
    }

    /// In the head: memory for what functions are to know of the stacks, if they record.
    fn open_lent_stacks(&mut self) {
        if self.facts.functions_record {
            let bytes = self.stacks().len() * PARTS.len() * UNIT;
            line!(self.head, "{STACKS} = alloca [{bytes} x i8], align {UNIT}");
        }
    }

    /// In the head of a function: what its caller lends.
    pub(super) fn enter_stacks(&mut self) {
        if !self.facts.functions_record {
            return;
        }
        let stacks = self.stacks();
        for k in &stacks {
            for (what, ty) in PARTS {
                line!(self.head, "%stack{k}.{what} = alloca {ty}");
            }
        }
        take(&mut self.head, &stacks);
    }

    /// Before a call, and where a function ends: others go on with the stacks.
    pub(super) fn lend_stacks(&mut self) {
        if !self.facts.functions_record {
            return;
        }
        for (at, k) in self.stacks().into_iter().enumerate() {
            for (n, (what, ty)) in PARTS.into_iter().enumerate() {
                let value = ins!(self.t, "load {ty}, ptr %stack{k}.{what}");
                let to = lent(&mut self.t, at, n);
                line!(self.t, "store {ty} {value}, ptr {to}, align {UNIT}");
            }
        }
    }

    /// Behind a call: where the stacks are now. They are as full as before.
    pub(super) fn take_stacks(&mut self) {
        if self.facts.functions_record {
            let stacks = self.stacks();
            take(&mut self.t, &stacks);
        }
    }

    /// The address of a byte `offset` bytes behind unit `unit` of a stack. That it lies in the device's memory shows in its type
    /// up to the last step, so that LLVM need not find out.
    fn unit(&mut self, stack: usize, unit: &str, offset: usize) -> String {
        let unit = match offset / UNIT {
            0 => unit.to_string(),
            more => ins!(self.t, "add nuw nsw i64 {unit}, {more}"),
        };
        let base = ins!(self.t, "load ptr addrspace(1), ptr %stack{stack}.base");
        let row = ins!(self.t, "load i64, ptr %stack{stack}.row");
        let bytes = ins!(self.t, "mul nuw nsw i64 {unit}, {row}");
        let at = ins!(
            self.t,
            "getelementptr i8, ptr addrspace(1) {base}, i64 {bytes}"
        );
        let at = match offset % UNIT {
            0 => at,
            rest => ins!(
                self.t,
                "getelementptr i8, ptr addrspace(1) {at}, i64 {rest}"
            ),
        };
        ins!(self.t, "addrspacecast ptr addrspace(1) {at} to ptr")
    }

    /// Makes room on a stack and gives its first unit.
    fn push(&mut self, stack: usize, bytes: usize) -> String {
        let units = bytes / UNIT;
        let [grow, fits] = ["grow", "fits"].map(|l| self.t.new_label(l));
        let used = ins!(self.t, "load i64, ptr %stack{stack}.used");
        let next = ins!(self.t, "add nuw nsw i64 {used}, {units}");
        let room = ins!(self.t, "load i64, ptr %stack{stack}.room");
        let full = ins!(self.t, "icmp sgt i64 {next}, {room}");
        line!(
            self.t,
            "br i1 {full}, label %{grow}, label %{fits}, !prof !6"
        );
        self.t.start(&grow);
        self.grow(stack, [&used, &room, &next]);
        line!(self.t, "br label %{fits}");
        self.t.start(&fits);
        line!(self.t, "store i64 {next}, ptr %stack{stack}.used");
        used
    }

    /// Moves a stack to where there is room for `next` units, or ends the thread.
    fn grow(&mut self, stack: usize, [used, room, next]: [&str; 3]) {
        self.t.helper("w.grow", GROW);
        let t = &mut self.t;
        let notes = field(t, "ptr addrspace(1)", grid::OVERFLOW);
        let spare = field(t, "ptr addrspace(1)", grid::SPARE);
        let size = field(t, "i64", grid::SPARE_SIZE);
        let base = ins!(t, "load ptr addrspace(1), ptr %stack{stack}.base");
        let row = ins!(t, "load i64, ptr %stack{stack}.row");
        let wanted = grid::WANTED + 8 * stack;
        let new = ins!(
            t,
            "call {{ ptr addrspace(1), i64 }} @w.grow(ptr addrspace(1) {notes}, i64 {wanted}, ptr addrspace(1) {spare}, \
             i64 {size}, ptr addrspace(1) {base}, i64 {row}, i64 {used}, i64 {room}, i64 {next})"
        );
        let base = ins!(t, "extractvalue {{ ptr addrspace(1), i64 }} {new}, 0");
        let room = ins!(t, "extractvalue {{ ptr addrspace(1), i64 }} {new}, 1");
        let none = ins!(t, "icmp eq ptr addrspace(1) {base}, null");
        self.fail_if(&none, fault::RECORD_LIMIT, &room, &size);
        line!(
            self.t,
            "store ptr addrspace(1) {base}, ptr %stack{stack}.base"
        );
        line!(self.t, "store i64 {UNIT}, ptr %stack{stack}.row");
        line!(self.t, "store i64 {room}, ptr %stack{stack}.room");
    }

    /// Takes the newest bytes off a stack and gives their first unit.
    fn pop(&mut self, stack: usize, bytes: usize) -> String {
        let used = ins!(self.t, "load i64, ptr %stack{stack}.used");
        let first = ins!(self.t, "sub nuw nsw i64 {used}, {}", bytes / UNIT);
        line!(self.t, "store i64 {first}, ptr %stack{stack}.used");
        first
    }

    /// Offsets of values packed one after the other, and the bytes of all.
    fn offsets_of(&self, values: &[Value]) -> (Vec<usize>, usize) {
        packed(values.iter().map(|v| self.ty(*v).size()))
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

    /// Keeps what an address held in the undo log.
    pub(super) fn log(&mut self, ty: Scalar, at: &str, old: &str) {
        let bytes = entry_bytes(self.facts);
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
        let bytes = entry_bytes(self.facts);
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

/// Takes a region for at least `next` units, and twice as many as there was room for, and moves there what is in use. Gives where
/// it begins and its room; null, and the bytes that threads asked for in all, where not so much is left. Out of line: it is
/// hardly ever called, from each place that pushes.
const GROW: &str = "\
define internal { ptr addrspace(1), i64 } @w.grow(ptr addrspace(1) %notes, i64 %counter, ptr addrspace(1) %spare, i64 %size, \
ptr addrspace(1) %base, i64 %row, i64 %used, i64 %room, i64 %next) nounwind noinline cold {
  %twice = shl i64 %room, 1
  %enough = icmp sge i64 %twice, %next
  %new = select i1 %enough, i64 %twice, i64 %next
  %wanted = getelementptr i8, ptr addrspace(1) %notes, i64 %counter
  %before = atomicrmw umax ptr addrspace(1) %wanted, i64 %new monotonic, align 8
  %bytes = shl i64 %new, 3
  %taken = atomicrmw add ptr addrspace(1) %notes, i64 %bytes monotonic, align 8
  %end = add i64 %taken, %bytes
  %none = icmp ugt i64 %end, %size
  br i1 %none, label %full, label %there
full:
  %lack = insertvalue { ptr addrspace(1), i64 } { ptr addrspace(1) null, i64 undef }, i64 %end, 1
  ret { ptr addrspace(1), i64 } %lack
there:
  %to = getelementptr i8, ptr addrspace(1) %spare, i64 %taken
  br label %test
test:
  %unit = phi i64 [ 0, %there ], [ %following, %move ]
  %more = icmp slt i64 %unit, %used
  br i1 %more, label %move, label %moved
move:
  %behind = mul i64 %unit, %row
  %old = getelementptr i8, ptr addrspace(1) %base, i64 %behind
  %content = load i64, ptr addrspace(1) %old, align 8
  %place = getelementptr i64, ptr addrspace(1) %to, i64 %unit
  store i64 %content, ptr addrspace(1) %place, align 8
  %following = add i64 %unit, 1
  br label %test
moved:
  %at = insertvalue { ptr addrspace(1), i64 } undef, ptr addrspace(1) %to, 0
  %both = insertvalue { ptr addrspace(1), i64 } %at, i64 %new, 1
  ret { ptr addrspace(1), i64 } %both
}
";
