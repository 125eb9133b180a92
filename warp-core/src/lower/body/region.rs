//! Structured control flow as basic blocks with phis.

use crate::dtype::Scalar;
use crate::ir::{Block, Value};
use crate::lower::analysis::work;
use crate::lower::body::{Body, Target};
use crate::lower::emit::arith;
use crate::lower::emit::lane::vector;
use crate::lower::emit::text::{ins, line, register};
use std::fmt::Write;

/// Where the phis of a loop go once its body is written.
pub(in crate::lower) struct Header {
    pub label: String,
    before: String,
    at: usize,
}

/// A phi of a loop: name, type, first value, next value.
pub(in crate::lower) type Phi = (String, String, String, String);

impl<'a, T: Target> Body<'a, T> {
    /// `if`: two blocks that meet.
    pub(in crate::lower) fn if_(
        &mut self,
        cond: Value,
        then: &'a Block,
        els: &'a Block,
        outs: &[Value],
    ) {
        let [yes, no, join] = ["then", "else", "join"].map(|l| self.t.new_label(l));
        let c = self.name(cond);
        line!(self.t, "br i1 {c}, label %{yes}, label %{no}");
        // Which results are one phi: the lanes of a vector, or one value.
        let mut groups: Option<Vec<Vec<usize>>> = None;
        let ends = [(yes, then, true), (no, els, false)].map(|(label, block, truth)| {
            self.t.start(&label);
            let mark = self.ranges.mark();
            self.ranges.assume(cond, truth);
            self.block(block);
            self.ranges.forget(mark);
            let groups = groups.get_or_insert_with(|| self.groups_of(&block.results));
            let names = groups.iter().map(|group| {
                let values: Vec<Value> = group.iter().map(|k| block.results[*k]).collect();
                self.pack(&values)
            });
            let names: Vec<String> = names.collect();
            line!(self.t, "br label %{join}");
            (names, self.t.label.clone())
        });
        self.t.start(&join);
        let [(a, from_a), (b, from_b)] = ends;
        for (k, group) in groups.unwrap_or_default().into_iter().enumerate() {
            let outs: Vec<Value> = group.into_iter().map(|k| outs[k]).collect();
            let v = vector(self.ty(outs[0]), outs.len());
            let (a, b) = (&a[k], &b[k]);
            let name = ins!(self.t, "phi {v} [ {a}, %{from_a} ], [ {b}, %{from_b} ]");
            self.unpack(&outs, name);
        }
    }

    /// Starts a loop's first block; its phis are put in by [`Body::close_header`].
    pub(in crate::lower) fn open_header(&mut self, what: &str) -> Header {
        let label = self.t.new_label(what);
        let before = self.t.label.clone();
        line!(self.t, "br label %{label}");
        self.t.start(&label);
        Header {
            label,
            before,
            at: self.t.code.len(),
        }
    }

    /// Jumps back to the header and writes its phis.
    pub(in crate::lower) fn close_header(&mut self, header: &Header, phis: &[Phi]) {
        line!(self.t, "br label %{}", header.label);
        self.write_phis(header, phis);
    }

    /// Writes the phis of a header to which this block jumps back.
    pub(in crate::lower) fn write_phis(&mut self, header: &Header, phis: &[Phi]) {
        let mut text = String::new();
        for (name, ty, first, next) in phis {
            let (before, latch) = (&header.before, &self.t.label);
            // Writing to a String cannot fail.
            let _ = writeln!(
                text,
                "  {name} = phi {ty} [ {first}, %{before} ], [ {next}, %{latch} ]"
            );
        }
        self.t.code.insert_str(header.at, &text);
    }

    /// Names carried values by phis to be written.
    pub(in crate::lower) fn carry(&mut self, params: &[Value]) -> Vec<String> {
        params
            .iter()
            .map(|p| {
                let name = self.t.fresh();
                self.names[p.0 as usize].clone_from(&name);
                name
            })
            .collect()
    }

