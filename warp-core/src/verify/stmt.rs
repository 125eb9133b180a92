//! Statements, and the places in memory that they name.

use crate::dtype::Scalar;
use crate::intrinsic::row;
use crate::ir::{
    AtomicOp, Block, CalleeId, Comp, Described, Effects, Intrinsic, Kind, Place, Rules, Slot, Value,
};
use crate::verify::scope::{Checker, R, ensure};

impl Checker<'_> {
    /// Checks a statement, and notes what is wrong in the blocks within it.
    pub fn stmt(&mut self, kind: &Kind) -> R {
        let mut uses = Ok(());
        kind.uses(|v| {
            if uses.is_ok() {
                uses = self.used(v).map(|_| ());
            }
        });
        uses?;
        match kind {
            Kind::Let { out, op, args } => self.op(*out, *op, args),
            Kind::Load { out, place } => {
                let scalar = self.place(place)?;
                ensure(self.tys(&[*out]) == [scalar], || {
                    format!("%{} is loaded from an array of {scalar}", out.0)
                })
            }
            Kind::Store { place, value, .. } => self.write(place, *value),
            Kind::Atomic {
                out,
                op,
                place,
                value,
                ..
            } => self.atomic(*out, *op, place, *value),
            Kind::Intrinsic { op, args, outs } => {
                let (args, outs) = (self.types(args)?, self.tys(outs));
                (row(op).check)(op, &args, &outs)?;
                match op {
                    Intrinsic::Record(slot) => self.record(*slot, args),
                    Intrinsic::Replay(slot) => self.replay(*slot, &outs),
                    _ => Ok(()),
                }
            }
            Kind::Call {
                callee,
                args,
                outs,
                effects,
            } => self.call(*callee, args, outs, *effects),
            Kind::If {
                cond,
                then,
                els,
                outs,
            } => {
                ensure(self.used(*cond)? == Scalar::Bool, || {
                    "`if` on a non-bool".into()
                })?;
                ensure(then.params.is_empty() && els.params.is_empty(), || {
                    "a block of `if` has parameters".into()
                })?;
                self.block(then);
                self.block(els);
                self.same("results of `then` and the `if`", &then.results, outs)?;
                self.same("results of `else` and the `if`", &els.results, outs)
            }
            Kind::For { .. } | Kind::While { .. } => self.loop_(kind),
            Kind::Custom {
                ins,
                body,
                rules,
                outs,
            } => self.custom(ins, body, rules, outs),
        }
    }

    fn call(&self, callee: CalleeId, args: &[Value], outs: &[Value], effects: Effects) -> R {
        let known = self.callable.get(callee.0 as usize);
        let known = known.ok_or("a call of a function that does not stand before")?;
        let outside = !self.in_reverse && self.derivatives[callee.0 as usize];
        ensure(!outside, || "a derivative is called outside of one".into())?;
        let block = &self.func.callee(callee).block;
        self.same(
            "arguments and parameters of a function",
            args,
            &block.params,
        )?;
        self.same(
            "results of a call and of its function",
            outs,
            &block.results,
        )?;
        ensure(effects.and(*known) == effects, || {
            format!("a call that does less than its function, {known:?}")
        })
    }

    fn atomic(&self, out: Option<Value>, op: AtomicOp, place: &Place, value: Value) -> R {
        self.write(place, value)?;
        let scalar = self.used(value)?;
        ensure(scalar != Scalar::Bool, || "an atomic on bool".into())?;
        let bits = matches!(op, AtomicOp::And | AtomicOp::Or | AtomicOp::Xor);
        ensure(!bits || scalar.is_int(), || {
            format!("an atomic {op:?} on {scalar}")
        })?;
        if let Some(with) = op.compare() {
            let fits = self.used(with)? == scalar;
            ensure(fits, || format!("%{} is not {scalar}", with.0))?;
        }
        let mut out = out.iter();
        out.try_for_each(|out| {
            let fits = self.tys(&[*out]) == [scalar];
            ensure(fits, || format!("%{} is not {scalar}", out.0))
        })
    }

    fn loop_(&mut self, kind: &Kind) -> R {
        let carries = "carried and initial values";
        let (init, body, outs) = match kind {
            Kind::For {
                start,
                stop,
                step,
                init,
                body,
                outs,
            } => {
                let types = self.types(&[*start, *stop, *step])?;
                let one = types[0].is_int() && types.iter().all(|t| *t == types[0]);
                ensure(one, || format!("range over {types:?}"))?;
                let (iv, carried) =
                    (body.params.split_first()).ok_or("a `for` without variable")?;
                ensure(self.tys(&[*iv]) == types[..1], || {
                    "the loop variable's type".into()
                })?;
                self.same(carries, carried, init)?;
                (init, body, outs)
            }
            Kind::While {
                init,
                cond,
                body,
                outs,
            } => {
                self.same(carries, &cond.params, init)?;
                self.same(carries, &body.params, init)?;
                self.block(cond);
                ensure(self.tys(&cond.results) == [Scalar::Bool], || {
                    "the condition of a `while` is not one bool".into()
                })?;
                (init, body, outs)
            }
            _ => unreachable!("not a loop"),
        };
        self.same("results and initial values", outs, init)?;
        self.block(body);
        let what = "the body's results and the carried values";
        self.same(what, &body.results, init)
    }

    fn custom(&mut self, ins: &[Value], body: &Block, rules: &Rules, outs: &[Value]) -> R {
        let floats = self.types(ins)?.iter().all(|ty| ty.is_float());
        ensure(floats, || "a call with a derivative takes floats".into())?;
        let some = rules.replay.is_some() || rules.reverse.is_some();
        ensure(some, || "a call with neither replay nor derivative".into())?;
        for block in std::iter::once(body).chain(&rules.replay) {
            self.same("values taken and given to a call", &block.params, ins)?;
            self.block(block);
            self.same("what a call gives and its results", &block.results, outs)?;
        }
        let Some(reverse) = &rules.reverse else {
            return Ok(());
        };
        let results = outs.iter().copied();
        let results = results.filter(|v| self.tys(&[*v]).iter().all(|ty| ty.is_float()));
        let takes: Vec<Value> = ins.iter().copied().chain(results).collect();
        self.same("what a derivative takes", &reverse.params, &takes)?;
        let outer = std::mem::replace(&mut self.in_reverse, true);
        self.block(reverse);
        self.in_reverse = outer;
        self.same("what a derivative gives", &reverse.results, ins)
    }

    /// Records and replays come in pairs, the record first.
    fn record(&mut self, slot: Slot, types: Vec<Scalar>) -> R {
        let before = self.slots.insert(slot.id, (slot, types, false));
        ensure(before.is_none(), || format!("{slot} is recorded twice"))
    }

    fn replay(&mut self, slot: Slot, types: &[Scalar]) -> R {
        let pair = self.slots.get_mut(&slot.id);
        let (recorded, given, done) =
            pair.ok_or_else(|| format!("{slot} is replayed before it is recorded"))?;
        ensure(!*done, || format!("{slot} is replayed twice"))?;
        ensure(*recorded == slot && given == types, || {
            format!("{slot} is replayed as something else than was recorded")
        })?;
        *done = true;
        Ok(())
    }

    pub fn replayed(&self) -> R {
        let left = self.slots.values().find(|(_, _, done)| !done);
        ensure(left.is_none(), || {
            let slot = left.map(|(slot, ..)| slot.to_string());
            format!("{} is never replayed", slot.unwrap_or_default())
        })
    }

    fn write(&self, place: &Place, value: Value) -> R {
        let scalar = self.place(place)?;
        let found = self.used(value)?;
        ensure(found == scalar, || {
            format!("{found} is written to an array of {scalar}")
        })
    }

    fn place(&self, place: &Place) -> R<Scalar> {
        let outside = !self.in_reverse && self.func.gradient_of(place.array).is_some();
        ensure(!outside, || "a gradient outside of a derivative".into())?;
        let (elem, ndim) = self.array(place.array)?;
        let types = self.types(&place.index)?;
        let lead = match self.func.is_pointer_based(place.array) {
            true => Described::len(ndim.into()),
            false => 0,
        };
        let (described, types) = types.split_at(lead.min(types.len()));
        let fits = lead == 0 || Described::types(ndim.into()).eq(described.iter().copied());
        ensure(fits, || {
            format!("{described:?} describes an array of {ndim} dimensions")
        })?;
        ensure(types.len() == ndim as usize, || {
            format!("{} indices into {ndim} dimensions", types.len())
        })?;
        let ints = types.iter().all(|t| matches!(t, Scalar::I32 | Scalar::I64));
        ensure(ints, || format!("an index of {types:?}"))?;
        match place.comp {
            Comp::Fixed(n) => {
                ensure((n as usize) < elem.count(), || {
                    format!("component {n} of {elem}")
                })?;
            }
            Comp::At(v) => {
                ensure(self.used(v)? == Scalar::I32, || {
                    "a component index not int32".into()
                })?;
            }
        }
        Ok(elem.scalar())
    }
}
