//! The loop over the threads of a call, row by row along the last dimension.

use super::fission::{FissionedLoop, STRIP};
use super::target::Host;
use crate::abi;
use crate::ir::Value;
use crate::lower::analysis::defs::Def;
use crate::lower::body::Body;
use crate::lower::emit::text::{Text, ins, line, memory};
use std::fmt::Write;

/// The first thread of a subrange, along the last dimension.
pub(super) const FIRST: &str = "%first.tid.wide";
/// The one behind its last.
pub(super) const BEHIND: &str = "%behind";
/// The block that goes on with the next one.
pub(super) const NEXT: &str = "subrange.next";

impl<'a> Body<'a, Host<'a>> {
    /// Writes a fissioned loop of the body: a function `(ctx, args, begin, end)` that runs the threads whose linear
    /// index over the dimensions that the kernel tells apart is in `begin..end`. If it is a `part`, a further argument
    /// is where values wait.
    pub(super) fn function(
        mut self,
        name: &str,
        fissioned: &'a FissionedLoop<'a>,
        part: bool,
    ) -> Text {
        self.open_slots();
        let lanes = self.width_of_gang();
        if let Some(width) = lanes {
            self.open_lanes(width);
        }
        self.open_stacks();
        self.open_fuel();
        self.open_overlap();
        self.open_copies();
        let dims = self.facts.dims;
        self.t.start("start");
        let any = ins!(self.t, "icmp slt i64 %begin, %end");
        line!(self.t, "br i1 {any}, label %first, label %done");
        self.t.start("first");
        // One row is a run along the last dimension, so that the inner loop counts without division.
        let (mut lo, mut hi) = ("%begin".to_string(), "%end".to_string());
        let row = (dims > 1).then(|| self.open_row());
        if let Some(row) = &row {
            (lo, hi) = (row.lo.clone(), row.hi.clone());
        }
        let exit = if row.is_some() { "row.next" } else { "done" };
        let subranges = self.open_subranges(&lo, &hi);
        let mut behind = exit;
        if subranges.is_some() {
            (lo, hi, behind) = (FIRST.into(), BEHIND.into(), NEXT);
        }
        let (end, left) = self.start_gangs([&lo, &hi], behind);
        let before = self.t.label.clone();
        line!(self.t, "br label %thread");
        self.t.start("thread");
        let last = dims - 1;
        let at = match self.target.ordered {
            true => "%tid.at".to_string(),
            false => format!("%tid{last}.wide"),
        };
        line!(
            self.t,
            "{at} = phi i64 [ {lo}, %{before} ], [ %tid.next, %latch ]"
        );
        match self.target.ordered {
            true => self.ordered_thread(),
            false => line!(self.t, "%tid{last} = trunc nuw nsw i64 {at} to i32"),
        }
        self.grow();
        self.start_slots();
        self.start_lane(&at, &lo);
        self.take(fissioned, row.as_ref());
        self.stmts(fissioned.stmts);
        self.settle(None);
        self.leave(fissioned);
        match self.target.gang {
            Some(_) => self.end_lane(),
            None => self.end_slots(),
        }
        line!(self.t, "br label %latch");
        self.t.start("latch");
        line!(self.t, "%tid.next = add nuw nsw i64 {at}, 1");
        let more = ins!(self.t, "icmp slt i64 %tid.next, {end}");
        // Beside gangs few threads are left for this loop.
        let notes = match self.target.gangs {
            true => "!8",
            false => self.target.vector.loop_notes(self.variant),
        };
        line!(
            self.t,
            "br i1 {more}, label %thread, label %{left}, !llvm.loop {notes}"
        );
        self.end_gangs([&end, &hi], behind);
        if let Some(subranges) = subranges {
            self.close_subranges(&subranges, row.as_ref(), exit);
        }
        if let Some(row) = row {
            self.close_row(&row);
        }
        self.t.start("done");
        if let Some(width) = lanes {
            self.close_lanes(width);
        }
        self.flush_slots();
        self.close_stacks(false);
        self.close_fuel();
        line!(self.t, "ret void");
        self.close_faults();
        if self.bails {
            self.t.start("bail");
            self.close_stacks(true);
            line!(self.t, "ret void");
        }
        self.assemble(name, part)
    }

    /// The thread that runs in a place of the order that the launch says, if it says one.
    fn ordered_thread(&mut self) {
        let Order { places, is_own } = self.order();
        line!(self.t, "%tid.own = trunc nuw nsw i64 %tid.at to i32");
        line!(
            self.t,
            "br i1 {is_own}, label %thread.go, label %thread.ordered"
        );
        self.t.start("thread.ordered");
        let place = ins!(
            self.t,
            "getelementptr inbounds i32, ptr {places}, i64 %tid.at"
        );
        line!(self.t, "%tid.ordered = load i32, ptr {place}, align 4");
        line!(self.t, "br label %thread.go");
        self.t.start("thread.go");
        line!(
            self.t,
            "%tid0 = phi i32 [ %tid.own, %thread ], [ %tid.ordered, %thread.ordered ]"
        );
        line!(self.t, "%tid0.wide = zext nneg i32 %tid0 to i64");
    }

    /// The order that the launch says.
    pub(super) fn order(&mut self) -> Order {
        let at = ins!(
            self.head,
            "getelementptr inbounds i8, ptr %ctx, i64 {}",
            abi::ctx::ORDER
        );
        let places = ins!(self.head, "load ptr, ptr {at}, align 8");
        let is_own = ins!(self.head, "icmp eq ptr {places}, null");
        Order { places, is_own }
    }

    /// Whether a thread may leave the loop: where an index is checked in it, or the like.
    pub(super) fn jumps(mut self, fissioned: &'a FissionedLoop<'a>) -> bool {
        self.t.start("start");
        self.assume_interior();
        self.stmts(fissioned.stmts);
        self.settle(None);
        self.bails
    }

    /// Where a thread starts: what waits for the fissioned loop.
    fn take(&mut self, fissioned: &'a FissionedLoop<'a>, row: Option<&Row>) {
        if !fissioned.ins.is_empty() || !fissioned.outs.is_empty() {
            let last = self.facts.dims - 1;
            let done = match row {
                Some(row) => {
                    let before = ins!(self.t, "sub nsw i64 %row.at, %begin");
                    ins!(self.t, "sub nsw i64 {}, {before}", row.lo)
                }
                None => "%begin".into(),
            };
            line!(self.t, "%mine = sub nsw i64 %tid{last}.wide, {done}");
        }
        for value in &fissioned.again {
            if let Def::Let(op, args) = self.facts.defs[value.0 as usize] {
                self.let_(*value, op, args);
            }
        }
        for (value, at) in &fissioned.ins {
            let (ty, from) = (self.ty(*value), self.waiting(*value, *at));
            self.names[value.0 as usize] = self.t.load(ty, &from, self.notes);
        }
    }

    /// Where a thread ends: what waits for later fissioned loops.
    fn leave(&mut self, fissioned: &FissionedLoop<'_>) {
        for (value, at) in &fissioned.outs {
            self.fetch(*value);
            let (ty, name, to) = (
                self.ty(*value),
                self.name(*value),
                self.waiting(*value, *at),
            );
            self.t.store(ty, &name, &to, self.notes);
        }
    }

    /// Where a value of this thread waits.
    fn waiting(&mut self, value: Value, at: usize) -> String {
        let row = ins!(
            self.t,
            "getelementptr inbounds i8, ptr %waiting, i64 {}",
            at * STRIP
        );
        let ty = memory(self.ty(value));
        ins!(self.t, "getelementptr inbounds {ty}, ptr {row}, i64 %mine")
    }

    /// Puts head and body together.
    pub(super) fn assemble(self, name: &str, part: bool) -> Text {
        let registers = match self.target.vector.dense {
            true => " \"prefer-vector-width\"=\"512\"",
            false => "",
        };
        let waiting = if part { ", ptr noalias %waiting" } else { "" };
        // LLVM aligns what it saves of vectors only where it knows before it chooses registers that it may have to; on stacks
        // that begin anywhere they would cross lines of the cache in three processes of four, and take twice the time.
        let stack = " \"stackrealign\"";
        // A whole line of the cache, so that where loops begin in theirs does not depend on what stands before the body.
        let line = " align 64";
        let mut whole = self.t;
        let code = std::mem::take(&mut whole.code);
        let _ = writeln!(
            whole.code,
            "define internal void @{name}(ptr noalias %ctx, ptr noalias readonly %args, i64 %begin, \
             i64 %end{waiting}) nounwind noinline{registers}{stack}{line} {{\nentry:"
        );
        whole.code += &self.head.code;
        line!(whole, "br label %start");
        whole.code += &code;
        whole.code += "}\n";
        whole
    }

    /// Starts the loop over rows: outer thread indices are counted up like the digits of a clock.
    pub(super) fn open_row(&mut self) -> Row {
        let dims = self.facts.dims;
        let size: Vec<String> = (0..dims).map(|d| self.dim(d)).collect();
        let mut rest = "%begin".to_string();
        let mut first = vec![String::new(); dims];
        for d in (1..dims).rev() {
            first[d] = ins!(self.t, "urem i64 {rest}, {}", size[d]);
            rest = ins!(self.t, "udiv i64 {rest}, {}", size[d]);
        }
        first[0] = rest;
        let before = self.t.label.clone();
        line!(self.t, "br label %row");
        self.t.start("row");
        line!(
            self.t,
            "%row.at = phi i64 [ %begin, %{before} ], [ %row.at.next, %row.next ]"
        );
        let last = dims - 1;
        line!(
            self.t,
            "%row.lo = phi i64 [ {}, %{before} ], [ 0, %row.next ]",
            first[last]
        );
        for (d, first) in first.iter().enumerate().take(last) {
            line!(
                self.t,
                "%tid{d}.wide = phi i64 [ {first}, %{before} ], [ %tid{d}.next, %row.next ]"
            );
        }
        for d in 0..last {
            line!(self.t, "%tid{d} = trunc nuw nsw i64 %tid{d}.wide to i32");
        }
        let left = ins!(self.t, "sub nuw nsw i64 %end, %row.at");
        let room = ins!(self.t, "sub nuw nsw i64 {}, %row.lo", size[last]);
        let count = ins!(self.t, "call i64 @llvm.smin.i64(i64 {left}, i64 {room})");
        let hi = ins!(self.t, "add nuw nsw i64 %row.lo, {count}");
        Row {
            size,
            lo: "%row.lo".into(),
            hi,
            count,
        }
    }

    pub(super) fn close_row(&mut self, row: &Row) {
        let last = self.facts.dims - 1;
        self.t.start("row.next");
        line!(
            self.t,
            "%row.at.next = add nuw nsw i64 %row.at, {}",
            row.count
        );
        // The innermost of the outer dimensions moves on with every row.
        let mut carry = "true".to_string();
        for d in (0..last).rev() {
            let step = ins!(self.t, "zext i1 {carry} to i64");
            let next = ins!(self.t, "add nuw nsw i64 %tid{d}.wide, {step}");
            if d == 0 {
                line!(self.t, "%tid0.next = add nuw nsw i64 {next}, 0");
            } else {
                carry = ins!(self.t, "icmp eq i64 {next}, {}", row.size[d]);
                line!(
                    self.t,
                    "%tid{d}.next = select i1 {carry}, i64 0, i64 {next}"
                );
            }
        }
        let more = ins!(self.t, "icmp slt i64 %row.at.next, %end");
        line!(self.t, "br i1 {more}, label %row, label %done");
    }
}

/// The order in which threads run.
pub(super) struct Order {
    /// Where the thread of each place stands.
    pub places: String,
    /// Whether they run in their own order, and there are no such places.
    pub is_own: String,
}

/// The bounds of one row.
pub(super) struct Row {
    size: Vec<String>,
    /// The first thread, along the last dimension.
    pub lo: String,
    /// Behind the last one.
    pub hi: String,
    count: String,
}
