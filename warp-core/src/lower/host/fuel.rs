//! How loops let a launch be stopped: they pay for their work with fuel, and ask whether to go on when it is used up.
//!
//! The fuel is a number in the context ([`crate::abi::Ctx::fuel`]), kept in a register while the kernel runs, so that
//! all threads of a call pay from one purse however their loops nest. A loop pays on its way back; an innermost loop that
//! counts pays for many iterations at once, so that it stays as LLVM's vectoriser wants it.

use super::target::Host;
use crate::abi::{ctx, runtime};
use crate::lower::body::Body;
use crate::lower::emit::strip::Strip;
use crate::lower::emit::text::{ins, line};
use std::fmt::Write;

/// An iteration costs at most two to this power, so that fresh fuel always suffices for one.
const MOST_WORK: u32 = ctx::FUEL.ilog2();

impl Body<'_, Host<'_>> {
    /// In the head: the fuel as a variable.
    pub(super) fn open_fuel(&mut self) {
        if !self.facts.long_loops {
            return;
        }
        let at = ctx::FUEL_LEFT;
        line!(
            self.head,
            "%fuel.in = getelementptr inbounds i8, ptr %ctx, i64 {at}"
        );
        line!(self.head, "%fuel = alloca i64");
        let left = ins!(self.head, "load i64, ptr %fuel.in, align 8");
        line!(self.head, "store i64 {left}, ptr %fuel");
    }

    /// Where the body ends: what is left. A body that bails out leaves what there was.
    pub(super) fn close_fuel(&mut self) {
        if self.facts.long_loops {
            let left = ins!(self.t, "load i64, ptr %fuel");
            line!(self.t, "store i64 {left}, ptr %fuel.in, align 8");
        }
    }

    /// Another function has paid from the purse.
    pub(super) fn reopen_fuel(&mut self) {
        if self.facts.long_loops {
            let left = ins!(self.t, "load i64, ptr %fuel.in, align 8");
            line!(self.t, "store i64 {left}, ptr %fuel");
        }
    }

    /// Asks whether to go on, in the block `label`; goes on in a block of its own. Gives the new fuel.
    fn refuel(&mut self, label: &str) -> String {
        self.t.start(label);
        let (refuel, preserving) = (runtime::REFUEL, runtime::PRESERVING);
        line!(self.t, "call void @{refuel}(ptr %ctx) {preserving}");
        let fresh = ins!(self.t, "load i64, ptr %fuel.in, align 8");
        let none = ins!(self.t, "icmp eq i64 {fresh}, 0");
        let go = self.t.new_label("refuelled");
        line!(self.t, "br i1 {none}, label %bail, label %{go}");
        self.bails = true;
        self.t.start(&go);
        fresh
    }

    /// Pays for work that a loop has done.
    pub(super) fn spend(&mut self, work: u64) {
        let work = work.min(1 << MOST_WORK);
        let fuel = ins!(self.t, "load i64, ptr %fuel");
        let left = ins!(self.t, "sub nsw i64 {fuel}, {work}");
        let lacks = ins!(self.t, "icmp slt i64 {left}, 0");
        let before = self.t.label.clone();
        let [lack, paid] = ["lack", "paid"].map(|l| self.t.new_label(l));
        line!(
            self.t,
            "br i1 {lacks}, label %{lack}, label %{paid}, !prof !6"
        );
        let fresh = self.refuel(&lack);
        let after = self.t.label.clone();
        line!(self.t, "br label %{paid}");
        self.t.start(&paid);
        let left = ins!(
            self.t,
            "phi i64 [ {left}, %{before} ], [ {fresh}, %{after} ]"
        );
        line!(self.t, "store i64 {left}, ptr %fuel");
    }

    /// Pays for as many iterations of a strip as there is fuel for, at least one; where they end.
    pub(super) fn ration(&mut self, strip: &Strip<'_>, work: u64) -> String {
        let r = strip.register;
        let (high, low) = strip.high_low();
        let mut iterations = ins!(self.t, "sub {r} {high}, {low}");
        if r == "i64" {
            // More than fuel suffices for, and less than what overflows as a price.
            iterations = ins!(
                self.t,
                "call i64 @llvm.umin.i64(i64 {iterations}, i64 4294967296)"
            );
        } else {
            iterations = ins!(self.t, "zext {r} {iterations} to i64");
        }
        // A power of two, so that nothing divides.
        let shift = work.max(1).next_power_of_two().ilog2().min(MOST_WORK);
        let fuel = ins!(self.t, "load i64, ptr %fuel");
        let price = ins!(self.t, "shl nuw nsw i64 {iterations}, {shift}");
        let left = ins!(self.t, "sub nsw i64 {fuel}, {price}");
        let lacks = ins!(self.t, "icmp slt i64 {left}, 0");
        let before = self.t.label.clone();
        let [lack, paid] = ["lack", "paid"].map(|l| self.t.new_label(l));
        line!(
            self.t,
            "br i1 {lacks}, label %{lack}, label %{paid}, !prof !6"
        );
        let fresh = self.refuel(&lack);
        let room = ins!(self.t, "lshr i64 {fresh}, {shift}");
        let some = ins!(
            self.t,
            "call i64 @llvm.umin.i64(i64 {iterations}, i64 {room})"
        );
        let price = ins!(self.t, "shl nuw nsw i64 {some}, {shift}");
        let rest = ins!(self.t, "sub nsw i64 {fresh}, {price}");
        let end = strip.after(&mut self.t, &some);
        let after = self.t.label.clone();
        line!(self.t, "br label %{paid}");
        self.t.start(&paid);
        let to = strip.to;
        let end = ins!(self.t, "phi {r} [ {to}, %{before} ], [ {end}, %{after} ]");
        let left = ins!(
            self.t,
            "phi i64 [ {left}, %{before} ], [ {rest}, %{after} ]"
        );
        line!(self.t, "store i64 {left}, ptr %fuel");
        end
    }
}
