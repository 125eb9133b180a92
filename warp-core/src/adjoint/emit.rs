//! The state of emission, shared by [`super::record`] and [`mod@super::reverse`].

use crate::adjoint::branches::Exported;
use crate::adjoint::classify::{ReversePlan, is_float};
use crate::adjoint::runs::Runs;
use crate::dtype::{Scalar, TABLE};
use crate::ir::{
    Block, Builder, CalleeId, Comp, Const, Effects, Func, Kind, Op, ParamId, ParamType, Part,
    Place, Slot, Value, Values,
};
use crate::pass::slots::replays;
use crate::span::Span;
use std::collections::{BTreeMap, HashMap, HashSet};

/// An adjoint before cleaning, and what is known about its values.
#[derive(Debug)]
pub(super) struct Emitted {
    pub func: Func,
    /// The gradients, which are no other parameter's memory.
    pub gradients: HashSet<ParamId>,
    /// The source's load that each load is a copy of.
    pub loads: HashMap<Value, Value>,
    /// Values that stand for results of atomics.
    pub ordered: Vec<Ordered>,
    /// Functions that are derivatives, and of which function of the source.
    pub derivatives: Vec<(CalleeId, CalleeId)>,
    /// The `if`s whose branches give their reverse what they compute.
    pub exported: Vec<Exported>,
}

/// A value that stands for the result of an atomic.
#[derive(Debug)]
pub(super) struct Ordered {
    pub value: Value,
    pub span: Span,
    pub array: ParamId,
}

/// A function of an adjoint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Function {
    pub id: CalleeId,
    pub effects: Effects,
}

/// The forms in which a function of the source has been emitted.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Forms {
    pub forward: Option<Function>,
    pub derivative: Option<Function>,
}

/// How forward code is emitted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// What a reverse needs of it: writes only where a load depends on them.
    Sweep,
    /// The code of a derivative that its author wrote: all of it runs, on the gradients of this adjoint.
    Gradient,
    /// Such code once more, as a rule of a call, for the adjoint of this adjoint.
    Rule,
}

/// Emits the adjoint of a normalised kernel. `keeps` chooses between the two ways, see [`crate::adjoint`]. Calls with
/// derivatives of their own stay such calls where they run forward.
pub(super) fn emit(source: &Func, plan: &ReversePlan, runs: &Runs, keeps: bool) -> Emitted {
    let mut emitter = Emitter::new(source, plan, runs, keeps);
    if keeps {
        emitter.keep(&source.body, &mut Vec::new());
        emitter.reverse(&source.body);
    } else {
        let start = (!runs.is_empty()).then(|| emitter.mark());
        emitter.sweep(&source.body, None, &mut Vec::new());
        emitter.reverse(&source.body);
        if let Some(mark) = start {
            emitter.b.span = Span::default();
            emitter.b.push(Kind::unwind(mark));
        }
    }
    let gradients = emitter.grads.iter().flatten();
    Emitted {
        gradients: gradients.map(|(id, _)| *id).collect(),
        func: emitter.b.finish(),
        loads: emitter.loads,
        ordered: emitter.ordered,
        derivatives: emitter.derivatives,
        exported: emitter.exported,
    }
}

/// Stands for a parameter that has none.
const NONE: ParamId = ParamId(u32::MAX);

