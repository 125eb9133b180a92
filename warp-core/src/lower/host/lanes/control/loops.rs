//! Loops: as for scalars where all lanes run the same iterations, while any lane runs where they may not.

use crate::dtype::Scalar;
use crate::ir::{Block, Kind, Value};
use crate::lower::analysis::work;
use crate::lower::body::region::Phi;
use crate::lower::emit::arith;
use crate::lower::emit::text::{ins, line, register};
use crate::lower::host::lanes::analysis::order::Align;
use crate::lower::host::lanes::gang::GangBody;
use crate::lower::report::Costly;
use std::fmt::Write;

/// What a loop carries from iteration to iteration: one value.
struct Carried {
    param: Value,
    name: String,
    ty: String,
    first: String,
    /// What lanes hold that have left the loop, where the value itself goes on: name and first value.
    kept: Option<(String, String)>,
}

impl<'a> GangBody<'a> {
    /// `for`.
    pub(in crate::lower::host::lanes) fn for_(&mut self, kind: &'a Kind) {
        let Kind::For {
            start,
            stop,
            step,
            init,
            body,
            outs,
        } = kind
        else {
            unreachable!("asked for a loop");
        };
        let range = [*start, *stop, *step];
        let brief = work::brief(kind, &self.body.facts.defs).is_some();
        if self.shapes.is_divergent(kind) {
            let late = self.shapes.order.align_of(kind) == Align::Late;
            self.for_each_lane(range, init, body, outs, late);
        } else {
            self.for_all(range, init, body, outs, brief);
        }
    }

    /// Names what a loop carries. With `keeps`, values that are read behind the loop are kept for lanes that leave it.
    fn carry(
        &mut self,
        params: &[Value],
        init: &[Value],
        outs: &[Value],
        keeps: bool,
    ) -> Vec<Carried> {
        let all = params.iter().zip(init).zip(outs);
        all.map(|((param, init), out)| {
            let (scalar, ty) = (self.has_scalar(*param), self.body.ty(*param));
            let used = self.body.facts.used[out.0 as usize];
            let name = self.body.t.fresh();
            let kept = (keeps && scalar && used).then(|| {
                let first = self.vector(*init);
                (self.body.t.fresh(), first)
            });
            let (ty, first) = match scalar {
                true => (register(ty).into(), self.body.name(*init)),
                false => (self.vector_type(ty), self.vector(*init)),
            };
            self.set_carried(*param, &name);
            Carried {
                param: *param,
                name,
                ty,
                first,
                kept,
            }
        })
        .collect()
    }

    fn set_carried(&mut self, param: Value, name: &str) {
        match self.has_scalar(param) {
            true => self.body.names[param.0 as usize] = name.into(),
            false => self.vectors[param.0 as usize] = name.into(),
        }
    }

    /// The phis of what is carried, at the end of an iteration. `live`: the lanes that ran it; of `blends`, values of the others stay.
    fn phis(
        &mut self,
        carried: &[Carried],
        results: &[Value],
        live: Option<&str>,
        blends: &[bool],
    ) -> Vec<Phi> {
        let mut phis = Vec::new();
        for ((c, result), blends) in carried.iter().zip(results).zip(blends) {
            let ty = self.body.ty(c.param);
            let scalar = self.has_scalar(c.param);
            let next = match (scalar, live) {
                (true, _) => self.body.name(*result),
                (false, Some(live)) if *blends => {
                    let next = self.vector(*result);
                    self.choose(ty, live, &next, &c.name)
                }
                _ => self.vector(*result),
            };
            phis.push((c.name.clone(), c.ty.clone(), c.first.clone(), next));
            if let (Some((kept, first)), Some(live)) = (&c.kept, live) {
                let next = self.vector(*result);
                let next = self.choose(ty, live, &next, kept);
                phis.push((kept.clone(), self.vector_type(ty), first.clone(), next));
            }
        }
        phis
    }

