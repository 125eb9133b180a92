//! Lanes that access memory anywhere: two numbers that lie beside each other are read as one of twice the size.
//!
//! A gather costs as much as a load for each lane, on many processors more, so that half of the loads will do.

use super::access::Access;
use super::group::{Group, spelled};
use super::neighbours::{distance, needed, neighbour};
use crate::dtype::Scalar;
use crate::ir::{Kind, Place, Stmt};
use crate::lower::report::Costly;
use crate::lower::text::{ins, line, memory, register};
use std::fmt::Write;

/// How two numbers are known to lie side by side.
pub(super) enum Beside {
    /// They do.
    Always,
    /// In lanes for which this does not hold.
    Unless(String),
}

/// Which of two numbers side by side comes first in memory.
#[derive(Clone, Copy)]
pub(super) enum Order {
    /// The first statement's.
    Kept,
    /// The second one's.
    Turned,
}

impl Order {
    /// What belongs to the statements, as it lies in memory.
    pub(super) fn of<T>(self, [one, two]: [T; 2]) -> [T; 2] {
        match self {
            Order::Kept => [one, two],
            Order::Turned => [two, one],
        }
    }
}

impl<'a> Group<'a> {
    /// Does what the first statement says together with what a later one does to a neighbour, if there is one. Whether the first is
    /// done.
    pub(super) fn pair(&mut self, stmts: &'a [Stmt]) -> bool {
        let known = (self.body.facts, self.shapes, &self.body.ranges);
        let is_done = |kind: &Kind| self.early.contains(&kind.key());
        let Some(at) = neighbour(known, stmts, is_done) else {
            return false;
        };
        let (one, two) = (&stmts[0].kind, &stmts[at].kind);
        let Some(before) = needed(two, &stmts[1..at]) else {
            return false;
        };
        self.settle();
        match one {
            Kind::Load { .. } => self.read_two(one, two, &before),
            _ => self.add_two(one, two, &before),
        }
        true
    }

