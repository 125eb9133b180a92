//! Reverse code: statements last to first, each handing the adjoints of its results on to its operands.

use crate::adjoint::classify::{Class, LoopId, ReversePlan};
use crate::adjoint::emit::Emitter;
use crate::adjoint::runs::Marks;
use crate::dtype::Scalar;
use crate::intrinsic::{Derivative, Differentiated, row};
use crate::ir::primitive::adjoint;
use crate::ir::{AtomicOp, Block, ExprBuilder, Intrinsic, Kind, Op, Place, Slot, Value};
use std::collections::BTreeMap;

impl Emitter<'_> {
    /// Emits the reverse of a block whose sweep stands in the same scope. Adjoints of its results are in
    /// `adj`; afterwards those of the values that the block reads from outside are.
    pub fn reverse(&mut self, block: &Block) {
        for stmt in block.stmts.iter().rev() {
            if self.has_reverse(&stmt.kind) {
                self.b.span = stmt.span;
                self.reverse_stmt(&stmt.kind);
            }
        }
    }

    fn reverse_stmt(&mut self, kind: &Kind) {
        match kind {
            Kind::Let { out, op, args } => self.reverse_let(*out, *op, args),
            Kind::Intrinsic { op, args, outs } => self.reverse_intrinsic(op, args, outs),
            Kind::Load { out, place } => {
                if let Some(d) = self.adj.remove(out) {
                    self.add_to_gradient(place, d);
                }
            }
            Kind::Store { .. } | Kind::Atomic { .. } if self.only_restores => self.restore(kind),
            Kind::Store { place, value, .. } => {
                let consume = self.plan.consumes[place.array.0 as usize];
                self.read_gradient(place, *value, |this, place, d| {
                    if consume {
                        let zero = this.zero_like(d);
                        this.b.store(place, zero);
                    }
                    d
                });
                self.restore(kind);
            }
            Kind::Atomic {
                op, place, value, ..
            } => {
                self.reverse_atomic(*op, place, *value);
                self.restore(kind);
            }
            Kind::If {
                cond,
                then,
                els,
                outs,
            } => self.reverse_if(*cond, [then, els], outs, self.sweeps_again(kind)),
            Kind::For { .. } | Kind::While { .. } => self.reverse_loop(kind),
            Kind::Custom { .. } => self.reverse_call(kind),
            Kind::Call { .. } => self.reverse_function_call(kind),
        }
    }

    /// Adds to the adjoint of a value of the source.
    pub fn add(&mut self, value: Value, d: Value) {
        if !self.plan.is_active(value) {
            return;
        }
        let sum = match self.adj.get(&value) {
            Some(old) => self.b.op(Op::Add, &[*old, d]),
            None => d,
        };
        self.adj.insert(value, sum);
    }

    fn reverse_let(&mut self, out: Value, op: Op, args: &[Value]) {
        let Some(d) = self.adj.remove(&out) else {
            return;
        };
        let inputs = self.get_all(args);
        let output = self.get(out);
        let parts = adjoint(&ExprBuilder::new(&mut self.b), op, &inputs, output, d);
        for (arg, part) in args.iter().zip(parts) {
            if let Some(part) = part {
                self.add(*arg, part);
            }
        }
    }

    fn reverse_intrinsic(&mut self, op: &Intrinsic, args: &[Value], outs: &[Value]) {
        match op {
            Intrinsic::Record(slot) => return self.reverse_record(*slot, args),
            Intrinsic::Replay(slot) => return self.reverse_replay(*slot, outs),
            _ => {}
        }
        let Derivative::Rule(rule) = row(op).derivative else {
            unreachable!("refused or removed before");
        };
        let ds: Vec<Option<Value>> = outs.iter().map(|out| self.adj.remove(out)).collect();
        if ds.iter().all(Option::is_none) {
            return;
        }
        let zero = self.zero(self.source_ty(outs[0]));
        let ds: Vec<Value> = ds.into_iter().map(|d| d.unwrap_or(zero)).collect();
        let wanted: Vec<bool> = args.iter().map(|v| self.plan.is_active(*v)).collect();
        let [inputs, results] = [args, outs].map(|values| self.get_all(values));
        let parts = rule(
            op,
            &mut self.b,
            &Differentiated {
                args: &inputs,
                wanted: &wanted,
                outs: &results,
                adjoints: &ds,
            },
        );
        for (arg, part) in args.iter().zip(parts) {
            if let Some(part) = part {
                self.add(*arg, part);
            }
        }
    }

    /// The adjoints of what a slot gave are recorded, for the reverse of its record to replay.
    fn reverse_replay(&mut self, slot: Slot, outs: &[Value]) {
        let active: Vec<Value> = outs
            .iter()
            .copied()
            .filter(|o| self.plan.is_active(*o))
            .collect();
        let values = active.into_iter().map(|out| {
            let zero = self.zero(self.source_ty(out));
            self.adj.remove(&out).unwrap_or(zero)
        });
        let values = values.collect();
        let slot = self.adjoint_slot(slot);
        self.b.push(Kind::record(slot, values));
    }

    fn reverse_record(&mut self, slot: Slot, values: &[Value]) {
        let active = self.plan.replayed(slot);
        let values = values.iter().zip(active).filter(|(_, active)| *active);
        let values: Vec<Value> = values.map(|(value, _)| *value).collect();
        let types: Vec<Scalar> = values.iter().map(|v| self.source_ty(*v)).collect();
        let slot = self.adjoint_slot(slot);
        let outs = self
            .b
            .intrinsic(Intrinsic::Replay(slot), Vec::new(), &types);
        for (value, d) in values.into_iter().zip(outs) {
            self.add(value, d);
        }
    }

    /// Adds `d` to the gradient of what was loaded, if there is one.
    fn add_to_gradient(&mut self, place: &Place, d: Value) {
        let Some((place, present)) = self.gradient_of(place) else {
            return;
        };
        self.where_present(present, |this| {
            this.b.accumulate(place, d);
            None
        });
    }

    /// Writes statements that run where a gradient is there, and gives what they gave; zero where it is not.
    pub(super) fn where_present(
        &mut self,
        present: Value,
        write: impl FnOnce(&mut Self) -> Option<Value>,
    ) -> Option<Value> {
        let mut given = None;
        let mut then = self.block(Vec::new(), |this| given = write(this));
        then.results.extend(given);
        let zeros = then.results.iter().map(|v| self.zero_like(*v)).collect();
        let els = Block {
            results: zeros,
            ..Block::default()
        };
        let outs = self.b.fresh_like(&then.results);
        self.b.push(Kind::If {
            cond: present,
            then,
            els,
            outs: outs.clone(),
        });
        outs.first().copied()
    }

    /// Reads the gradient of what was written, zero if there is none, and adds it to the adjoint of
    /// `value`. `treat` may act on it where there is one.
    fn read_gradient(
        &mut self,
        place: &Place,
        value: Value,
        treat: impl FnOnce(&mut Self, Place, Value) -> Value,
    ) {
        let Some((place, present)) = self.gradient_of(place) else {
            return;
        };
        let d = self.where_present(present, |this| {
            let d = this.b.load(place.clone());
            Some(treat(this, place, d))
        });
        if let Some(d) = d {
            self.add(value, d);
        }
    }

    fn reverse_atomic(&mut self, op: AtomicOp, place: &Place, value: Value) {
        if op == AtomicOp::Add {
            self.read_gradient(place, value, |_, _, d| d);
            return;
        }
        if !matches!(op, AtomicOp::Min | AtomicOp::Max) {
            // Of integers: those of floats are refused.
            return;
        }
        debug_assert_eq!(
            self.plan.class[place.array.0 as usize],
            Class::Extremum,
            "others are refused"
        );
        let data = self.place(place);
        let mine = self.get(value);
        self.read_gradient(place, value, |this, _, d| {
            let last = this.b.load(data);
            let hit = this.b.op(Op::Eq, &[last, mine]);
            let zero = this.zero_like(d);
            this.b.select(hit, d, zero)
        });
    }

    /// Each branch returns what it adds to the adjoints of values from outside. `again`: its sweep stands there, too.
    fn reverse_if(&mut self, cond: Value, branches: [&Block; 2], outs: &[Value], again: bool) {
        let ds: Vec<Option<Value>> = outs.iter().map(|o| self.adj.remove(o)).collect();
        let outer = std::mem::take(&mut self.adj);
        let [(mut then, a), (mut els, b)] = branches.map(|branch| {
            let block = self.block(Vec::new(), |this| {
                if again {
                    this.sweep(branch, None, &mut Vec::new());
                }
                for (result, d) in branch.results.iter().zip(&ds) {
                    if let Some(d) = d {
                        this.add(*result, *d);
                    }
                }
                this.reverse(branch);
            });
            (block, std::mem::take(&mut self.adj))
        });
        self.adj = outer;
        let mut names: Vec<Value> = a.keys().chain(b.keys()).copied().collect();
        names.sort_unstable();
        names.dedup();
        for name in &names {
            for (block, adj) in [(&mut then, &a), (&mut els, &b)] {
                let d = adj.get(name).copied();
                let zero = self.zero_like(self.get(*name));
                block.results.push(d.unwrap_or(zero));
            }
        }
        let sums = self.b.fresh_like(&then.results);
        let cond = self.get(cond);
        self.b.push(Kind::If {
            cond,
            then,
            els,
            outs: sums.clone(),
        });
        for (name, sum) in names.into_iter().zip(sums) {
            self.add(name, sum);
        }
    }

    fn reverse_loop(&mut self, kind: &Kind) {
        let id = self.plan.loop_id(kind);
        match kind {
            Kind::For {
                start,
                stop,
                step,
                init,
                body,
                outs,
            } => {
                let [start, stop, step] = [*start, *stop, *step].map(|v| self.get(v));
                let iterations = self.iterations(start, stop, step);
                let iv = body.params[0];
                let carried = Carried::of(self.plan, init, &body.params[1..], outs);
                self.reverse_rounds(id, iterations, body, &carried, |this, r| {
                    let value = this.nth(start, step, r);
                    this.set(iv, value);
                });
            }
            Kind::While {
                init, body, outs, ..
            } => {
                let iterations = self.get(self.rounds_of(id));
                let carried = Carried::of(self.plan, init, &body.params, outs);
                self.reverse_rounds(id, iterations, body, &carried, |_, _| {});
            }
            _ => unreachable!("not a loop"),
        }
    }

    /// How often a `for` runs, as int32 or int64, whichever is wide enough.
    fn iterations(&mut self, start: Value, stop: Value, step: Value) -> Value {
        let ty = self.b.ty(start);
        let wide = match ty {
            Scalar::I32 | Scalar::I64 | Scalar::U64 => ty,
            _ => Scalar::I64,
        };
        let range = [start, stop, step].map(|v| self.b.cast(v, wide));
        let iterations = if self.is_int(start, 0) && self.is_int(step, 1) {
            let zero = self.zero(wide);
            self.b.op(Op::Max, &[range[1], zero])
        } else {
            self.b.op(Op::RangeLen, &range)
        };
        let signed = if wide == Scalar::I32 {
            wide
        } else {
            Scalar::I64
        };
        self.b.cast(iterations, signed)
    }

    /// The loop variable of iteration `r`; wraps where the forward loop would have ended.
    fn nth(&mut self, start: Value, step: Value, r: Value) -> Value {
        let mut value = self.b.cast(r, self.b.ty(start));
        if !self.is_int(step, 1) {
            value = self.b.op(Op::Mul, &[value, step]);
        }
        if !self.is_int(start, 0) {
            value = self.b.op(Op::Add, &[start, value]);
        }
        value
    }

    /// Runs the iterations of a loop last to first. Carries the adjoints of its carried values, and sums of what the
    /// iterations add to adjoints of values from outside.
    fn reverse_rounds(
        &mut self,
        id: LoopId,
        iterations: Value,
        body: &Block,
        carried: &Carried,
        set_iv: impl FnOnce(&mut Self, Value),
    ) {
        let marks = self.runs.marks(id);
        if marks == Marks::Once {
            let mark = self.get(self.mark_of(id));
            self.b.push(Kind::unwind(mark));
        }
        let ty = self.b.ty(iterations);
        let minus = self.b.number(ty, -1.0);
        let last = self.b.op(Op::Add, &[iterations, minus]);

        // Adjoints of what the loop carries, as they are after it.
        let mut init: Vec<Value> = Vec::new();
        for (out, param) in carried.outs.iter().zip(&carried.params) {
            let zero = self.zero(self.source_ty(*param));
            init.push(self.adj.remove(out).unwrap_or(zero));
        }
        let outer = std::mem::take(&mut self.adj);
        let r = self.b.fresh(ty);
        let ds = self.b.fresh_like(&init);
        let mut block = self.block(vec![r], |this| {
            this.replay(id, marks);
            set_iv(this, r);
            if this.keeps {
                this.compute_again(body, &mut Vec::new());
            } else {
                this.sweep(body, Some(id), &mut Vec::new());
            }
            for (at, d) in carried.at.iter().zip(&ds) {
                this.add(body.results[*at], *d);
            }
            this.reverse(body);
        });
        for (param, d) in carried.params.iter().zip(&ds) {
            let zero = self.zero_like(*d);
            let new = self.adj.remove(param).unwrap_or(zero);
            block.params.push(*d);
            block.results.push(new);
        }
        let sums: BTreeMap<Value, Value> = std::mem::replace(&mut self.adj, outer);
        for (name, part) in &sums {
            let sum = self.b.fresh(self.b.ty(*part));
            self.b.open(Vec::new());
            let next = self.b.op(Op::Add, &[sum, *part]);
            block.stmts.append(&mut self.b.close(Vec::new()).stmts);
            block.params.push(sum);
            block.results.push(next);
            let zero = self.zero_like(*part);
            init.push(self.adj.remove(name).unwrap_or(zero));
        }
        let new = self.b.fresh_like(&init);
        self.b.push(Kind::For {
            start: last,
            stop: minus,
            step: minus,
            init,
            body: block,
            outs: new.clone(),
        });
        let (ds, sums_out) = new.split_at(carried.at.len());
        for (name, sum) in sums.keys().zip(sums_out) {
            self.adj.insert(*name, *sum);
        }
        for (init, d) in carried.init.iter().zip(ds) {
            self.add(*init, *d);
        }
    }

    /// Takes back what an iteration had recorded, and the writes since.
    fn replay(&mut self, id: LoopId, marks: Marks) {
        let names = std::mem::take(&mut self.recorded[id]);
        // What stands for a name now has the type of what was recorded.
        let outs = self.b.fresh_like(&self.get_all(&names));
        if !outs.is_empty() {
            let slot = self.slot_of(id);
            self.b.push(Kind::replay(slot, outs.clone()));
        }
        self.set_all(&names, &outs);
        if marks == Marks::Iterations {
            let mark = self.get(self.mark_of(id));
            self.b.push(Kind::unwind(mark));
        }
    }
}

/// What a loop carries.
struct Carried {
    /// Which carried values have adjoints; the lists that follow hold only these.
    at: Vec<usize>,
    init: Vec<Value>,
    params: Vec<Value>,
    outs: Vec<Value>,
}

impl Carried {
    fn of(plan: &ReversePlan, init: &[Value], params: &[Value], outs: &[Value]) -> Carried {
        let at: Vec<usize> = (0..params.len())
            .filter(|i| plan.is_active(params[*i]) || plan.is_active(outs[*i]))
            .collect();
        let pick = |values: &[Value]| at.iter().map(|i| values[*i]).collect();
        Carried {
            init: pick(init),
            params: pick(params),
            outs: pick(outs),
            at,
        }
    }
}