    /// Behind a loop: its results are what it carried last.
    fn leave(&mut self, carried: &[Carried], outs: &[Value]) {
        for (c, out) in carried.iter().zip(outs) {
            match &c.kept {
                Some((kept, _)) => self.vectors[out.0 as usize].clone_from(kept),
                None if self.has_scalar(*out) => {
                    self.body.names[out.0 as usize].clone_from(&c.name);
                }
                // Nobody reads it, or it is a vector.
                None => self.vectors[out.0 as usize].clone_from(&c.name),
            }
        }
    }

    /// A gang does more in an iteration than a thread.
    fn spend(&mut self, blocks: &[&Block]) {
        let work = work::of_round(blocks, &self.body.facts.defs);
        self.body.spend(work.saturating_mul(2));
    }

    /// All lanes run the same iterations.
    fn for_all(
        &mut self,
        range: [Value; 3],
        init: &[Value],
        body: &'a Block,
        outs: &[Value],
        brief: bool,
    ) {
        let ty = self.body.ty(range[0]);
        let r = register(ty);
        let [start, stop, step] = range.map(|v| self.body.name(v));
        let single = self.body.counts_itself(ty, range[2]);
        let count = match single {
            Some(_) => String::new(),
            None => arith::iterations(&mut self.body.t, ty, [&start, &stop, &step]),
        };
        let index = self.body.t.fresh();
        self.body.names[body.params[0].0 as usize].clone_from(&index);
        let carried = self.carry(&body.params[1..], init, outs, false);
        let header = self.body.open_header("for");
        let iteration = self.body.t.fresh();
        let more = match single {
            Some(how) => ins!(self.body.t, "icmp {how} {r} {index}, {stop}"),
            None => ins!(self.body.t, "icmp ult {r} {iteration}, {count}"),
        };
        let [inside, done] = ["body", "end"].map(|l| self.body.t.new_label(l));
        line!(self.body.t, "br i1 {more}, label %{inside}, label %{done}");
        self.body.t.start(&inside);
        self.block(body);
        if !brief {
            self.spend(&[body]);
        }
        let next = ins!(self.body.t, "add {r} {index}, {step}");
        let mut phis: Vec<Phi> = vec![(index, r.into(), start, next)];
        if single.is_none() {
            let next = ins!(self.body.t, "add nuw {r} {iteration}, 1");
            phis.push((iteration, r.into(), "0".into(), next));
        }
        let no = vec![false; carried.len()];
        phis.extend(self.phis(&carried, &body.results, None, &no));
        self.body.close_header(&header, &phis);
        self.body.t.start(&done);
        self.leave(&carried, outs);
    }

    /// How many iterations each lane runs, as an unsigned vector: none where it does not run here.
    fn rounds_of(&mut self, range: [Value; 3]) -> String {
        let ty = self.body.ty(range[0]);
        let v = self.vector_type(ty);
        let single = self.body.counts_itself(ty, range[2]);
        let [start, stop, step] = range.map(|v| self.vector(v));
        let count = match single {
            Some(how) => {
                let (from, to) = if how == "sgt" {
                    (&stop, &start)
                } else {
                    (&start, &stop)
                };
                let some = ins!(self.body.t, "icmp {how} {v} {start}, {stop}");
                let gap = ins!(self.body.t, "sub {v} {to}, {from}");
                self.choose(ty, &some, &gap, "zeroinitializer")
            }
            None => self.wide(|g| arith::iterations(&mut g.body.t, ty, [&start, &stop, &step])),
        };
        match self.mask.clone() {
            None => count,
            Some(mask) => self.choose(ty, &mask, &count, "zeroinitializer"),
        }
    }

