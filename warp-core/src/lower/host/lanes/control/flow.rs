//! Conditions: a jump where all lanes agree, a mask where they may not.

use crate::ir::{Block, Kind, Op, Value};
use crate::lower::analysis::work;
use crate::lower::emit::text::{ins, line, register};
use crate::lower::host::lanes::gang::GangBody;
use std::fmt::Write;

/// Both sides of a condition that only compute, and no more than this, run without a jump.
const SHORT: u64 = 16;

impl<'a> GangBody<'a> {
    /// `if`.
    pub(in crate::lower::host::lanes) fn if_(&mut self, kind: &'a Kind) {
        let Kind::If {
            cond,
            then,
            els,
            outs,
        } = kind
        else {
            unreachable!("asked for a condition");
        };
        let (cond, sides) = (*cond, [then, els]);
        if !self.is_uniform(cond) {
            let swapped = self.shapes.order.is_swapped(kind);
            return self.split(cond, sides, outs, swapped);
        }
        match self.body.name(cond).as_str() {
            "true" => self.take(sides[0], outs),
            "false" => self.take(sides[1], outs),
            _ => self.jump(cond, sides, outs),
        }
    }

    /// The side that is known to run.
    fn take(&mut self, side: &'a Block, outs: &[Value]) {
        self.block(side);
        for (out, result) in outs.iter().zip(&side.results) {
            if self.has_scalar(*out) {
                self.body.names[out.0 as usize] = self.body.name(*result);
            } else {
                self.vectors[out.0 as usize] = self.vector(*result);
            }
        }
    }

    /// The name of a result, in the form that `out` has.
    fn as_of(&mut self, out: Value, result: Value) -> (String, String) {
        let ty = self.body.ty(out);
        if self.has_scalar(out) {
            (register(ty).into(), self.body.name(result))
        } else {
            (self.vector_type(ty), self.vector(result))
        }
    }

    fn set(&mut self, out: Value, name: String) {
        if self.has_scalar(out) {
            self.body.names[out.0 as usize] = name;
        } else {
            self.vectors[out.0 as usize] = name;
        }
    }

    /// All lanes go the same way.
    fn jump(&mut self, cond: Value, sides: [&'a Block; 2], outs: &[Value]) {
        let [yes, no, join] = ["then", "else", "join"].map(|l| self.body.t.new_label(l));
        let c = self.body.name(cond);
        line!(self.body.t, "br i1 {c}, label %{yes}, label %{no}");
        let [yes, no] = [(yes, sides[0], true), (no, sides[1], false)];
        let ends = [yes, no].map(|(label, side, truth)| {
            self.body.t.start(&label);
            let mark = self.body.ranges.mark();
            self.body.ranges.assume(cond, truth);
            self.block(side);
            self.body.ranges.forget(mark);
            let pairs = outs.iter().zip(&side.results);
            let names: Vec<_> = pairs
                .map(|(out, result)| self.as_of(*out, *result))
                .collect();
            line!(self.body.t, "br label %{join}");
            (names, self.body.t.label.clone())
        });
        self.body.t.start(&join);
        let [(a, from_a), (b, from_b)] = ends;
        for (k, out) in outs.iter().enumerate() {
            let ((ty, a), (_, b)) = (&a[k], &b[k]);
            let name = ins!(
                self.body.t,
                "phi {ty} [ {a}, %{from_a} ], [ {b}, %{from_b} ]"
            );
            self.set(*out, name);
        }
    }

    /// Lanes may go different ways: each side runs if any lane takes it, the second one first if they are swapped.
    fn split(&mut self, cond: Value, sides: [&'a Block; 2], outs: &[Value], swapped: bool) {
        let c = self.vector(cond);
        let not = self.not(&c);
        let short = sides.iter().all(|side| self.is_short(side));
        let mut all = [(c, sides[0], true), (not, sides[1], false)];
        if swapped {
            all.reverse();
        }
        let mut ends = all.map(|(truth, side, holds)| {
            let mask = self.and(&truth);
            let mark = self.body.ranges.mark();
            self.body.ranges.assume(cond, holds);
            let names = self.among(mask.clone(), |g| g.side(side, outs, short));
            self.body.ranges.forget(mark);
            (mask, names)
        });
        if swapped {
            ends.reverse();
        }
        let [(mask, then), (_, els)] = ends;
        for (k, out) in outs.iter().enumerate() {
            let ty = self.body.ty(*out);
            self.vectors[out.0 as usize] = self.choose(ty, &mask, &then[k], &els[k]);
        }
    }

    /// One side for the lanes that run; its results as vectors.
    fn side(&mut self, side: &'a Block, outs: &[Value], short: bool) -> Vec<String> {
        if short || side.stmts.is_empty() {
            self.block(side);
            return side.results.iter().map(|v| self.vector(*v)).collect();
        }
        let [some, join] = ["some", "join"].map(|l| self.body.t.new_label(l));
        let mask = self.running();
        let any = self.wide(|g| g.body.t.any(&mask));
        let before = self.body.t.label.clone();
        line!(self.body.t, "br i1 {any}, label %{some}, label %{join}");
        self.body.t.start(&some);
        self.block(side);
        let names: Vec<String> = side.results.iter().map(|v| self.vector(*v)).collect();
        let from = self.body.t.label.clone();
        line!(self.body.t, "br label %{join}");
        self.body.t.start(&join);
        let pairs = outs.iter().zip(names);
        pairs
            .map(|(out, name)| {
                let v = self.vector_type(self.body.ty(*out));
                // No lane takes what comes from where none ran.
                ins!(
                    self.body.t,
                    "phi {v} [ {name}, %{from} ], [ zeroinitializer, %{before} ]"
                )
            })
            .collect()
    }

    /// Whether a block only computes, and little. A division that is checked may fail, so that it waits for a lane that runs.
    fn is_short(&self, block: &Block) -> bool {
        let checks = self.body.options.check_division;
        let pure = |kind: &Kind| match kind {
            Kind::Let { op, .. } => !checks || !matches!(op, Op::Div | Op::FloorDiv | Op::Mod),
            _ => false,
        };
        block.stmts.iter().all(|stmt| pure(&stmt.kind))
            && work::of_block(block, &self.body.facts.defs) <= SHORT
    }
}
