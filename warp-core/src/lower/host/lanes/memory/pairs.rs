//! Lanes that access memory anywhere: two numbers that lie beside each other are read as one of twice the size.
//!
//! A gather costs as much as a load for each lane, on many processors more, so that half of the loads will do.

use crate::dtype::Scalar;
use crate::ir::{Kind, Place, Stmt};
use crate::lower::emit::text::{ins, line, memory, register};
use crate::lower::host::lanes::analysis::neighbours::{distance, needed, neighbour};
use crate::lower::host::lanes::gang::{GangBody, spelled};
use crate::lower::host::lanes::memory::access::Access;
use crate::lower::report::Costly;
use std::fmt::Write;

/// Bytes of the largest registers.
pub(in crate::lower::host::lanes) const REGISTER: usize = 64;

/// How two numbers are known to lie side by side.
pub(in crate::lower::host::lanes) enum Beside {
    /// They do.
    Always,
    /// In lanes for which this does not hold.
    Unless(String),
}

/// Which of two numbers side by side comes first in memory.
#[derive(Clone, Copy)]
pub(in crate::lower::host::lanes) enum Order {
    /// The first statement's.
    Kept,
    /// The second one's.
    Turned,
}

impl Order {
    /// What belongs to the statements, as it lies in memory.
    pub(in crate::lower::host::lanes) fn of<T>(self, [one, two]: [T; 2]) -> [T; 2] {
        match self {
            Order::Kept => [one, two],
            Order::Turned => [two, one],
        }
    }
}

impl<'a> GangBody<'a> {
    /// Does what the first statement says together with what a later one does to a neighbour, if there is one. Whether the first is
    /// done.
    pub(in crate::lower::host::lanes) fn pair(&mut self, stmts: &'a [Stmt]) -> bool {
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
            _ => self.add_several(stmts, at, &before),
        }
        true
    }

    /// Does what a later statement needs.
    pub(in crate::lower::host::lanes) fn prepare(&mut self, before: &[&'a Stmt]) {
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
    pub(in crate::lower::host::lanes) fn beside(
        &mut self,
        one: &Place,
        two: &Place,
    ) -> Option<(Order, Beside)> {
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
        let shared = [a, b].map(|v| self.is_uniform(v));
        let (a, b, ty) = (position(a)?, position(b)?, self.body.ty(a));
        let v = match shared {
            // One number for all lanes, of 64 bits.
            [true, true] => {
                let next = ins!(self.body.t, "add i64 {a}, 1");
                let apart = ins!(self.body.t, "icmp ne i64 {next}, {b}");
                return Some((order, Beside::Unless(self.splat(Scalar::Bool, &apart))));
            }
            [false, false] => self.vector_type(ty),
            _ => return None,
        };
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
        let (Access::Strided(at, stride), None) = (lower, &self.mask) else {
            return self.read_pairs_anywhere(ty, lower);
        };
        // Rows of an array with two columns: the pairs follow each other.
        let [dense, apart, join] = ["dense", "apart", "join"].map(|l| self.body.t.new_label(l));
        let follow = ins!(self.body.t, "icmp eq i64 {stride}, {}", 2 * ty.size());
        line!(
            self.body.t,
            "br i1 {follow}, label %{dense}, label %{apart}"
        );
        self.body.t.start(&dense);
        let mem = memory(ty);
        let v = format!("<{} x {mem}>", 2 * self.width);
        let all = ins!(self.body.t, "load {v}, ptr {at}, align {}", ty.size());
        let rows =
            [0, 1].map(|k| self.every_second(self.width, mem, std::slice::from_ref(&all), k));
        line!(self.body.t, "br label %{join}");
        self.body.t.start(&apart);
        let anywhere = self.read_pairs_anywhere(ty, lower);
        let end = self.body.t.label.clone();
        line!(self.body.t, "br label %{join}");
        self.body.t.start(&join);
        let v = format!("<{} x {mem}>", self.width);
        [0, 1].map(|k| {
            let (row, other) = (&rows[k], &anywhere[k]);
            ins!(
                self.body.t,
                "phi {v} [ {row}, %{dense} ], [ {other}, %{end} ]"
            )
        })
    }

    fn read_pairs_anywhere(&mut self, ty: Scalar, lower: &Access) -> [String; 2] {
        let (size, mem) = (ty.size(), memory(ty));
        // No gather takes 16 or 128 bits.
        let gathers = self.body.options.gathers && matches!(size, 2 | 4);
        let mut parts = match gathers {
            true => self.gathered(ty, lower),
            false => self.read_each(ty, lower),
        };
        let pairs = self.width / parts.len();
        if size < 8 {
            let ints = format!("<{pairs} x i{}>", 16 * size);
            for all in &mut parts {
                *all = ins!(
                    self.body.t,
                    "bitcast {ints} {all} to <{} x {mem}>",
                    2 * pairs
                );
            }
        }
        // Two registers of pairs are one of first and one of second numbers.
        [0, 1].map(|k| {
            let half = |two: &[String]| self.every_second(pairs, mem, two, k);
            let halves = parts.chunks(2).map(half).collect();
            self.joined(mem, pairs * parts.len().min(2), halves)
        })
    }

    /// The first or the second numbers of one or two vectors of pairs.
    fn every_second(&mut self, pairs: usize, mem: &str, two: &[String], k: i64) -> String {
        let (a, b) = (&two[0], two.get(1).map_or("poison", String::as_str));
        let (v, many) = (format!("<{} x {mem}>", 2 * pairs), two.len() * pairs);
        let places = spelled(many, "i32", |lane| 2 * lane as i64 + k);
        ins!(
            self.body.t,
            "shufflevector {v} {a}, {v} {b}, <{many} x i32> {places}"
        )
    }

    /// Integers of twice a size, by the processor's gather, in parts of a register.
    fn gathered(&mut self, ty: Scalar, lower: &Access) -> Vec<String> {
        let (lanes, size, all) = (self.width, ty.size(), self.addresses(ty, lower));
        let (bits, mask) = (self.vector_type(Scalar::Bool), self.running());
        let int = format!("i{}", 2 * size * 8);
        let v = format!("<{lanes} x {int}>");
        let both = ins!(
            self.body.t,
            "call {v} @llvm.masked.gather.v{lanes}{int}.v{lanes}p0(<{lanes} x ptr> {all}, i32 {size}, {bits} {mask}, {v} zeroinitializer)"
        );
        let part = (REGISTER / (2 * size)).min(lanes);
        let cut = |first| {
            let places = spelled(part, "i32", |lane| (first + lane) as i64);
            ins!(
                self.body.t,
                "shufflevector {v} {both}, {v} poison, <{part} x i32> {places}"
            )
        };
        (0..lanes).step_by(part).map(cut).collect()
    }

    /// One vector of several of one size.
    pub(in crate::lower::host::lanes) fn joined(
        &mut self,
        mem: &str,
        mut size: usize,
        mut parts: Vec<String>,
    ) -> String {
        while parts.len() > 1 {
            let places = spelled(2 * size, "i32", |lane| lane as i64);
            let v = format!("<{size} x {mem}>");
            let join = |pair: &[String]| {
                let (a, b) = (&pair[0], &pair[1]);
                ins!(
                    self.body.t,
                    "shufflevector {v} {a}, {v} {b}, <{} x i32> {places}",
                    2 * size
                )
            };
            parts = parts.chunks(2).map(join).collect();
            size *= 2;
        }
        parts.remove(0)
    }
}
