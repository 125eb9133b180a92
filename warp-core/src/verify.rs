//! Checks every invariant of the IR. Runs after every pass; lowering takes only [`Verified`].

use crate::dtype::Scalar;
use crate::error::Bug;
use crate::intrinsic::row;
use crate::ir::data::MAX_LOCAL;
use crate::ir::{
    AtomicOp, Block, Comp, Const, Described, Func, Intrinsic, Kind, Op, ParamId, ParamType, Place,
    Rule, Slot, Value,
};
use crate::ty::MAX_NDIM;
use std::collections::HashMap;
use std::ops::Deref;

/// A function that keeps every invariant.
#[derive(Clone, Debug)]
pub struct Verified(Func);

impl Deref for Verified {
    type Target = Func;
    fn deref(&self) -> &Func {
        &self.0
    }
}

/// Checks a function.
///
/// # Errors
/// The first rule that the function breaks: a bug of the pass that built it.
pub fn verify(func: Func) -> Result<Verified, Bug> {
    check(&func)?;
    Ok(Verified(func))
}

/// As [`verify`], without taking the function.
///
/// # Errors
/// As [`verify`].
pub fn check(func: &Func) -> Result<(), Bug> {
    let mut checker = Checker {
        func,
        state: vec![State::Unseen; func.values.len()],
        slots: HashMap::new(),
        in_reverse: false,
    };
    let outcome = checker.params().and_then(|()| {
        let body = &func.body;
        if !body.params.is_empty() || !body.results.is_empty() {
            return Err("the body has parameters or results".into());
        }
        checker.block(body)?;
        checker.replayed()
    });
    outcome.map_err(|what| Bug(format!("in the IR of `{}`: {what}", func.name)))
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Unseen,
    InScope,
    OutOfScope,
}

struct Checker<'a> {
    func: &'a Func,
    state: Vec<State>,
    /// By number: the slot, the types recorded, and whether its replay has been seen.
    slots: HashMap<u32, (Slot, Vec<Scalar>, bool)>,
    /// Whether the statement stands in the derivative of a call: there alone are gradients.
    in_reverse: bool,
}

type R<T = ()> = Result<T, String>;

fn ensure(holds: bool, what: impl FnOnce() -> String) -> R {
    if holds { Ok(()) } else { Err(what()) }
}