    fn phis(&self, names: Vec<String>, init: &[Value], next: &[Value]) -> Vec<Phi> {
        let pairs = init.iter().zip(next);
        names
            .into_iter()
            .zip(pairs)
            .map(|(name, (first, next))| {
                let r = register(self.ty(*first));
                (name, r.to_string(), self.name(*first), self.name(*next))
            })
            .collect()
    }

    /// How to compare the variable of a `for` with its end, if the step is 1 or -1: it then is its own counter and cannot
    /// overflow, since it has not reached `stop`. Other steps may overshoot the type, so iterations are counted.
    pub(in crate::lower) fn counts_itself(&self, ty: Scalar, step: Value) -> Option<&'static str> {
        match self.ranges.constant(step) {
            Some(1) => Some(if ty.is_signed() { "slt" } else { "ult" }),
            Some(-1) if ty.is_signed() => Some("sgt"),
            _ => None,
        }
    }

    /// `for`; one that is not `brief` pays for each iteration.
    pub(in crate::lower) fn for_(
        &mut self,
        range: [Value; 3],
        init: &[Value],
        body: &'a Block,
        outs: &[Value],
        brief: bool,
    ) {
        let ty = self.ty(range[0]);
        let r = register(ty);
        let [start, stop, step] = range.map(|v| self.name(v));
        let single = self.counts_itself(ty, range[2]);
        let count = match single {
            Some(_) => String::new(),
            None => arith::iterations(&mut self.t, ty, [&start, &stop, &step]),
        };
        let header = self.open_header("for");
        let names = self.carry(&body.params);
        let iteration = self.t.fresh();
        let more = match single {
            Some(how) => ins!(self.t, "icmp {how} {r} {}, {stop}", names[0]),
            None => ins!(self.t, "icmp ult {r} {iteration}, {count}"),
        };
        let (inside, done) = (self.t.new_label("body"), self.t.new_label("end"));
        line!(self.t, "br i1 {more}, label %{inside}, label %{done}");
        self.t.start(&inside);
        self.block(body);
        self.fetch_all(&body.results);
        if !brief {
            T::spend(self, work::of_round(&[body], &self.facts.defs));
        }
        let flag = match (single, ty.is_signed()) {
            (None, _) => "",
            (_, true) => "nsw ",
            (_, false) => "nuw ",
        };
        let next = ins!(self.t, "add {flag}{r} {}, {step}", names[0]);
        let mut phis = vec![(names[0].clone(), r.to_string(), start, next)];
        if single.is_none() {
            let next = ins!(self.t, "add nuw {r} {iteration}, 1");
            phis.push((iteration, r.into(), "0".into(), next));
        }
        phis.extend(self.phis(names[1..].to_vec(), init, &body.results));
        self.close_header(&header, &phis);
        self.t.start(&done);
        for (out, name) in outs.iter().zip(&names[1..]) {
            self.names[out.0 as usize].clone_from(name);
        }
    }

    /// `while`: the condition's block is the loop's header.
    pub(in crate::lower) fn while_(
        &mut self,
        init: &[Value],
        cond: &'a Block,
        body: &'a Block,
        outs: &[Value],
    ) {
        let header = self.open_header("while");
        let names = self.carry(&cond.params);
        self.block(cond);
        let more = self.name(cond.results[0]);
        let (inside, done) = (self.t.new_label("body"), self.t.new_label("end"));
        line!(self.t, "br i1 {more}, label %{inside}, label %{done}");
        self.t.start(&inside);
        for (param, name) in body.params.iter().zip(&names) {
            self.names[param.0 as usize].clone_from(name);
        }
        let mark = self.ranges.mark();
        self.ranges.assume(cond.results[0], true);
        self.block(body);
        self.fetch_all(&body.results);
        self.ranges.forget(mark);
        T::spend(self, work::of_round(&[cond, body], &self.facts.defs));
        let phis = self.phis(names.clone(), init, &body.results);
        self.close_header(&header, &phis);
        self.t.start(&done);
        for (out, name) in outs.iter().zip(names) {
            self.names[out.0 as usize] = name;
        }
    }
}