    /// Lanes run different iterations: from the first one on, or, if `late`, up to the last one.
    fn for_each_lane(
        &mut self,
        range: [Value; 3],
        init: &[Value],
        body: &'a Block,
        outs: &[Value],
        late: bool,
    ) {
        self.note(Costly::Divergent);
        let ty = self.body.ty(range[0]);
        let (r, v, lanes) = (register(ty), self.vector_type(ty), self.width);
        let counts = self.rounds_of(range);
        let most = ins!(
            self.body.t,
            "call {r} @llvm.vector.reduce.umax.v{lanes}{r}({v} {counts})"
        );
        let index = body.params[0];
        let scalar = self.has_scalar(index);
        let (first, step) = match scalar {
            true => (self.body.name(range[0]), self.body.name(range[2])),
            false => (self.vector(range[0]), self.vector(range[2])),
        };
        let carried = self.carry(&body.params[1..], init, outs, true);
        let header = self.body.open_header("for");
        let [iteration, at] = [(); 2].map(|()| self.body.t.fresh());
        let more = ins!(self.body.t, "icmp ult {r} {iteration}, {most}");
        let [inside, done] = ["body", "end"].map(|l| self.body.t.new_label(l));
        line!(self.body.t, "br i1 {more}, label %{inside}, label %{done}");
        self.body.t.start(&inside);
        let mut phis: Vec<Phi> = Vec::new();
        let live;
        if late {
            let left = ins!(self.body.t, "sub {r} {most}, {iteration}");
            let left = self.splat(ty, &left);
            live = ins!(self.body.t, "icmp ule {v} {left}, {counts}");
            let own = ins!(self.body.t, "sub {v} {counts}, {left}");
            let gone = ins!(self.body.t, "mul {v} {own}, {step}");
            self.vectors[index.0 as usize] = ins!(self.body.t, "add {v} {first}, {gone}");
        } else {
            let number = self.splat(ty, &iteration);
            live = ins!(self.body.t, "icmp ult {v} {number}, {counts}");
            let ty = if scalar { r.to_string() } else { v.clone() };
            self.set_carried(index, &at);
            let next = ins!(self.body.t, "add {ty} {at}, {step}");
            phis.push((at, ty, first, next));
        }
        self.among(live.clone(), |g| g.block(body));
        self.spend(&[body]);
        let next = ins!(self.body.t, "add nuw {r} {iteration}, 1");
        phis.push((iteration, r.into(), "0".into(), next));
        let used = outs.iter().map(|v| self.body.facts.used[v.0 as usize]);
        let blends: Vec<bool> = used.map(|used| used || late).collect();
        phis.extend(self.phis(&carried, &body.results, Some(&live), &blends));
        self.body.close_header(&header, &phis);
        self.body.t.start(&done);
        self.leave(&carried, outs);
    }

    /// `while`.
    pub(in crate::lower::host::lanes) fn while_(&mut self, kind: &'a Kind) {
        let Kind::While {
            init,
            cond,
            body,
            outs,
        } = kind
        else {
            unreachable!("asked for a loop");
        };
        let divergent = self.shapes.is_divergent(kind);
        if divergent {
            self.note(Costly::Divergent);
        }
        let carried = self.carry(&cond.params, init, outs, divergent);
        let running = self.running();
        let header = self.body.open_header("while");
        let entered = self.body.t.fresh();
        let [inside, done] = ["body", "end"].map(|l| self.body.t.new_label(l));
        let mut live = None;
        if divergent {
            self.among(entered.clone(), |g| {
                g.block(cond);
                let truth = g.vector(cond.results[0]);
                live = Some(g.and(&truth));
            });
            let live = live.clone().expect("just set");
            let any = self.wide(|g| g.body.t.any(&live));
            line!(self.body.t, "br i1 {any}, label %{inside}, label %{done}");
        } else {
            self.block(cond);
            let more = self.body.name(cond.results[0]);
            line!(self.body.t, "br i1 {more}, label %{inside}, label %{done}");
        }
        self.body.t.start(&inside);
        for (param, c) in body.params.iter().zip(&carried) {
            // A body's own parameter has the shape of what is carried.
            self.set_carried(*param, &c.name);
        }
        let mark = self.body.ranges.mark();
        self.body.ranges.assume(cond.results[0], true);
        match &live {
            Some(live) => self.among(live.clone(), |g| g.block(body)),
            None => self.block(body),
        }
        self.body.ranges.forget(mark);
        self.spend(&[cond, body]);
        let used = outs.iter().map(|v| self.body.facts.used[v.0 as usize]);
        let blends: Vec<bool> = used.collect();
        let mut phis = self.phis(&carried, &body.results, live.as_deref(), &blends);
        if let Some(live) = live {
            phis.push((entered, self.vector_type(Scalar::Bool), running, live));
        }
        self.body.close_header(&header, &phis);
        self.body.t.start(&done);
        self.leave(&carried, outs);
    }
}