impl Checker<'_> {
    /// Of a local array the extents are constants, and it is there. Of an addressed one each access says them.
    fn passed(&self, id: ParamId) -> R {
        ensure(self.func.param(id).ty.is_passed(), || {
            format!("parameter {} is not passed", id.0)
        })
    }

    fn params(&self) -> R {
        for (i, param) in self.func.params.iter().enumerate() {
            let first = self.func.params.iter().position(|p| p.name == param.name) == Some(i);
            ensure(first, || {
                format!("two parameters are named `{}`", param.name)
            })?;
            ensure(
                !matches!(param.ty.elem(), crate::ty::Elem::Struct(_)),
                || format!("`{}` is a struct, not its leaves", param.name),
            )?;
            ensure(param.ty.elem().count() > 0, || {
                format!("`{}` has no components", param.name)
            })?;
            ensure(
                param.part.is_none_or(|part| {
                    part.size as usize >= part.offset as usize + param.ty.elem().size()
                }),
                || format!("`{}` is larger than what it is part of", param.name),
            )?;
            let locals = i >= self.func.arguments().len();
            ensure(locals != param.ty.is_passed(), || {
                format!("`{}` stands behind what is not passed", param.name)
            })?;
            if let ParamType::Gradient { of, elem, ndim } = param.ty {
                let before = self.func.params[..i].get(of.0 as usize).map(|p| p.ty);
                let fits = match before {
                    Some(
                        ParamType::Array { elem: e, ndim: n }
                        | ParamType::Local {
                            elem: e, ndim: n, ..
                        },
                    ) => (elem, ndim) == (e, n),
                    _ => false,
                };
                ensure(fits, || format!("`{}` is not like its array", param.name))?;
            }
            if let ParamType::Local { ndim, shape, .. } = param.ty {
                let all = shape.iter().try_fold(1u32, |all, n| all.checked_mul(*n));
                let fits = all.is_some_and(|n| (1..=MAX_LOCAL).contains(&n));
                let fits = fits && shape[ndim as usize..].iter().all(|n| *n == 1);
                ensure(fits, || {
                    format!("`{}` has the extents {shape:?}", param.name)
                })?;
            }
            if let ParamType::Array { ndim, .. }
            | ParamType::Local { ndim, .. }
            | ParamType::Addressed { ndim, .. } = param.ty
            {
                let fits = (1..=MAX_NDIM).contains(&(ndim as usize));
                ensure(fits, || format!("`{}` has {ndim} dimensions", param.name))?;
            }
        }
        Ok(())
    }

    fn define(&mut self, value: Value) -> R {
        let state = self.state.get_mut(value.0 as usize);
        let state = state.ok_or_else(|| format!("%{} has no type", value.0))?;
        ensure(*state == State::Unseen, || {
            format!("%{} is defined twice", value.0)
        })?;
        *state = State::InScope;
        Ok(())
    }

    fn used(&self, value: Value) -> R<Scalar> {
        match self.state.get(value.0 as usize) {
            Some(State::InScope) => Ok(self.func.ty(value)),
            Some(State::OutOfScope) => Err(format!("%{} is used outside its block", value.0)),
            _ => Err(format!("%{} is used before it is defined", value.0)),
        }
    }

    fn types(&self, values: &[Value]) -> R<Vec<Scalar>> {
        values.iter().map(|v| self.used(*v)).collect()
    }

    /// Checks a block and takes what it defined out of scope.
    fn block(&mut self, block: &Block) -> R {
        for param in &block.params {
            self.define(*param)?;
        }
        for stmt in &block.stmts {
            self.stmt(&stmt.kind)?;
        }
        for result in &block.results {
            self.used(*result)?;
        }
        let inner = block.stmts.iter().flat_map(|s| s.kind.outs());
        for value in block.params.iter().chain(inner) {
            self.state[value.0 as usize] = State::OutOfScope;
        }
        Ok(())
    }

    fn tys(&self, values: &[Value]) -> Vec<Scalar> {
        values
            .iter()
            .filter_map(|v| self.func.values.get(v.0 as usize).copied())
            .collect()
    }

    fn same(&self, what: &str, a: &[Value], b: &[Value]) -> R {
        let equal = a.len() == b.len() && self.tys(a) == self.tys(b);
        ensure(equal, || {
            format!(
                "{what} do not agree: {:?} and {:?}",
                self.tys(a),
                self.tys(b)
            )
        })
    }

    fn stmt(&mut self, kind: &Kind) -> R {
        let mut uses = Ok(());
        kind.uses(|v| {
            if uses.is_ok() {
                uses = self.used(v).map(|_| ());
            }
        });
        uses?;
        match kind {
            Kind::Let { out, op, args } => self.op(*out, *op, args)?,
            Kind::Load { out, place } => {
                let scalar = self.place(place)?;
                ensure(
                    self.func.values.get(out.0 as usize) == Some(&scalar),
                    || format!("%{} is loaded from an array of {scalar}", out.0),
                )?;
            }
            Kind::Store { place, value, .. } => self.write(place, *value)?,
            Kind::Atomic {
                out,
                op,
                place,
                value,
                ..
            } => {
                self.write(place, *value)?;
                let scalar = self.used(*value)?;
                ensure(scalar != Scalar::Bool, || "an atomic on bool".into())?;
                let bits = matches!(op, AtomicOp::And | AtomicOp::Or | AtomicOp::Xor);
                ensure(!bits || scalar.is_int(), || {
                    format!("an atomic {op:?} on {scalar}")
                })?;
                if let Some(with) = op.compare() {
                    let fits = self.used(with)? == scalar;
                    ensure(fits, || format!("%{} is not {scalar}", with.0))?;
                }
                if let Some(out) = out {
                    let fits = self.func.values.get(out.0 as usize) == Some(&scalar);
                    ensure(fits, || format!("%{} is not {scalar}", out.0))?;
                }
            }
            Kind::Intrinsic { op, args, outs } => {
                let types = [self.types(args)?, self.tys(outs)];
                (row(op).check)(op, &types[0], &types[1])?;
                match op {
                    Intrinsic::Record(slot) => self.record(*slot, types[0].clone())?,
                    Intrinsic::Replay(slot) => self.replay(*slot, &types[1])?,
                    _ => {}
                }
            }
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
                self.block(then)?;
                self.block(els)?;
                self.same("results of `then` and the `if`", &then.results, outs)?;
                self.same("results of `else` and the `if`", &els.results, outs)?;
            }
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
                let (iv, carried) = body
                    .params
                    .split_first()
                    .ok_or("a `for` without variable")?;
                ensure(self.tys(&[*iv]) == types[..1], || {
                    "the loop variable's type".into()
                })?;
                self.same("carried and initial values", carried, init)?;
                self.same("results and initial values", outs, init)?;
                self.block(body)?;
                self.same(
                    "the body's results and the carried values",
                    &body.results,
                    init,
                )?;
            }
            Kind::While {
                init,
                cond,
                body,
                outs,
            } => {
                self.same("carried and initial values", &cond.params, init)?;
                self.same("carried and initial values", &body.params, init)?;
                self.same("results and initial values", outs, init)?;
                self.block(cond)?;
                ensure(self.tys(&cond.results) == [Scalar::Bool], || {
                    "the condition of a `while` is not one bool".into()
                })?;
                self.block(body)?;
                self.same(
                    "the body's results and the carried values",
                    &body.results,
                    init,
                )?;
            }
            Kind::Custom {
                ins,
                body,
                rules,
                outs,
            } => {
                let floats = self.types(ins)?.iter().all(|ty| ty.is_float());
                ensure(floats, || "a call with a derivative takes floats".into())?;
                let some = rules.replay.is_some() || rules.reverse.is_some();
                ensure(some, || "a call with neither replay nor derivative".into())?;
                for block in std::iter::once(body).chain(&rules.replay) {
                    self.same("values taken and given to a call", &block.params, ins)?;
                    self.block(block)?;
                    self.same("what a call gives and its results", &block.results, outs)?;
                }
                if let Some(reverse) = &rules.reverse {
                    let results = outs.iter().copied();
                    let results =
                        results.filter(|v| self.tys(&[*v]).iter().all(|ty| ty.is_float()));
                    let takes: Vec<Value> = ins.iter().copied().chain(results).collect();
                    self.same("what a derivative takes", &reverse.params, &takes)?;
                    let outer = std::mem::replace(&mut self.in_reverse, true);
                    self.block(reverse)?;
                    self.in_reverse = outer;
                    self.same("what a derivative gives", &reverse.results, ins)?;
                }
            }
        }
        kind.outs().iter().try_for_each(|out| self.define(*out))
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

    fn replayed(&self) -> R {
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

    fn array(&self, id: ParamId) -> R<(crate::ty::Elem, u8)> {
        self.func
            .array(id)
            .ok_or_else(|| format!("parameter {} is no array", id.0))
    }

    fn place(&self, place: &Place) -> R<Scalar> {
        let outside = !self.in_reverse && self.func.gradient_of(place.array).is_some();
        ensure(!outside, || "a gradient outside of a derivative".into())?;
        let (elem, ndim) = self.array(place.array)?;
        let types = self.types(&place.index)?;
        let lead = match self.func.is_addressed(place.array) {
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

    fn op(&self, out: Value, op: Op, args: &[Value]) -> R {
        let types = self.types(args)?;
        let found = *self.func.values.get(out.0 as usize).ok_or("no type")?;
        let arity = |n: usize| ensure(types.len() == n, || format!("{op:?} of {types:?}"));
        let wanted = match op {
            Op::Const(constant) => {
                arity(0)?;
                let fits = match constant {
                    Const::Bool(_) => found == Scalar::Bool,
                    Const::Int(_) => found.is_int(),
                    Const::Float(_) => found.is_float(),
                };
                return ensure(fits, || format!("{constant:?} as {found}"));
            }
            Op::Tid(d) => {
                arity(0)?;
                ensure((d as usize) < MAX_NDIM, || format!("tid {d}"))?;
                Scalar::I32
            }
            Op::BlockDim => {
                arity(0)?;
                Scalar::I32
            }
            Op::Shape(id, d) => {
                arity(0)?;
                let (_, ndim) = self.array(id)?;
                self.passed(id)?;
                ensure(d < ndim, || format!("shape {d} of {ndim} dimensions"))?;
                Scalar::I32
            }
            Op::Param(id, comp) => {
                arity(0)?;
                let param = self.func.params.get(id.0 as usize);
                match param.map(|p| p.ty) {
                    Some(ParamType::Elem(elem)) if (comp as usize) < elem.count() => elem.scalar(),
                    _ => return Err(format!("component {comp} of parameter {}", id.0)),
                }
            }
            Op::Present(id) => {
                arity(0)?;
                self.array(id)?;
                self.passed(id)?;
                Scalar::Bool
            }
            Op::Address(id) => {
                arity(0)?;
                self.array(id)?;
                self.passed(id)?;
                Scalar::U64
            }
            Op::Stride(id, d) => {
                arity(0)?;
                let (_, ndim) = self.array(id)?;
                self.passed(id)?;
                ensure(d < ndim, || format!("stride {d} of {ndim} dimensions"))?;
                Scalar::I64
            }
            Op::Cast => return arity(1),
            Op::Bits => {
                arity(1)?;
                let fits = types[0].bits() == found.bits()
                    && types[0] != Scalar::Bool
                    && found != Scalar::Bool;
                return ensure(fits, || format!("bits of {} as {found}", types[0]));
            }
            Op::Select => {
                arity(3)?;
                let fits = types[0] == Scalar::Bool && types[1] == types[2];
                ensure(fits, || format!("select of {types:?}"))?;
                types[1]
            }
            Op::RangeLen => {
                arity(3)?;
                let fits = types[0].is_int() && types.iter().all(|t| *t == types[0]);
                ensure(fits, || format!("rangelen of {types:?}"))?;
                types[0]
            }
            named => {
                let rule: Option<Rule> = named.rule();
                let result = rule.and_then(|rule| rule.result(&types));
                result.ok_or_else(|| format!("{op:?} of {types:?}"))?
            }
        };
        ensure(found == wanted, || {
            format!("{op:?} gives {wanted}, %{} is {found}", out.0)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::ir::read;

    fn fails(body: &str, what: &str) {
        let text = format!("kernel k(x: array<float32, 1>, n: int32) {{\n{body}\n}}\n");
        let bug = check(&read(&text).expect("reads")).expect_err(body);
        assert!(bug.0.contains(what), "{bug}");
    }

    #[test]
    fn each_broken_invariant_is_found() {
        fails("%0:float32 = add %1, %1", "before it is defined");
        fails("%0:int32 = tid 0\n%0:int32 = tid 0", "defined twice");
        fails("%0:int32 = tid 0\n%1:float32 = sin %0", "Sin of");
        fails("%0:int32 = tid 4", "tid 4");
        fails("%0:int32 = tid 0\n%1:float32 = load x[%0, %0]", "2 indices");
        fails("%0:int32 = tid 0\nstore x[%0], %0", "int32 is written");
        fails("%0:float32 = param x 0", "component 0");
        fails("%0:int32 = shape x 1", "shape 1");
        fails(
            "%0:bool = const true\nif %0 -> () {\n%1:int32 = tid 0\nyield\n} else {\nyield\n}\n\
             %2:int32 = neg %1",
            "outside its block",
        );
        fails(
            "%0:bool = const true\nif %0 -> (%1:int32) {\nyield %0\n} else {\nyield %0\n}",
            "agree",
        );
    }

    #[test]
    fn matrix_products_have_sizes_and_one_type() {
        let product = |text: &str, what: &str| {
            fails(&format!("%0:int32 = tid 0\n{text}"), what);
        };
        product("%1:int32 = matmul 1x2x1 %0, %0, %0", "2 x 1 matrix");
        product("matmul 0x1x1 %0", "0 x 1 by 1 x 1");
        product("%1:float32 = matmul 1x1x1 %0, %0", "product of");
    }

    #[test]
    fn decompositions_have_sizes_and_one_type() {
        let ints = "%0:int32 = tid 0\n%1:int32, %2:int32, %3:int32, %4:int32, %5:int32, %6:int32, %7:int32, %8:int32, \
                    %9:int32, %10:int32 = factor svd2 %0, %0, %0, %0";
        fails(ints, "svd2 of");
        fails(
            "%0:float32 = const 1\n%1:float32 = factor eig3 %0",
            "eig3 of 1 values gives 1",
        );
    }

    #[test]
    fn calls_with_derivatives_take_and_give_the_same() {
        let call = |body: &str, what: &str| {
            let text = format!(
                "kernel k(x: array<float32, 1>, g: gradient<x>) {{\n%0:int32 = tid 0\n%1:float32 = load x[%0]\n\
                 custom with (%2:float32 = %1) -> (%3:float32) {{\nyield %2\n{body}}}\n}}\n"
            );
            let outcome = check(&read(&text).expect("reads"));
            match (outcome, what) {
                (Ok(()), "") => {}
                (Err(bug), what) if !what.is_empty() => assert!(bug.0.contains(what), "{bug}"),
                (outcome, _) => panic!("{body}: {outcome:?}"),
            }
        };
        call(
            "} reverse (%4:float32, %5:float32) {\n%6:float32 = load g[%0]\nyield %6\n",
            "",
        );
        call("", "neither");
        call("} replay (%4:float32) {\nyield %0\n", "what a call gives");
        call("} reverse (%4:float32) {\nyield %4\n", "derivative takes");
        call(
            "} reverse (%4:float32, %5:float32) {\nyield \n",
            "derivative gives",
        );
        call(
            "} replay (%4:float32) {\n%6:float32 = load g[%0]\nyield %6\n",
            "outside",
        );
    }

    #[test]
    fn records_and_replays_come_in_pairs() {
        let with = |body: &str| format!("%0:int32 = tid 0\n{body}");
        fails(&with("record 0:0 %0"), "never replayed");
        fails(&with("%1:int32 = replay 0:0"), "before it is recorded");
        let pair = "record 0:0 %0\n%1:int32 = replay 0:0\n";
        fails(&with(&format!("{pair}%2:int32 = replay 0:0")), "twice");
        fails(&with(&format!("record 1:0 %0\n{pair}")), "twice");
        let other = "record 0:0 %0\n%1:int32 = replay 1:0";
        fails(&with(other), "something else");
        let other = "record 0:0 %0\n%1:float32 = replay 0:0";
        fails(&with(other), "something else");
        fails(&with("record 4:0 %0\n%1:int32 = replay 4:0"), "4 stacks");
    }
}