    /// Does what a later statement needs.
    pub(super) fn prepare(&mut self, before: &[&'a Stmt]) {
        for stmt in before {
            if let Kind::Let { out, op, args } = &stmt.kind
                && self.early.insert(stmt.kind.key())
            {
                self.let_(*out, *op, args);
            }
        }
    }

    /// Reads two numbers, or one if the other had better wait.
    fn read_two(&mut self, first: &'a Kind, second: &'a Kind, before: &[&'a Stmt]) {
        let (
            Kind::Load { out: one, place },
            Kind::Load {
                out: two,
                place: other,
            },
        ) = (first, second)
        else {
            unreachable!("both are loads");
        };
        let ty = self.body.ty(*one);
        let from = self.access(place);
        if matches!(&from, Access::Row(_, bytes) if *bytes == ty.size() as i64) {
            return self.read_into(*one, &from);
        }
        self.prepare(before);
        let to = self.access(other);
        self.early.insert(second.key());
        let Some((order, beside)) = self.beside(place, other) else {
            self.read_into(*one, &from);
            return self.read_into(*two, &to);
        };
        self.note(Costly::Gather);
        let [lower, higher] = order.of([&from, &to]);
        let read = match beside {
            Beside::Always => self.read_pairs(ty, lower),
            Beside::Unless(apart) => self.read_pairs_unless(ty, &apart, [lower, higher]),
        };
        for (out, raw) in order.of([*one, *two]).into_iter().zip(read) {
            self.vectors[out.0 as usize] = self.wide(|g| g.body.t.unpack(ty, raw));
        }
    }

    /// Which of two places, whose text says that they lie side by side, comes first, and whether they do: an index below zero counts
    /// from the end, so that -1 and 0 are far from each other.
    pub(super) fn beside(&mut self, one: &Place, two: &Place) -> Option<(Order, Beside)> {
        let order = match distance(self.body.facts, &self.body.ranges, one, two) {
            Some(1) => Order::Kept,
            _ => Order::Turned,
        };
        let [lower, higher] = order.of([one, two]);
        if lower.comp != higher.comp {
            return Some((order, Beside::Always));
        }
        if !self.body.variant.is_dense() {
            return None;
        }
        let dim = lower.index.len() - 1;
        let [a, b] = [lower, higher].map(|place| place.index[dim]);
        if [a, b].iter().all(|v| self.body.ranges.of(*v).lo >= 0) {
            return Some((order, Beside::Always));
        }
        let position = |v| {
            self.body
                .ranges
                .position(lower.array, dim, v)
                .map(String::from)
        };
        let (a, b, ty) = (position(a)?, position(b)?, self.body.ty(a));
        let v = self.vector_type(ty);
        let next = ins!(self.body.t, "add {v} {a}, splat ({} 1)", register(ty));
        let apart = ins!(self.body.t, "icmp ne {v} {next}, {b}");
        Some((order, Beside::Unless(apart)))
    }

    /// What memory holds at places and right after each, where that is what is asked for in all lanes that run. Else both
    /// are read by themselves.
    fn read_pairs_unless(&mut self, ty: Scalar, apart: &str, ends: [&Access; 2]) -> [String; 2] {
        let [far, near, join] = ["far", "near", "join"].map(|l| self.body.t.new_label(l));
        let some = self.any(apart);
        line!(
            self.body.t,
            "br i1 {some}, label %{far}, label %{near}, !prof !6"
        );
        self.body.t.start(&far);
        let single = ends.map(|access| self.read(ty, access));
        let far_end = self.body.t.label.clone();
        line!(self.body.t, "br label %{join}");
        self.body.t.start(&near);
        let pairs = self.read_pairs(ty, ends[0]);
        let near_end = self.body.t.label.clone();
        line!(self.body.t, "br label %{join}");
        self.body.t.start(&join);
        let v = format!("<{} x {}>", self.width, memory(ty));
        [0, 1].map(|k| {
            let (single, pair) = (&single[k], &pairs[k]);
            ins!(
                self.body.t,
                "phi {v} [ {single}, %{far_end} ], [ {pair}, %{near_end} ]"
            )
        })
    }

    /// What memory holds at places and right after each. Lanes that do not run read zeros.
    fn read_pairs(&mut self, ty: Scalar, lower: &Access) -> [String; 2] {
        let (lanes, size, mem) = (self.width, ty.size(), memory(ty));
        let wide = format!("<{} x {mem}>", 2 * lanes);
        let both = match size {
            // No gather takes 128 bits, and no vector holds such integers.
            8 => {
                let each = self.each_address(ty, lower);
                self.joined(mem, &each)
            }
            _ => {
                // No gather takes 16 bits.
                let both = match size > 1 && self.body.options.gathers {
                    true => self.gathered(ty, lower),
                    false => {
                        let each = self.each_address(ty, lower);
                        self.inserted(2 * size * 8, size, &each)
                    }
                };
                let v = format!("<{lanes} x i{}>", 2 * size * 8);
                ins!(self.body.t, "bitcast {v} {both} to {wide}")
            }
        };
        [0, 1].map(|k| {
            let places = spelled(lanes, "i32", |lane| 2 * lane as i64 + k);
            ins!(
                self.body.t,
                "shufflevector {wide} {both}, {wide} poison, <{lanes} x i32> {places}"
            )
        })
    }

    /// Integers of twice a size, by the processor's gather.
    fn gathered(&mut self, ty: Scalar, lower: &Access) -> String {
        let (lanes, size, all) = (self.width, ty.size(), self.addresses(ty, lower));
        let (bits, mask) = (self.vector_type(Scalar::Bool), self.running());
        let int = format!("i{}", 2 * size * 8);
        let v = format!("<{lanes} x {int}>");
        ins!(
            self.body.t,
            "call {v} @llvm.masked.gather.v{lanes}{int}.v{lanes}p0(<{lanes} x ptr> {all}, i32 {size}, {bits} {mask}, {v} zeroinitializer)"
        )
    }

    /// The address of each lane; of one that does not run, that of zeros.
    fn each_address(&mut self, ty: Scalar, access: &Access) -> Vec<String> {
        if let (None, Access::Offset(at, (unit, Scalar::I32, by))) = (&self.mask, access) {
            let each = self.taken_apart("i32", by);
            let place = |by: String| {
                let by = ins!(self.body.t, "sext i32 {by} to i64");
                ins!(self.body.t, "getelementptr {unit}, ptr {at}, i64 {by}")
            };
            return each.into_iter().map(place).collect();
        }
        let (lanes, mut all) = (self.width, self.addresses(ty, access));
        if let Some(mask) = self.mask.clone() {
            let (none, v) = (self.nowhere(), format!("<{lanes} x ptr>"));
            let one = ins!(self.body.t, "insertelement {v} poison, ptr {none}, i64 0");
            let none = ins!(
                self.body.t,
                "shufflevector {v} {one}, {v} poison, <{lanes} x i32> zeroinitializer"
            );
            all = ins!(
                self.body.t,
                "select <{lanes} x i1> {mask}, {v} {all}, {v} {none}"
            );
        }
        self.taken_apart("ptr", &all)
    }

    /// The numbers of a vector, by way of memory: taking them out of a register costs more than reading them back.
    fn taken_apart(&mut self, ty: &str, vector: &str) -> Vec<String> {
        let lanes = self.width;
        let to = self.body.once(format!("%each.{ty}"), |body, name| {
            line!(body.head, "{name} = alloca [{lanes} x {ty}], align 64");
        });
        // LLVM would undo what is not volatile.
        line!(
            self.body.t,
            "store volatile <{lanes} x {ty}> {vector}, ptr {to}, align 64"
        );
        let one = |lane| {
            let from = ins!(
                self.body.t,
                "getelementptr inbounds {ty}, ptr {to}, i64 {lane}"
            );
            ins!(self.body.t, "load volatile {ty}, ptr {from}")
        };
        (0..lanes).map(one).collect()
    }

    /// A vector of integers, each from its own address.
    fn inserted(&mut self, bits: usize, align: usize, each: &[String]) -> String {
        let v = format!("<{} x i{bits}>", each.len());
        let mut all = "poison".to_string();
        for (lane, at) in each.iter().enumerate() {
            let one = ins!(self.body.t, "load i{bits}, ptr {at}, align {align}");
            all = ins!(
                self.body.t,
                "insertelement {v} {all}, i{bits} {one}, i64 {lane}"
            );
        }
        all
    }

    /// A vector of pairs of numbers of 64 bits, each from its own address.
    fn joined(&mut self, mem: &str, each: &[String]) -> String {
        let load = |at| ins!(self.body.t, "load <2 x {mem}>, ptr {at}, align 8");
        let mut parts: Vec<String> = each.iter().map(load).collect();
        let mut size = 2;
        while parts.len() > 1 {
            let places = (0..2 * size)
                .map(|k| format!("i32 {k}"))
                .collect::<Vec<_>>()
                .join(", ");
            let v = format!("<{size} x {mem}>");
            let join = |pair: &[String]| {
                let (a, b) = (&pair[0], &pair[1]);
                ins!(
                    self.body.t,
                    "shufflevector {v} {a}, {v} {b}, <{} x i32> <{places}>",
                    2 * size
                )
            };
            parts = parts.chunks(2).map(join).collect();
            size *= 2;
        }
        parts.remove(0)
    }

    /// Memory that lanes read which do not run.
    fn nowhere(&mut self) -> String {
        self.body.once("%nowhere".into(), |body, name| {
            line!(body.head, "{name} = alloca [16 x i8], align 16");
            line!(
                body.head,
                "store [16 x i8] zeroinitializer, ptr {name}, align 16"
            );
        })
    }
}
