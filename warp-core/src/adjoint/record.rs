//! Forward code: plain copies, and sweeps that keep or record what their reverse needs.

use crate::adjoint::branches::Exported;
use crate::adjoint::classify::{LoopId, address};
use crate::adjoint::emit::{Emitter, Mode, Ordered};
use crate::adjoint::runs::{Marks, Sweep};
use crate::dtype::Scalar;
use crate::ir::{AtomicOp, Block, Intrinsic, Kind, Op, Stmt, Value};

impl Emitter<'_> {
    /// Emits a block's forward code so that its reverse can follow in the same scope. Appends to `defs` the
    /// source's values that have a meaning in this scope from now on.
    pub fn sweep(&mut self, block: &Block, sweep: Sweep, defs: &mut Vec<Value>) {
        for stmt in &block.stmts {
            self.b.span = stmt.span;
            let kind = &stmt.kind;
            match kind {
                Kind::If { .. } if !self.sweeps_again(kind) => self.sweep_if(kind, sweep, defs),
                Kind::For { .. } | Kind::While { .. } if self.plan.has_reverse(kind) => {
                    self.sweep_loop(kind, sweep, defs);
                }
                _ => {
                    self.copy(stmt, sweep);
                    match kind {
                        Kind::Custom { .. } => self.mark_call(kind, defs),
                        Kind::Call { callee, .. } => defs.extend(self.kept_by(*callee, kind)),
                        _ => {}
                    }
                }
            }
            defs.extend(kind.outs());
        }
    }

    /// Whether the reverse of an `if` sweeps its branches again.
    pub fn sweeps_again(&self, kind: &Kind) -> bool {
        self.mode == Mode::Sweep && self.runs.branches.has(kind)
    }

    /// The values of both branches become results, zeros where the other branch ran.
    fn sweep_if(&mut self, kind: &Kind, sweep: Sweep, defs: &mut Vec<Value>) {
        let Kind::If {
            cond,
            then,
            els,
            outs,
        } = kind
        else {
            unreachable!("no `if`")
        };
        let before = defs.len();
        self.exporting_if(*cond, [then, els], outs, defs, |this, branch, inner| {
            this.sweep(branch, sweep, inner);
        });
        self.exported.push(Exported {
            branches: address(kind),
            outs: self.get_all(outs),
            exports: self.get_all(&defs[before..]),
        });
    }

    /// An `if` whose branches `emit` fills; what it says they define becomes results.
    pub fn exporting_if(
        &mut self,
        cond: Value,
        branches: [&Block; 2],
        outs: &[Value],
        defs: &mut Vec<Value>,
        mut emit: impl FnMut(&mut Self, &Block, &mut Vec<Value>),
    ) {
        let cond = self.get(cond);
        let [mut then, mut els] = branches.map(|branch| {
            let mut inner = Vec::new();
            let mut block = self.block(Vec::new(), |this| emit(this, branch, &mut inner));
            block.results = self.get_all(&branch.results);
            let exports = self.get_all(&inner);
            (block, inner, exports)
        });
        let zeros = |this: &Self, values: &[Value]| -> Vec<Value> {
            values.iter().map(|v| this.zero_like(*v)).collect()
        };
        let [then_zeros, els_zeros] = [zeros(self, &then.2), zeros(self, &els.2)];
        then.0.results.extend(then.2.into_iter().chain(els_zeros));
        els.0.results.extend(then_zeros.into_iter().chain(els.2));
        let new = self.b.fresh_like(&then.0.results);
        let names: Vec<Value> = outs.iter().chain(&then.1).chain(&els.1).copied().collect();
        self.set_all(&names, &new);
        self.b.push(Kind::If {
            cond,
            then: then.0,
            els: els.0,
            outs: new,
        });
        defs.extend(then.1.into_iter().chain(els.1));
    }

    /// A loop that records at the start of each iteration what its reverse starts from.
    fn sweep_loop(&mut self, kind: &Kind, sweep: Sweep, defs: &mut Vec<Value>) {
        let id = self.plan.loop_id(kind);
        if self.runs.marks(id) == Marks::Once {
            let mark = self.mark();
            self.set(self.mark_of(id), mark);
            defs.push(self.mark_of(id));
        }
        if matches!(kind, Kind::While { .. }) {
            defs.push(self.rounds_of(id));
        }
        self.loop_(kind, sweep, Some(id));
    }

    /// An iteration of a loop that keeps nothing (`None`), records what it starts from, or keeps.
    fn iteration(&mut self, body: &Block, carried: &[Value], sweep: Sweep, record: Option<LoopId>) {
        let Some(id) = record else {
            return self.plain(body, sweep);
        };
        let mut names = carried.to_vec();
        if self.keeps {
            self.keep(body, &mut Vec::new());
            self.leaves(body, &mut names);
            self.record(id, names);
            return;
        }
        if self.runs.marks(id) == Marks::Iterations {
            let (name, mark) = (self.mark_of(id), self.mark());
            self.set(name, mark);
            names.push(name);
        }
        self.record(id, names);
        self.plain(body, sweep);
    }

    fn record(&mut self, id: LoopId, names: Vec<Value>) {
        if !names.is_empty() {
            let (slot, values) = (self.slot_of(id), self.get_all(&names));
            self.b.push(Kind::record(slot, values));
        }
        self.recorded[id] = names;
    }

    /// A copy of a block's forward code that keeps nothing.
    pub fn plain(&mut self, block: &Block, sweep: Sweep) {
        for stmt in &block.stmts {
            self.b.span = stmt.span;
            self.copy(stmt, sweep);
        }
    }

    /// A copy of a loop. With `record`, it records or keeps, and a `while` counts its iterations.
    pub fn loop_(&mut self, kind: &Kind, sweep: Sweep, record: Option<LoopId>) {
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
                let init = self.get_all(init);
                let iv = self.b.fresh(self.b.ty(start));
                let carried = self.b.fresh_like(&init);
                let params: Vec<Value> = [iv].into_iter().chain(carried.clone()).collect();
                self.set_all(&body.params, &params);
                let mut copy = self.block(params, |this| {
                    this.iteration(body, &body.params[1..], sweep, record);
                });
                copy.results = self.get_all(&body.results);
                let new = self.b.fresh_like(&init);
                self.set_all(outs, &new);
                self.b.push(Kind::For {
                    start,
                    stop,
                    step,
                    init,
                    body: copy,
                    outs: new,
                });
            }
            Kind::While {
                init,
                cond,
                body,
                outs,
            } => {
                let counts = record.is_some();
                let mut init = self.get_all(init);
                if counts {
                    init.push(self.zero(Scalar::I64));
                }
                let params = self.b.fresh_like(&init);
                self.set_all(&cond.params, &params);
                let mut test = self.block(params, |this| this.plain(cond, sweep));
                test.results = self.get_all(&cond.results);

                let params = self.b.fresh_like(&init);
                self.set_all(&body.params, &params);
                let mut next = None;
                let mut copy = self.block(params.clone(), |this| {
                    if counts {
                        let iterations = *params.last().expect("it counts");
                        let one = this.b.number(Scalar::I64, 1.0);
                        next = Some(this.b.op(Op::Add, &[iterations, one]));
                    }
                    this.iteration(body, &body.params, sweep, record);
                });
                copy.results = self.get_all(&body.results);
                copy.results.extend(next);
                let new = self.b.fresh_like(&init);
                self.set_all(outs, &new);
                if let Some(id) = record {
                    let iterations = *new.last().expect("it counts");
                    self.set(self.rounds_of(id), iterations);
                }
                self.b.push(Kind::While {
                    init,
                    cond: test,
                    body: copy,
                    outs: new,
                });
            }
            _ => unreachable!("not a loop"),
        }
    }

    pub fn copy(&mut self, stmt: &Stmt, sweep: Sweep) {
        if self.mode != Mode::Sweep && self.copy_effect(&stmt.kind) {
            return;
        }
        match &stmt.kind {
            Kind::Let { out, op, args } => {
                self.copy_let(*out, *op, args);
            }
            Kind::Load { out, place } => {
                let place = self.place(place);
                let new = self.b.load(place);
                self.loads.insert(new, *out);
                self.set(*out, new);
            }
            kind @ Kind::Store { place, value, .. } => {
                if self.runs.has(sweep, kind) {
                    let place = self.place(place);
                    let value = self.get(*value);
                    self.before_write(kind, &place);
                    self.b.push(Kind::Store {
                        place,
                        value,
                        log: !self.keeps,
                    });
                }
            }
            kind @ Kind::Atomic {
                out,
                op,
                place,
                value,
                ..
            } => {
                let again = self.runs.has(sweep, kind);
                let place = self.place(place);
                let array = place.array;
                // Where the atomic does not run, a load stands for its result; that anything depends on
                // the result is refused later in either case.
                let value = self.get(*value);
                let op = match op {
                    AtomicOp::CompareExchange(with) => AtomicOp::CompareExchange(self.get(*with)),
                    other => *other,
                };
                let new = out.map(|_| self.b.fresh(self.b.ty(value)));
                if again {
                    self.before_write(kind, &place);
                }
                match new {
                    _ if again => self.b.push(Kind::Atomic {
                        out: new,
                        op,
                        place,
                        value,
                        log: !self.keeps,
                    }),
                    Some(out) => self.b.push(Kind::Load { out, place }),
                    None => {}
                }
                if let (Some(out), Some(value)) = (out, new) {
                    self.set(*out, value);
                    self.ordered.push(Ordered {
                        value,
                        span: stmt.span,
                        array,
                    });
                }
            }
            Kind::Intrinsic { op, args, outs } => self.copy_intrinsic(op.clone(), args, outs),
            Kind::If {
                cond,
                then,
                els,
                outs,
            } => {
                let cond = self.get(*cond);
                let [then, els] = [then, els].map(|branch| {
                    let mut block = self.block(Vec::new(), |this| this.plain(branch, sweep));
                    block.results = self.get_all(&branch.results);
                    block
                });
                let new = self.b.fresh_like(&then.results);
                self.set_all(outs, &new);
                self.b.push(Kind::If {
                    cond,
                    then,
                    els,
                    outs: new,
                });
            }
            kind @ (Kind::For { .. } | Kind::While { .. }) => self.loop_(kind, sweep, None),
            kind @ Kind::Custom { .. } => self.copy_call(kind, sweep),
            kind @ Kind::Call { .. } => self.copy_function_call(kind),
        }
    }

    /// A copy of an intrinsic.
    pub fn copy_intrinsic(&mut self, op: Intrinsic, args: &[Value], outs: &[Value]) {
        let args = self.get_all(args);
        let types: Vec<Scalar> = outs.iter().map(|out| self.source_ty(*out)).collect();
        let new = self.b.intrinsic(op, args, &types);
        self.set_all(outs, &new);
    }
}
