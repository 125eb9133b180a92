//! How a value differs between the lanes of a gang: not at all, by a constant from lane to lane, or somehow.
//!
//! A value that a loop carries may be the same in all lanes that still run, though lanes leave the loop at different iterations: inside
//! the loop it counts as the same, behind it as varying. The statements are gone through until nothing changes any more; a shape
//! only ever moves towards [`Shape::Varying`].

use crate::ir::{Block, Const, Intrinsic, Kind, Op, ParamId, Place, Slot, Value};
use crate::lower::analysis::defs::Def;
use crate::lower::analysis::facts::KernelFacts;
use crate::lower::analysis::split::Held;
use crate::lower::host::lanes::analysis::order::{Align, Order};
use std::collections::{HashMap, HashSet};

/// How a value differs between lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// An integer that grows by so much from lane to lane (modulo its type), or anything that is the same in all: by 0.
    Steps(i64),
    /// Anything else.
    Varying,
}

impl Shape {
    /// The same in all lanes.
    pub const UNIFORM: Shape = Shape::Steps(0);

    fn join(self, other: Shape) -> Shape {
        if self == other { self } else { Shape::Varying }
    }
}

/// The shapes of a kernel's values, and how its loops run.
#[derive(Debug)]
pub struct Shapes {
    of: Vec<Option<Shape>>,
    /// Arrays of which each thread has its own.
    locals: HashSet<ParamId>,
    divergent: HashSet<usize>,
    /// In what order iterations of loops and sides of conditions run.
    pub order: Order,
    /// Values that a slot records.
    recorded: HashMap<Slot, Vec<Value>>,
    /// Whether what a gang replays is what it has recorded.
    replays: bool,
    changed: bool,
}

impl Shapes {
    /// Looks at a kernel.
    pub fn new(facts: &KernelFacts<'_>) -> Shapes {
        let mut shapes = Shapes {
            of: vec![None; facts.func.values.len()],
            locals: facts.local_params().collect(),
            divergent: HashSet::new(),
            order: Order::new(facts.func.blocks()),
            recorded: HashMap::new(),
            replays: true,
            changed: true,
        };
        for block in facts.func.blocks() {
            shapes.find_records(block);
        }
        while std::mem::take(&mut shapes.changed) {
            for block in facts.func.blocks() {
                shapes.block(facts, block);
            }
        }
        let mut blocks = facts.func.blocks();
        shapes.replays =
            blocks.all(|body| shapes.order.nests(body) && !shapes.has_late_while(body));
        shapes
    }

    /// The shape of a value.
    pub fn of(&self, value: Value) -> Shape {
        self.of[value.0 as usize].unwrap_or(Shape::UNIFORM)
    }

    /// Whether a value is the same in all lanes.
    pub fn is_uniform(&self, value: Value) -> bool {
        self.of(value) == Shape::UNIFORM
    }

    /// Whether all lanes access one number.
    pub fn is_same(&self, place: &Place) -> bool {
        let mut same = !self.locals.contains(&place.array);
        place.uses(|v| same &= self.is_uniform(v));
        same
    }

    /// Whether lanes may leave a loop at different iterations.
    pub fn is_divergent(&self, kind: &Kind) -> bool {
        self.divergent.contains(&kind.key())
    }

    /// Whether loops and conditions can run in the order that records need.
    pub fn can_replay(&self) -> bool {
        self.replays
    }

    fn find_records(&mut self, block: &Block) {
        for stmt in &block.stmts {
            if let Kind::Intrinsic {
                op: Intrinsic::Record(slot),
                args,
                ..
            } = &stmt.kind
            {
                self.recorded.insert(*slot, args.clone());
            }
            for inner in stmt.kind.blocks() {
                self.find_records(inner);
            }
        }
    }

