//! Calls with derivatives that their authors wrote.

use crate::adjoint::classify::forward_body;
use crate::adjoint::emit::{Emitter, Mode};
use crate::adjoint::runs::{Marks, Sweep};
use crate::ir::{AtomicOp, Block, Intrinsic, Kind, ParamId, Place, Rules, Value};

impl Emitter<'_> {
    /// Forward code of a call: a call again, unless its writes must run.
    pub fn copy_call(&mut self, kind: &Kind, sweep: Sweep) {
        let Kind::Custom {
            ins,
            body,
            rules,
            outs,
        } = kind
        else {
            unreachable!("not a call")
        };
        // Code of a derivative runs as a kernel does.
        let run = match self.mode {
            Mode::Sweep => forward_body(kind),
            Mode::Gradient | Mode::Rule => body,
        };
        let stays = match self.mode {
            Mode::Sweep => rules.reverse.is_some() && !self.call_writes(sweep, run),
            Mode::Gradient | Mode::Rule => true,
        };
        if !stays {
            let given = self.get_all(ins);
            self.set_all(&run.params, &given);
            self.plain(run, sweep);
            let results = self.get_all(&run.results);
            self.set_all(outs, &results);
            return;
        }
        let given = self.get_all(ins);
        let body = self.rule(run, sweep);
        let outer = std::mem::replace(&mut self.mode, Mode::Rule);
        let replay = match outer {
            Mode::Sweep => None,
            Mode::Gradient | Mode::Rule => rules.replay.as_ref().map(|b| self.rule(b, None)),
        };
        let reverse = rules.reverse.as_ref().map(|b| self.rule(b, None));
        self.mode = outer;
        let new: Vec<Value> = outs.iter().map(|o| self.fresh_of(*o)).collect();
        self.set_all(outs, &new);
        self.b.push(Kind::Custom {
            ins: given,
            body,
            rules: Box::new(Rules { replay, reverse }),
            outs: new,
        });
    }

    /// A copy of a block of a call.
    fn rule(&mut self, block: &Block, sweep: Sweep) -> Block {
        let params: Vec<Value> = block.params.iter().map(|p| self.fresh_of(*p)).collect();
        self.set_all(&block.params, &params);
        let mut copy = self.block(params, |this| this.plain(block, sweep));
        copy.results = self.get_all(&block.results);
        copy
    }

    /// Whether a block writes what a load of this sweep depends on.
    fn call_writes(&self, sweep: Sweep, block: &Block) -> bool {
        block.stmts.iter().any(|stmt| {
            let inner = match &stmt.kind {
                kind @ Kind::Custom { .. } => smallvec::smallvec![forward_body(kind)],
                kind => kind.blocks(),
            };
            self.runs.has(sweep, &stmt.kind)
                || inner.into_iter().any(|b| self.call_writes(sweep, b))
        })
    }

    /// What stands for a call, emitted in its place.
    pub fn in_place(
        &mut self,
        kind: &Kind,
        defs: &mut Vec<Value>,
        emit: impl FnOnce(&mut Self, &Block, &mut Vec<Value>),
    ) {
        let Kind::Custom { ins, outs, .. } = kind else {
            unreachable!("not a call")
        };
        let run = forward_body(kind);
        let given = self.get_all(ins);
        self.set_all(&run.params, &given);
        emit(self, run, defs);
        let results = self.get_all(&run.results);
        self.set_all(outs, &results);
        // Its reverse asks for them.
        defs.extend(&run.params);
    }

    /// A call whose writes run, where everything is kept.
    pub fn keep_call(&mut self, kind: &Kind, defs: &mut Vec<Value>) {
        self.in_place(kind, defs, Emitter::keep);
    }

    /// Notes how much is logged where a call is left, if its derivative reads what is written again.
    pub fn mark_call(&mut self, kind: &Kind, defs: &mut Vec<Value>) {
        let id = self.plan.loop_id(kind);
        if self.runs.marks(id) == Marks::Once {
            let mark = self.mark();
            self.set(self.mark_of(id), mark);
            defs.push(self.mark_of(id));
        }
    }

    /// The code that the author of a call wrote.
    pub fn reverse_call(&mut self, kind: &Kind) {
        let Kind::Custom {
            ins, rules, outs, ..
        } = kind
        else {
            unreachable!("not a call")
        };
        if self.only_restores {
            self.restore_call(kind);
            return;
        }
        let id = self.plan.loop_id(kind);
        if self.runs.marks(id) == Marks::Once {
            let mark = self.get(self.mark_of(id));
            self.b.push(Kind::unwind(mark));
        }
        let reverse = rules.reverse.as_ref().expect("`complete` gave it one");
        let mut given = self.get_all(ins);
        for out in outs {
            let ty = self.source_ty(*out);
            if ty.is_float() {
                let zero = self.zero(ty);
                given.push(self.adj.remove(out).unwrap_or(zero));
            }
        }
        self.set_all(&reverse.params, &given);
        let outer = std::mem::replace(&mut self.mode, Mode::Gradient);
        self.plain(reverse, None);
        self.mode = outer;
        let parts = self.get_all(&reverse.results);
        for (value, part) in ins.iter().zip(parts) {
            self.add(*value, part);
        }
        self.restore_call(kind);
    }

    /// Takes back what a call wrote, where everything is kept.
    fn restore_call(&mut self, kind: &Kind) {
        if self.keeps && self.writes_again(kind) {
            let outer = std::mem::replace(&mut self.only_restores, true);
            self.reverse(forward_body(kind));
            self.only_restores = outer;
        }
    }

    /// Code of a derivative, where it differs from other forward code: it has effects, and gradients. False: no difference.
    pub fn copy_effect(&mut self, kind: &Kind) -> bool {
        match kind {
            Kind::Load { out, place } => {
                let new = match self.gradient(place) {
                    Some(gradient) => self.load_gradient(place, gradient),
                    None => {
                        let place = self.place(place);
                        let new = self.b.load(place);
                        if self.mode == Mode::Gradient {
                            self.loads.insert(new, *out);
                        }
                        new
                    }
                };
                self.set(*out, new);
            }
            Kind::Store { place, value, .. } => {
                let value = self.get(*value);
                self.write(place, |this, place| {
                    this.b.store(place, value);
                    None
                });
            }
            Kind::Atomic {
                out,
                op,
                place,
                value,
                ..
            } => {
                let value = self.get(*value);
                let op = match op {
                    AtomicOp::CompareExchange(with) => AtomicOp::CompareExchange(self.get(*with)),
                    other => *other,
                };
                let before = self.write(place, |this, place| match (op, out) {
                    (AtomicOp::Add, None) => {
                        this.b.accumulate(place, value);
                        None
                    }
                    _ => Some(this.b.atomic(op, place, value)),
                });
                if let Some(out) = out {
                    let zero = self.zero(self.source_ty(*out));
                    self.set(*out, before.unwrap_or(zero));
                }
            }
            Kind::Intrinsic { op, args, outs } => {
                let op = match op {
                    Intrinsic::Record(slot) => {
                        let new = self.new_slot(*slot);
                        self.copied_slots.insert(slot.id, new);
                        Intrinsic::Record(new)
                    }
                    Intrinsic::Replay(slot) => Intrinsic::Replay(self.copied_slots[&slot.id]),
                    op => op.clone(),
                };
                self.copy_intrinsic(op, args, outs);
            }
            _ => return false,
        }
        true
    }

    /// The gradient that a place of a derivative means: where there is none, nothing is read or written. None: it is no gradient
    /// here.
    fn gradient(&self, place: &Place) -> Option<Option<(ParamId, Value)>> {
        let of = self.array_of_gradient(place.array)?;
        (self.mode == Mode::Gradient).then(|| self.passed_gradient(of))
    }

    fn load_gradient(&mut self, place: &Place, gradient: Option<(ParamId, Value)>) -> Value {
        let ty = self.element(place.array);
        let Some((array, present)) = gradient else {
            return self.zero(ty);
        };
        let place = Place {
            array,
            ..self.place(place)
        };
        let zero = self.zero(ty);
        let out = self.b.if_(present, |b| vec![b.load(place)], |_| vec![zero]);
        out[0]
    }

    /// Writes to an array, or to a gradient if there is one; what the write gives.
    fn write(
        &mut self,
        place: &Place,
        write: impl FnOnce(&mut Self, Place) -> Option<Value>,
    ) -> Option<Value> {
        let Some(gradient) = self.gradient(place) else {
            let place = self.place(place);
            return write(self, place);
        };
        let (array, present) = gradient?;
        let place = Place {
            array,
            ..self.place(place)
        };
        self.where_present(present, |this| write(this, place))
    }
}
