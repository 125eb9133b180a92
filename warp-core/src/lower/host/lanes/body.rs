//! The function of a body that runs gangs, and its loops over rows and gangs.

use super::gang::GangBody;
use crate::dtype::Scalar;
use crate::ir::Block;
use crate::lower::emit::text::{Text, ins, line};
use crate::lower::host::threads::{BEHIND, FIRST, NEXT};
use crate::lower::report::Costly;
use crate::span::Span;
use std::fmt::Write;

/// The threads of a gang, where a launch may say their order.
pub(super) const ORDERED: &str = "%tid0.lanes";

impl<'a> GangBody<'a> {
    /// Writes the body: a function `(ctx, args, begin, end)` like the scalar one. Threads that fill no gang are left to the
    /// function `epilogue`, unless lanes are masked. Besides what costs time in it.
    pub fn function(
        mut self,
        name: &str,
        epilogue: Option<&str>,
        block: &'a Block,
    ) -> (Text, Vec<(Costly, Span)>) {
        let b = &mut self.body;
        b.open_slots();
        b.open_copies();
        b.open_stacks();
        b.open_fuel();
        b.open_lanes(self.width);
        let dims = b.facts.dims;
        b.t.start("start");
        let any = ins!(b.t, "icmp slt i64 %begin, %end");
        line!(b.t, "br i1 {any}, label %first, label %done");
        b.t.start("first");
        let (mut lo, mut hi) = ("%begin".to_string(), "%end".to_string());
        let row = (dims > 1).then(|| b.open_row());
        if let Some(row) = &row {
            (lo, hi) = (row.lo.clone(), row.hi.clone());
        }
        let exit = if row.is_some() { "row.next" } else { "done" };
        let subranges = b.open_subranges(&lo, &hi);
        let mut behind = exit;
        if subranges.is_some() {
            (lo, hi, behind) = (FIRST.into(), BEHIND.into(), NEXT);
        }
        let mut middle = hi.clone();
        let left = if self.masked { behind } else { "left" };
        if !self.masked {
            let count = ins!(b.t, "sub nsw i64 {hi}, {lo}");
            let whole = ins!(b.t, "and i64 {count}, {}", -(self.width as i64));
            middle = ins!(b.t, "add nsw i64 {lo}, {whole}");
        }
        let some = ins!(b.t, "icmp slt i64 {lo}, {middle}");
        let before = b.t.label.clone();
        line!(b.t, "br i1 {some}, label %gang, label %{left}");
        b.t.start("gang");
        let last = dims - 1;
        let at = match b.target.ordered {
            true => "%tid.at".to_string(),
            false => format!("%tid{last}.wide"),
        };
        line!(
            b.t,
            "{at} = phi i64 [ {lo}, %{before} ], [ %tid.next, %latch ]"
        );
        let ordered = b.target.ordered;
        if !ordered {
            line!(b.t, "%tid{last} = trunc nuw nsw i64 {at} to i32");
        }
        b.grow();
        if self.masked {
            self.mask_row(&at, &hi);
        }
        if ordered {
            self.ordered_threads();
        }
        self.block(block);
        let b = &mut self.body;
        line!(b.t, "br label %latch");
        b.t.start("latch");
        line!(b.t, "%tid.next = add nuw nsw i64 {at}, {}", self.width);
        let more = ins!(b.t, "icmp slt i64 %tid.next, {middle}");
        line!(
            b.t,
            "br i1 {more}, label %gang, label %{left}, !llvm.loop !8"
        );
        if !self.masked {
            b.t.start("left");
            let some = ins!(b.t, "icmp slt i64 {middle}, {hi}");
            line!(b.t, "br i1 {some}, label %epilogue, label %{behind}");
            b.t.start("epilogue");
            // Launches of several dimensions have masks.
            b.hand_over(epilogue.expect("a body for them"), [&middle, &hi], behind);
        }
        if let Some(subranges) = subranges {
            b.close_subranges(&subranges, row.as_ref(), exit);
        }
        if let Some(row) = &row {
            b.close_row(row);
        }
        let notes = std::mem::take(&mut self.notes);
        (self.close(name), notes)
    }

    /// The threads that run in the places of a gang in the order that the launch says, if it says one.
    fn ordered_threads(&mut self) {
        let order = self.body.order();
        let (v, lanes) = (self.vector_type(Scalar::I32), self.width);
        let bits = self.vector_type(Scalar::Bool);
        let mask = self.running();
        let steps = self.steps(Scalar::I32, 1);
        let t = &mut self.body.t;
        line!(
            t,
            "br i1 {}, label %gang.own, label %gang.ordered",
            order.is_own
        );
        t.start("gang.own");
        let first = ins!(t, "trunc nuw nsw i64 %tid.at to i32");
        let first = t.splat(Scalar::I32, lanes, &first);
        line!(t, "%tid.own = add {v} {first}, {steps}");
        line!(t, "br label %gang.go");
        t.start("gang.ordered");
        let place = ins!(
            t,
            "getelementptr inbounds i32, ptr {}, i64 %tid.at",
            order.places
        );
        line!(
            t,
            "%tid.ordered = call {v} @llvm.masked.load.v{lanes}i32.p0(ptr {place}, i32 4, {bits} {mask}, {v} zeroinitializer)"
        );
        line!(t, "br label %gang.go");
        t.start("gang.go");
        line!(
            t,
            "{ORDERED} = phi {v} [ %tid.own, %gang.own ], [ %tid.ordered, %gang.ordered ]"
        );
        // That of the first lane stands for a gang where functions are called.
        line!(t, "%tid0 = extractelement {v} {ORDERED}, i64 0");
        line!(t, "%tid0.wide = zext nneg i32 %tid0 to i64");
    }

    /// The lanes of a row's gang that are within the row.
    fn mask_row(&mut self, at: &str, hi: &str) {
        let left = ins!(self.body.t, "sub nsw i64 {hi}, {at}");
        let lanes = self.width;
        let left = ins!(
            self.body.t,
            "call i64 @llvm.smin.i64(i64 {left}, i64 {lanes})"
        );
        let left = ins!(self.body.t, "trunc nuw nsw i64 {left} to i32");
        let left = self.splat(Scalar::I32, &left);
        let steps = self.steps(Scalar::I32, 1);
        let within = ins!(self.body.t, "icmp slt <{lanes} x i32> {steps}, {left}");
        self.row = Some(within.clone());
        self.mask = Some(within);
        self.body.partial = true;
    }

    fn close(mut self, name: &str) -> Text {
        self.body.t.start("done");
        let mut b = self.body;
        b.close_lanes(self.width);
        b.flush_slots();
        b.close_stacks(false);
        b.close_fuel();
        line!(b.t, "ret void");
        b.close_faults();
        if b.bails {
            b.t.start("bail");
            b.close_stacks(true);
            line!(b.t, "ret void");
        }
        b.assemble(name, false)
    }
}
