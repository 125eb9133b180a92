//! Innermost `for` loops that may run for long: a loop over strips of iterations, so that the loop over the iterations of one strip
//! is as LLVM's vectoriser wants it, and still the launch can be stopped in between.

use crate::ir::{Block, Value};
use crate::lower::analysis::work;
use crate::lower::body::region::Phi;
use crate::lower::body::{Body, Target};
use crate::lower::emit::arith;
use crate::lower::emit::strip::Strip;
use crate::lower::emit::text::{ins, line, register};
use std::fmt::Write;

impl<'a, T: Target> Body<'a, T> {
    /// `for` whose body has no loops, in strips. What counts is the variable itself or, see [`Body::counts_itself`], the
    /// number of the iteration.
    pub(in crate::lower) fn for_in_strips(
        &mut self,
        range: [Value; 3],
        init: &[Value],
        body: &'a Block,
        outs: &[Value],
    ) {
        let ty = self.ty(range[0]);
        let r = register(ty);
        let [start, stop, step] = range.map(|v| self.name(v));
        let single = self.counts_itself(ty, range[2]);
        let (from, to) = match single {
            Some(_) => (start.clone(), stop),
            None => {
                let count = arith::iterations(&mut self.t, ty, [&start, &stop, &step]);
                ("0".to_string(), count)
            }
        };
        let down = single == Some("sgt");
        let less = single.unwrap_or("ult");
        let some = ins!(self.t, "icmp {less} {r} {from}, {to}");
        let before = self.t.label.clone();
        let [enter, stripped, end] = ["enter", "stripped", "end"].map(|l| self.t.new_label(l));
        line!(self.t, "br i1 {some}, label %{enter}, label %{end}");
        self.t.start(&enter);

        let strips = self.open_header("strip");
        let at = self.t.fresh();
        let variable = single.is_none().then(|| self.t.fresh());
        let carried: Vec<String> = init.iter().map(|_| self.t.fresh()).collect();
        let strip = Strip {
            register: r,
            at: &at,
            to: &to,
            down,
        };
        let work = work::of_round(&[body], &self.facts.defs);
        let strip_end = T::ration(self, &strip, work);

        let iterations = self.open_header("for");
        let names = self.carry(&body.params);
        let iteration = single.is_none().then(|| self.t.fresh());
        self.block(body);
        self.fetch_all(&body.results);
        let flag = match (single, ty.is_signed()) {
            (None, _) => "",
            (_, true) => "nsw ",
            (_, false) => "nuw ",
        };
        let next = ins!(self.t, "add {flag}{r} {}, {step}", names[0]);
        let counted = match &iteration {
            Some(iteration) => ins!(self.t, "add nuw {r} {iteration}, 1"),
            None => next.clone(),
        };
        let again = ins!(self.t, "icmp ne {r} {counted}, {strip_end}");
        let label = &iterations.label;
        line!(self.t, "br i1 {again}, label %{label}, label %{stripped}");
        let results: Vec<String> = body.results.iter().map(|v| self.name(*v)).collect();
        let types: Vec<_> = init.iter().map(|v| register(self.ty(*v))).collect();
        let mut phis: Vec<Phi> = Vec::new();
        match (&variable, &iteration) {
            (Some(variable), Some(iteration)) => {
                phis.push((names[0].clone(), r.into(), variable.clone(), next.clone()));
                phis.push((iteration.clone(), r.into(), at.clone(), counted.clone()));
            }
            _ => phis.push((names[0].clone(), r.into(), at.clone(), next.clone())),
        }
        for (k, ty) in types.iter().enumerate() {
            phis.push((
                names[k + 1].clone(),
                (*ty).into(),
                carried[k].clone(),
                results[k].clone(),
            ));
        }
        self.write_phis(&iterations, &phis);

        self.t.start(&stripped);
        let more = ins!(self.t, "icmp ne {r} {strip_end}, {to}");
        line!(
            self.t,
            "br i1 {more}, label %{}, label %{end}",
            strips.label
        );
        let mut phis: Vec<Phi> = vec![(at, r.into(), from, counted)];
        phis.extend(variable.map(|name| (name, r.into(), start, next)));
        for (k, ty) in types.iter().enumerate() {
            let first = self.name(init[k]);
            phis.push((carried[k].clone(), (*ty).into(), first, results[k].clone()));
        }
        self.write_phis(&strips, &phis);

        self.t.start(&end);
        for (k, out) in outs.iter().enumerate() {
            let first = (self.name(init[k]), before.as_str());
            self.name_result(*out, first, (&results[k], &stripped));
        }
    }

    /// Names what comes out of a loop: a value, by the block that control comes from.
    fn name_result(&mut self, out: Value, first: (String, &str), last: (&str, &str)) {
        let ty = register(self.ty(out));
        let ((first, before), (last, stripped)) = (first, last);
        self.names[out.0 as usize] = ins!(
            self.t,
            "phi {ty} [ {first}, %{before} ], [ {last}, %{stripped} ]"
        );
    }
}
