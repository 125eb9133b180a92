//! Lanes that add anywhere, to two numbers of a copy that lie beside each other: both are added at once.

use crate::dtype::Scalar;
use crate::ir::{AtomicOp, Kind, Op, Stmt, Value};
use crate::lower::emit::arith::{self, Known};
use crate::lower::emit::text::{ins, line, memory};
use crate::lower::host::lanes::control::serial::Whose;
use crate::lower::host::lanes::group::Group;
use crate::lower::host::lanes::memory::access::Access;
use crate::lower::host::lanes::memory::pairs::Beside;
use crate::lower::report::Costly;
use std::fmt::Write;

impl<'a> Group<'a> {
    /// What two statements add to numbers side by side. Where memory is everybody's, and where the numbers do not lie so after all,
    /// each is added by itself.
    pub(in crate::lower::host::lanes) fn add_two(
        &mut self,
        first: &'a Kind,
        second: &'a Kind,
        before: &[&'a Stmt],
    ) {
        let (
            Kind::Atomic {
                place, value: one, ..
            },
            Kind::Atomic {
                place: other,
                value: two,
                ..
            },
        ) = (first, second)
        else {
            unreachable!("both are atomic operations");
        };
        let ty = self.body.ty(*one);
        let from = self.access(place);
        self.prepare(before);
        let to = self.access(other);
        self.early.insert(second.key());
        let each = [(*one, &from), (*two, &to)];
        let shared = self.body.unless_copied(place.array);
        let (Some(mut single), Some((order, beside))) = (shared, self.beside(place, other)) else {
            for (value, access) in each {
                self.anywhere(ty, AtomicOp::Add, value, (place, access), None);
            }
            return;
        };
        if let Beside::Unless(apart) = beside {
            let apart = self.any(&apart);
            single = ins!(self.body.t, "or i1 {single}, {apart}");
        }
        let [alone, both, join] = ["alone", "both", "join"].map(|l| self.body.t.new_label(l));
        line!(self.body.t, "br i1 {single}, label %{alone}, label %{both}");
        self.body.t.start(&alone);
        for (value, access) in each {
            self.one_by_one(ty, AtomicOp::Add, value, access, None, Whose::Shared);
        }
        line!(self.body.t, "br label %{join}");
        self.body.t.start(&both);
        let [lower, _] = order.of([&from, &to]);
        self.two_by_two(ty, order.of([*one, *two]), lower);
        line!(self.body.t, "br label %{join}");
        self.body.t.start(&join);
    }

    /// Adds two numbers for each lane that runs, in order.
    fn two_by_two(&mut self, ty: Scalar, values: [Value; 2], lower: &Access) {
        self.note(Costly::Serial);
        let (lanes, size, mem) = (self.width, ty.size(), memory(ty));
        let [low, high] = values.map(|v| self.vector(v));
        let places = (0..2 * lanes).map(|k| format!("i32 {}", k / 2 + lanes * (k % 2)));
        let places = places.collect::<Vec<_>>().join(", ");
        let both = ins!(
            self.body.t,
            "shufflevector <{lanes} x {mem}> {low}, <{lanes} x {mem}> {high}, <{} x i32> <{places}>",
            2 * lanes
        );
        let pair = format!("<2 x {mem}>");
        let values = self.lane_memory(&pair);
        line!(
            self.body.t,
            "store <{} x {mem}> {both}, ptr {values}, align 64",
            2 * lanes
        );
        let to = self.spill_addresses(ty, lower);
        self.each_lane(|g, lane| {
            let value = ins!(
                g.body.t,
                "getelementptr inbounds {pair}, ptr {values}, i64 {lane}"
            );
            let value = ins!(g.body.t, "load {pair}, ptr {value}, align {}", 2 * size);
            let at = g.fetch_address(&to, lane);
            let old = ins!(g.body.t, "load {pair}, ptr {at}, align {size}");
            g.body.t.width = 2;
            let new = arith::named(
                &mut g.body.t,
                Op::Add,
                ty,
                &[old, value],
                Known::nothing(ty),
            );
            g.body.t.width = 1;
            line!(g.body.t, "store {pair} {new}, ptr {at}, align {size}");
        });
    }
}
