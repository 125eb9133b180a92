//! Recording and the undo log.
//!
//! The stacks live in [`crate::abi::Ctx`]; their ends are kept in registers while the kernel runs and
//! written back where the runtime looks at them.

use super::target::Host;
use crate::abi::{self, ctx, runtime};
use crate::dtype::Scalar;
use crate::ir::{STACKS, Slot, Value};
use crate::lower::body::Body;
use crate::lower::emit::text::{ins, line};
use std::fmt::Write;

/// A stack, by its number in the context.
#[derive(Clone, Copy)]
pub(super) struct Stack {
    arena: usize,
}

impl Stack {
    /// The recording stack of a slot.
    pub(super) const fn of(slot: Slot) -> Stack {
        Stack {
            arena: slot.stack as usize,
        }
    }
}

const UNDO: Stack = Stack { arena: abi::UNDO };

// What the verifier lets pass has its place in the context.
const _: () = assert!(STACKS as usize == abi::UNDO);

impl std::fmt::Display for Stack {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.arena {
            abi::UNDO => f.write_str("log"),
            0 => f.write_str("rec"),
            arena => write!(f, "rec{arena}"),
        }
    }
}

impl Body<'_, Host<'_>> {
    fn stacks(&self) -> Vec<Stack> {
        let mut used: Vec<Stack> = self
            .facts
            .records
            .iter()
            .map(|s| Stack { arena: *s as usize })
            .collect();
        if !self.facts.logs.is_empty() {
            used.push(UNDO);
        }
        used
    }

    /// In the head: the stacks' ends as variables.
    pub(super) fn open_stacks(&mut self) {
        for stack in self.stacks() {
            let at = ctx::STACKS + stack.arena * ctx::STACK_SIZE;
            for (what, offset) in [
                ("cur", ctx::STACK_CUR),
                ("end", ctx::STACK_END),
                ("base", ctx::STACK_BASE),
            ] {
                let offset = at + offset;
                line!(self.head, "%{stack}.{what} = alloca ptr");
                line!(
                    self.head,
                    "%{stack}.{what}.in = getelementptr inbounds i8, ptr %ctx, i64 {offset}"
                );
                let value = ins!(self.head, "load ptr, ptr %{stack}.{what}.in");
                line!(self.head, "store ptr {value}, ptr %{stack}.{what}");
            }
        }
    }

    /// Another function has used the stacks.
    pub(super) fn reopen_stacks(&mut self) {
        for stack in self.stacks() {
            for what in ["cur", "end", "base"] {
                let value = ins!(self.t, "load ptr, ptr %{stack}.{what}.in");
                line!(self.t, "store ptr {value}, ptr %{stack}.{what}");
            }
        }
    }

    /// Where the body ends: tells the runtime how full the stacks are. A thread pops what it pushed; one
    /// that failed does not, and its launch ends with empty stacks.
    pub(super) fn close_stacks(&mut self, failed: bool) {
        let what = if failed { "base" } else { "cur" };
        for stack in self.stacks() {
            let name = stack;
            let end = ins!(self.t, "load ptr, ptr %{name}.{what}");
            line!(self.t, "store ptr {end}, ptr %{name}.cur.in");
        }
    }

    /// Makes room on a stack and gives its address; leaves the kernel if there is none.
    pub(super) fn push(&mut self, stack: Stack, bytes: usize) -> String {
        let name = stack;
        let [grow, grown, fits] = ["grow", "grown", "fits"].map(|l| self.t.new_label(l));
        let cur = ins!(self.t, "load ptr, ptr %{name}.cur");
        let end = ins!(self.t, "load ptr, ptr %{name}.end");
        let from = ins!(self.t, "ptrtoint ptr {cur} to i64");
        let to = ins!(self.t, "ptrtoint ptr {end} to i64");
        let room = ins!(self.t, "sub i64 {to}, {from}");
        let full = ins!(self.t, "icmp ult i64 {room}, {bytes}");
        let before = self.t.label.clone();
        line!(
            self.t,
            "br i1 {full}, label %{grow}, label %{fits}, !prof !6"
        );
        self.t.start(&grow);
        line!(self.t, "store ptr {cur}, ptr %{name}.cur.in");
        let (call, arena) = (runtime::RECORD_GROW, stack.arena);
        line!(
            self.t,
            "call void @{call}(ptr %ctx, i32 {arena}, i64 {bytes}) {}",
            runtime::PRESERVING
        );
        let new = ins!(self.t, "load ptr, ptr %{name}.cur.in");
        let none = ins!(self.t, "icmp eq ptr {new}, null");
        line!(self.t, "br i1 {none}, label %bail, label %{grown}");
        self.bails = true;
        self.t.start(&grown);
        for what in ["end", "base"] {
            let value = ins!(self.t, "load ptr, ptr %{name}.{what}.in");
            line!(self.t, "store ptr {value}, ptr %{name}.{what}");
        }
        line!(self.t, "br label %{fits}");
        self.t.start(&fits);
        let at = ins!(self.t, "phi ptr [ {cur}, %{before} ], [ {new}, %{grown} ]");
        let next = ins!(self.t, "getelementptr i8, ptr {at}, i64 {bytes}");
        line!(self.t, "store ptr {next}, ptr %{name}.cur");
        at
    }