pub(super) struct Emitter<'a> {
    pub b: Builder,
    pub plan: &'a ReversePlan,
    pub runs: &'a Runs,
    /// Whether everything runs once and is kept, instead of run again from what each iteration recorded.
    pub keeps: bool,
    pub mode: Mode,
    /// Nothing is differentiated now: writes that ran are taken back.
    pub only_restores: bool,
    /// What stands for each value of the source where code is emitted now. Behind the source's values come
    /// two for each loop, its mark and its number of iterations, one for each write, what it overwrote, and those that each
    /// call keeps.
    env: Vec<Option<Value>>,
    pub source: &'a Func,
    /// By function of the source.
    pub forms: Vec<Forms>,
    pub derivatives: Vec<(CalleeId, CalleeId)>,
    /// Values of the source that the derivative which is emitted now is given.
    pub given: HashSet<Value>,
    /// Adjoints so far of the source's values, for the scope that is reversed now.
    pub adj: BTreeMap<Value, Value>,
    pub loads: HashMap<Value, Value>,
    pub ordered: Vec<Ordered>,
    pub exported: Vec<Exported>,
    /// The names in `env` of what each loop records, in order.
    pub recorded: Vec<Vec<Value>>,
    /// The recording stack of this adjoint: the first that the source leaves alone.
    stack: u8,
    /// The number of the next slot. Those of the source come first, then one for each loop.
    next_slot: u32,
    first_slot: u32,
    /// The slot that carries the adjoints of what a slot of the source carries.
    adjoint_slots: HashMap<Slot, Slot>,
    /// By number: what a slot of the source is in code that is emitted once more.
    pub copied_slots: HashMap<u32, Slot>,
    /// By type, in the body or function that is emitted now.
    pub zeros: Vec<Value>,
    /// The parameter that stands for each of the source.
    arrays: Vec<ParamId>,
    /// Gradient of each parameter, and whether it is there unless each access says that, in the body or function that is emitted now.
    pub grads: Vec<Option<(ParamId, Option<Value>)>>,
}