    /// A `while` whose lanes end at different iterations cannot start late.
    fn has_late_while(&self, block: &Block) -> bool {
        block.stmts.iter().any(|stmt| {
            let kind = &stmt.kind;
            matches!(kind, Kind::While { .. })
                && self.is_divergent(kind)
                && self.order.align_of(kind) == Align::Late
                || kind.blocks().into_iter().any(|b| self.has_late_while(b))
        })
    }

    fn set(&mut self, value: Value, shape: Shape) {
        let old = self.of[value.0 as usize];
        let new = old.map_or(shape, |old| old.join(shape));
        if old != Some(new) {
            self.of[value.0 as usize] = Some(new);
            self.changed = true;
        }
    }

    fn set_all(&mut self, values: &[Value], shape: Shape) {
        values.iter().for_each(|v| self.set(*v, shape));
    }

    /// As [`Shapes::of`] for what was looked at already.
    fn known(&self, value: Value) -> Option<Shape> {
        self.of[value.0 as usize]
    }

    fn copy(&mut self, to: Value, from: Value) {
        if let Some(shape) = self.known(from) {
            self.set(to, shape);
        }
    }

    fn block(&mut self, facts: &KernelFacts<'_>, block: &Block) {
        for stmt in &block.stmts {
            self.stmt(facts, &stmt.kind);
        }
    }

    fn stmt(&mut self, facts: &KernelFacts<'_>, kind: &Kind) {
        match kind {
            Kind::Let { out, op, args } => {
                let shape = self.operation(facts, *out, *op, args);
                self.set(*out, shape);
            }
            Kind::Load { out, place } => {
                let shape = match self.is_same(place) {
                    true => Shape::UNIFORM,
                    false => Shape::Varying,
                };
                self.set(*out, shape);
            }
            Kind::If {
                cond,
                then,
                els,
                outs,
            } => self.branch(facts, *cond, [then, els], outs),
            Kind::For { .. } => self.for_(facts, kind),
            Kind::While {
                init,
                cond,
                body,
                outs,
            } => {
                self.carry(&cond.params, init, &body.results);
                self.block(facts, cond);
                for (inner, param) in body.params.iter().zip(&cond.params) {
                    self.copy(*inner, *param);
                }
                self.block(facts, body);
                self.carry(&cond.params, init, &body.results);
                if !self.is_uniform(cond.results[0]) && self.divergent.insert(kind.key()) {
                    self.changed = true;
                }
                self.leave(kind, &cond.params, outs);
            }
            Kind::Intrinsic {
                op: Intrinsic::Replay(slot),
                outs,
                ..
            } => self.replay(*slot, outs),
            Kind::Call {
                callee, args, outs, ..
            } => {
                let block = &facts.func.callee(*callee).block;
                for (param, arg) in block.params.iter().zip(args) {
                    self.copy(*param, *arg);
                }
                for (out, result) in outs.iter().zip(&block.results) {
                    self.copy(*out, *result);
                }
            }
            Kind::Intrinsic {
                op: Intrinsic::Object(_) | Intrinsic::Read(_) | Intrinsic::Search(_),
                args,
                outs,
            } => {
                let shape = match args.iter().all(|arg| self.is_uniform(*arg)) {
                    true => Shape::UNIFORM,
                    false => Shape::Varying,
                };
                self.set_all(outs, shape);
            }
            kind => self.set_all(kind.outs(), Shape::Varying),
        }
    }

    fn branch(
        &mut self,
        facts: &KernelFacts<'_>,
        cond: Value,
        [then, els]: [&Block; 2],
        outs: &[Value],
    ) {
        self.block(facts, then);
        self.block(facts, els);
        let same = self.is_uniform(cond);
        for (k, out) in outs.iter().enumerate() {
            if !same {
                self.set(*out, Shape::Varying);
                continue;
            }
            self.copy(*out, then.results[k]);
            self.copy(*out, els.results[k]);
        }
    }