    /// Takes the newest bytes off a stack and gives their address.
    pub(super) fn pop(&mut self, stack: Stack, bytes: usize) -> String {
        let name = stack;
        let cur = ins!(self.t, "load ptr, ptr %{name}.cur");
        let at = ins!(self.t, "getelementptr i8, ptr {cur}, i64 -{bytes}");
        line!(self.t, "store ptr {at}, ptr %{name}.cur");
        at
    }

    /// Offsets of values packed one after the other, wide ones first come as they are, and the
    /// bytes of all, a multiple of 8.
    fn offsets_of(&self, values: &[Value]) -> (Vec<usize>, usize) {
        let (offsets, bytes) = abi::pack(values.iter().map(|v| self.ty(*v).size()));
        (offsets, bytes.next_multiple_of(8))
    }

    /// `record`.
    pub(super) fn record(&mut self, slot: Slot, values: &[Value]) {
        let (offsets, bytes) = self.offsets_of(values);
        if bytes == 0 {
            return;
        }
        let at = self.push(Stack::of(slot), bytes);
        for (v, offset) in values.iter().zip(offsets) {
            let to = ins!(self.t, "getelementptr i8, ptr {at}, i64 {offset}");
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
        let at = self.pop(Stack::of(slot), bytes);
        for (out, offset) in outs.iter().zip(offsets) {
            let from = ins!(self.t, "getelementptr i8, ptr {at}, i64 {offset}");
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
        let entry = self.push(UNDO, bytes);
        line!(self.t, "store ptr {at}, ptr {entry}, align 8");
        let content = ins!(self.t, "getelementptr i8, ptr {entry}, i64 8");
        self.t.store(ty, old, &content, "");
        if bytes > 16 {
            let size = ins!(self.t, "getelementptr i8, ptr {entry}, i64 16");
            line!(self.t, "store i64 {}, ptr {size}, align 8", ty.size());
        }
    }

    /// The length of the log in bytes. Measured from its base, since the first growth moves it.
    fn log_length(&mut self) -> String {
        let cur = ins!(self.t, "load ptr, ptr %log.cur");
        let base = ins!(self.t, "load ptr, ptr %log.base");
        let to = ins!(self.t, "ptrtoint ptr {cur} to i64");
        let from = ins!(self.t, "ptrtoint ptr {base} to i64");
        ins!(self.t, "sub i64 {to}, {from}")
    }

    /// `mark`.
    pub(super) fn mark(&mut self, out: Value) {
        self.names[out.0 as usize] = if self.facts.logs.is_empty() {
            "0".into()
        } else {
            self.log_length()
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
        let length = self.log_length();
        let more = ins!(self.t, "icmp ugt i64 {length}, {mark}");
        line!(self.t, "br i1 {more}, label %{undo}, label %{done}");
        self.t.start(&undo);
        let bytes = self.entry_bytes();
        let entry = self.pop(UNDO, bytes);
        let at = ins!(self.t, "load ptr, ptr {entry}, align 8");
        let content = ins!(self.t, "getelementptr i8, ptr {entry}, i64 8");
        let size = (bytes > 16).then(|| {
            let at = ins!(self.t, "getelementptr i8, ptr {entry}, i64 16");
            ins!(self.t, "load i64, ptr {at}, align 8")
        });
        self.write_back(&at, &content, size.as_deref(), &test);
        self.t.start(&done);
    }
}