impl<'a> Emitter<'a> {
    /// One that goes on with a kernel, of which the source is a part. `grads` are the gradients of its parameters, and `slots`
    /// slots are taken.
    pub fn within(
        mut b: Builder,
        source: &'a Func,
        plan: &'a ReversePlan,
        runs: &'a Runs,
        keeps: bool,
        grads: &[Option<ParamId>],
        slots: u32,
    ) -> Emitter<'a> {
        let zeros = Emitter::zeros(&mut b);
        let there = b.bool(true);
        let grads = grads
            .iter()
            .map(|grad| grad.map(|id| (id, Some(there))))
            .collect();
        let arrays = (0..source.params.len() as u32).map(ParamId).collect();
        Emitter::start(b, zeros, arrays, grads, source, plan, runs, keeps, slots)
    }

    /// What was emitted, and how many slots are taken now.
    pub fn end(self) -> (Builder, u32) {
        (self.b, self.next_slot)
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one struct")]
    fn start(
        b: Builder,
        zeros: Vec<Value>,
        arrays: Vec<ParamId>,
        grads: Vec<Option<(ParamId, Option<Value>)>>,
        source: &'a Func,
        plan: &'a ReversePlan,
        runs: &'a Runs,
        keeps: bool,
        slots: u32,
    ) -> Emitter<'a> {
        let used = replays(source);
        let stack = used.keys().map(|s| s.stack + 1).max().unwrap_or(0);
        let next_slot = used.keys().map(|s| s.id + 1).max().unwrap_or(0).max(slots);
        let names =
            source.values.len() + 2 * plan.loop_count() + plan.write_count() + plan.kept_count;
        Emitter {
            b,
            plan,
            runs,
            keeps,
            mode: Mode::Sweep,
            only_restores: false,
            env: vec![None; names],
            source,
            forms: vec![Forms::default(); source.callees.len()],
            derivatives: Vec::new(),
            given: HashSet::new(),
            adj: BTreeMap::new(),
            loads: HashMap::new(),
            ordered: Vec::new(),
            exported: Vec::new(),
            recorded: vec![Vec::new(); plan.loop_count()],
            stack,
            next_slot: next_slot + plan.loop_count() as u32,
            first_slot: next_slot,
            adjoint_slots: HashMap::new(),
            copied_slots: HashMap::new(),
            zeros,
            arrays,
            grads,
        }
    }

    fn new(source: &'a Func, plan: &'a ReversePlan, runs: &'a Runs, keeps: bool) -> Emitter<'a> {
        let mut b = Builder::new(format!("adj_{}", source.name));
        let passed = source.arguments().len();
        let mut names: Vec<String> = source.params.iter().map(|p| p.name.clone()).collect();
        // Gradients of fields are fields of an array of their own.
        let groups = source.params.iter().filter_map(|p| p.part);
        let groups = groups.map(|part| part.group + 1).max().unwrap_or(0);
        let mut arrays = Vec::new();
        let mut grads = Vec::new();
        // What is passed and its gradients, then what is not.
        for part in [0..passed, passed..source.params.len()] {
            for param in &source.params[part.clone()] {
                if let ParamType::Gradient { .. } = param.ty {
                    arrays.push(NONE);
                } else {
                    arrays.push(b.param_like(param.name.clone(), param.ty, param.part));
                }
            }
            for (i, param) in part.clone().zip(&source.params[part]) {
                let id = ParamId(i as u32);
                grads.push(is_float(source, id).then(|| {
                    let mut name = format!("adj_{}", param.name);
                    while names.contains(&name) {
                        name.push('_');
                    }
                    names.push(name.clone());
                    let part = param.part.map(|part| Part {
                        group: groups + part.group,
                        ..part
                    });
                    b.param_like(name, param.ty, part)
                }));
            }
        }
        for (param, at) in source.params.iter().zip(0..) {
            if let ParamType::Gradient { of, elem, ndim } = param.ty {
                let of: ParamId = arrays[of.0 as usize];
                arrays[at] = b.param(param.name.clone(), ParamType::Gradient { of, elem, ndim });
            }
        }
        // At the top, where every block sees them; what is not used is dropped later.
        let zeros = Emitter::zeros(&mut b);
        let grads: Vec<Option<(ParamId, Option<Value>)>> = grads
            .into_iter()
            .map(|grad| grad.map(|id| (id, Emitter::presence(&mut b, id))))
            .collect();
        for (grad, _) in grads[passed..].iter().flatten() {
            b.clear(*grad);
        }
        Emitter::start(b, zeros, arrays, grads, source, plan, runs, keeps, 0)
    }

    /// Whether a gradient is there, unless each access says that.
    fn presence(b: &mut Builder, gradient: ParamId) -> Option<Value> {
        match b.func().param(gradient).ty {
            ParamType::Local { .. } => Some(b.bool(true)),
            ParamType::PointerBased { .. } => None,
            _ => Some(b.let_(Scalar::Bool, Op::Present(gradient), &[])),
        }
    }

    /// As [`Emitter::grads`] of the body or function that is emitted now.
    pub fn presences(&mut self) -> Vec<Option<(ParamId, Option<Value>)>> {
        let grads = self.grads.iter();
        grads
            .map(|grad| grad.map(|(id, _)| (id, Emitter::presence(&mut self.b, id))))
            .collect()
    }

    /// A zero of each type, in the order of the table.
    pub fn zeros(b: &mut Builder) -> Vec<Value> {
        TABLE.iter().map(|row| b.number(row.scalar, 0.0)).collect()
    }

    /// The name in `env` of a loop's mark.
    pub fn mark_of(&self, id: usize) -> Value {
        Value((self.source.values.len() + 2 * id) as u32)
    }
    /// The name in `env` of a loop's number of iterations.
    pub fn rounds_of(&self, id: usize) -> Value {
        Value((self.source.values.len() + 2 * id + 1) as u32)
    }

    /// The name in `env` of what a store or atomic overwrote.
    pub fn old_of(&self, kind: &Kind) -> Value {
        let before = self.source.values.len() + 2 * self.plan.loop_count();
        Value((before + self.plan.write_id(kind)) as u32)
    }

    /// What of a function of the source its derivative is given. Where everything is kept, it is computed again.
    pub fn kept(&self, callee: CalleeId) -> &'a [Value] {
        match self.keeps {
            true => &[],
            false => &self.plan.kept[callee.0 as usize],
        }
    }

    /// The names in `env` of what a call keeps.
    pub fn kept_by(&self, callee: CalleeId, call: &Kind) -> Vec<Value> {
        let before = self.source.values.len() + 2 * self.plan.loop_count();
        let first = before + self.plan.write_count() + self.plan.kept_before(call);
        let count = self.kept(callee).len();
        (first..first + count).map(|n| Value(n as u32)).collect()
    }

    /// Where a loop records.
    pub fn slot_of(&self, id: usize) -> Slot {
        Slot {
            stack: self.stack,
            id: self.first_slot + id as u32,
        }
    }
    /// Where the adjoints of what a slot of the source carries go. On the same stack: there reverse code does in the
    /// opposite order what forward code did, and forward code leaves it empty.
    pub fn adjoint_slot(&mut self, slot: Slot) -> Slot {
        let next = Slot {
            stack: slot.stack,
            id: self.next_slot,
        };
        let found = *self.adjoint_slots.entry(slot).or_insert(next);
        if found == next {
            self.next_slot += 1;
        }
        found
    }

    /// A slot of its own for code that is emitted once more.
    pub fn new_slot(&mut self, slot: Slot) -> Slot {
        self.next_slot += 1;
        let id = self.next_slot - 1;
        Slot { id, ..slot }
    }

    /// The array of which a parameter of the source is the gradient.
    pub fn array_of_gradient(&self, array: ParamId) -> Option<ParamId> {
        self.source.gradient_of(array)
    }

    /// A new value of the type that one of the source has.
    pub fn fresh_of(&mut self, value: Value) -> Value {
        let ty = self.source_ty(value);
        self.b.fresh(ty)
    }

    /// What stands for a value of the source.
    pub fn get(&self, value: Value) -> Value {
        self.env[value.0 as usize].expect("a sweep defined the value in this scope")
    }
    pub fn get_all(&self, values: &[Value]) -> Vec<Value> {
        values.iter().map(|v| self.get(*v)).collect()
    }
    pub fn set(&mut self, value: Value, to: Value) {
        self.env[value.0 as usize] = Some(to);
    }
    pub fn set_all(&mut self, values: &[Value], to: &[Value]) {
        for (value, to) in values.iter().zip(to) {
            self.set(*value, *to);
        }
    }
    pub fn place(&self, place: &Place) -> Place {
        Place {
            array: self.array(place.array),
            index: place.index.iter().map(|v| self.get(*v)).collect(),
            comp: match place.comp {
                Comp::At(value) => Comp::At(self.get(value)),
                fixed => fixed,
            },
        }
    }

    pub fn array(&self, array: ParamId) -> ParamId {
        self.arrays[array.0 as usize]
    }

    /// What the elements of an array are made of.
    pub fn element(&self, array: ParamId) -> Scalar {
        self.source.param(array).ty.elem().scalar()
    }

    pub fn source_ty(&self, value: Value) -> Scalar {
        self.source.ty(value)
    }

    pub fn zero(&self, ty: Scalar) -> Value {
        self.zeros[ty as usize]
    }
    pub fn zero_like(&self, value: Value) -> Value {
        self.zero(self.b.ty(value))
    }

    /// Where the gradient of a place in an array of floats lies, and the value that says whether there is one.
    pub fn gradient_of(&mut self, place: &Place) -> Option<(Place, Value)> {
        let (array, present) = self.grads[place.array.0 as usize]?;
        let mut own = self.place(place);
        own.array = array;
        if let Some(present) = present {
            return Some((own, present));
        }
        // It lies where the description says, and has no gradient itself.
        let none = self.zero(Scalar::U64);
        let gradient = std::mem::replace(&mut own.index[1], none);
        own.index[0] = gradient;
        let present = self.b.op(Op::Ne, &[gradient, none]);
        Some((own, present))
    }

    /// The gradient of an array that is passed, and the value that says whether there is one.
    pub fn passed_gradient(&self, array: ParamId) -> Option<(ParamId, Value)> {
        let (gradient, present) = self.grads[array.0 as usize]?;
        Some((gradient, present?))
    }

    pub fn mark(&mut self) -> Value {
        let out = self.b.fresh(Scalar::I64);
        self.b.push(Kind::mark(out));
        out
    }

    /// A copy of a pure operation.
    pub fn copy_let(&mut self, out: Value, op: Op, args: &[Value]) {
        if self.given.contains(&out) {
            return;
        }
        let ty = self.source.ty(out);
        let to = match op {
            Op::Const(constant) => self.b.constant(ty, constant),
            _ => {
                let args: Values = args.iter().map(|a| self.get(*a)).collect();
                self.b.let_(ty, op, &args)
            }
        };
        self.set(out, to);
    }

    /// Whether a value is the constant `wanted`.
    pub fn is_int(&self, value: Value, wanted: i64) -> bool {
        self.b.as_const(value) == Some(Const::Int(wanted))
    }

    /// Runs `f` into a new block, whose results are to be set by the caller.
    pub fn block(&mut self, params: Vec<Value>, f: impl FnOnce(&mut Self)) -> Block {
        self.b.open(params);
        f(self);
        self.b.close(Vec::new())
    }
}