    fn replay(&mut self, slot: Slot, outs: &[Value]) {
        let Some(values) = self.recorded.get(&slot).cloned() else {
            return self.set_all(outs, Shape::Varying);
        };
        for (out, value) in outs.iter().zip(values) {
            // What is the same in all lanes was so when it was recorded, and the same lanes replay it.
            match self.known(value) {
                Some(Shape::UNIFORM) => self.set(*out, Shape::UNIFORM),
                _ => self.set(*out, Shape::Varying),
            }
        }
    }

    fn for_(&mut self, facts: &KernelFacts<'_>, kind: &Kind) {
        let Kind::For {
            start,
            stop,
            step,
            init,
            body,
            outs,
        } = kind
        else {
            return;
        };
        let ends = [*start, *stop, *step];
        let differ = !ends.iter().all(|v| self.is_uniform(*v));
        if differ && self.divergent.insert(kind.key()) {
            self.changed = true;
        }
        let late = self.order.align_of(kind) == Align::Late;
        let varies = self.is_divergent(kind) && late || !self.is_uniform(*step);
        let first = if varies {
            Shape::Varying
        } else {
            self.of(*start)
        };
        self.set(body.params[0], first);
        self.carry(&body.params[1..], init, &body.results);
        self.block(facts, body);
        self.carry(&body.params[1..], init, &body.results);
        // A lane that starts late keeps what it came with, so that lanes differ.
        if self.is_divergent(kind) && late {
            self.set_all(&body.params[1..], Shape::Varying);
        }
        self.leave(kind, &body.params[1..], outs);
    }

    fn carry(&mut self, params: &[Value], init: &[Value], results: &[Value]) {
        for ((param, first), next) in params.iter().zip(init).zip(results) {
            self.copy(*param, *first);
            self.copy(*param, *next);
        }
    }

    fn leave(&mut self, kind: &Kind, params: &[Value], outs: &[Value]) {
        for (out, param) in outs.iter().zip(params) {
            match self.is_divergent(kind) {
                true => self.set(*out, Shape::Varying),
                false => self.copy(*out, *param),
            }
        }
    }

    fn operation(&self, facts: &KernelFacts<'_>, out: Value, op: Op, args: &[Value]) -> Shape {
        if op == Op::Tid(facts.dims as u8 - 1) {
            return match facts.ordered {
                true => Shape::Varying,
                false => Shape::Steps(1),
            };
        }
        match facts.held(out) {
            Some(Held::Fixed) => return Shape::UNIFORM,
            Some(Held::Along(step)) => return Shape::Steps(step),
            None => {}
        }
        if args.iter().all(|a| self.is_uniform(*a)) {
            return Shape::UNIFORM;
        }
        let ty = facts.func.ty(out);
        if !ty.is_int() || ty.bits() < 32 {
            return Shape::Varying;
        }
        let step = |k: usize| match self.of(args[k]) {
            Shape::Steps(step) => Some(step),
            Shape::Varying => None,
        };
        let constant = |k: usize| match facts.defs[args[k].0 as usize] {
            Def::Let(Op::Const(Const::Int(n)), _) => Some(n),
            _ => None,
        };
        let found = match op {
            Op::Add => step(0).zip(step(1)).and_then(|(a, b)| a.checked_add(b)),
            Op::Sub => step(0).zip(step(1)).and_then(|(a, b)| a.checked_sub(b)),
            Op::Neg => step(0).and_then(i64::checked_neg),
            Op::Mul => match (constant(0), constant(1)) {
                (Some(n), _) => step(1).and_then(|b| b.checked_mul(n)),
                (_, Some(n)) => step(0).and_then(|a| a.checked_mul(n)),
                _ => None,
            },
            // The thread index itself does not wrap when it is read in 64 bits.
            Op::Cast if matches!(facts.defs[args[0].0 as usize], Def::Let(Op::Tid(_), _)) => {
                step(0)
            }
            _ => None,
        };
        // Larger steps are as good as any.
        match found {
            Some(step) if step.abs() <= 1 << 16 => Shape::Steps(step),
            _ => Shape::Varying,
        }
    }
}
