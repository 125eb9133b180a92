//! How a value differs between the lanes of a group: not at all, by a constant from lane to lane, or somehow.
//!
//! A value that a loop carries may be the same in all lanes that still run, though lanes leave the loop at different rounds: inside
//! the loop it counts as the same, behind it as varying. The statements are gone through until nothing changes any more; a shape
//! only ever moves towards [`Shape::Varying`].

use crate::ir::{Block, Const, Kind, Op, Slot, Value};
use crate::lower::defs::Def;
use crate::lower::facts::KernelFacts;
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

/// Which rounds of a loop a lane with fewer of them takes part in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Align {
    /// The first ones.
    Early,
    /// The last ones: the loop replays what another one recorded in its first rounds.
    Late,
}

/// The shapes of a kernel's values, and how its loops run.
#[derive(Debug)]
pub struct Shapes {
    of: Vec<Option<Shape>>,
    divergent: HashSet<usize>,
    aligned: HashMap<usize, Align>,
    /// Values that a slot records.
    recorded: HashMap<Slot, Vec<Value>>,
    /// How the loop around a slot's record runs.
    recorder: HashMap<Slot, Align>,
    /// Whether a loop replays what needs rounds in different orders.
    confused: bool,
    changed: bool,
}

impl Shapes {
    /// Looks at a kernel.
    pub fn new(facts: &KernelFacts<'_>) -> Shapes {
        let mut shapes = Shapes {
            of: vec![None; facts.func.values.len()],
            divergent: HashSet::new(),
            aligned: HashMap::new(),
            recorded: HashMap::new(),
            recorder: HashMap::new(),
            confused: false,
            changed: true,
        };
        shapes.align(&facts.func.body, Align::Early);
        while std::mem::take(&mut shapes.changed) {
            shapes.block(facts, &facts.func.body);
        }
        shapes.check(&facts.func.body);
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

    /// Whether lanes may leave a loop at different rounds.
    pub fn is_divergent(&self, kind: &Kind) -> bool {
        self.divergent.contains(&kind.key())
    }

    /// Which rounds of a loop lanes take part in.
    pub fn align_of(&self, kind: &Kind) -> Align {
        self.aligned
            .get(&kind.key())
            .copied()
            .unwrap_or(Align::Early)
    }

    /// Whether each loop can run in the order that its records need.
    pub fn can_replay(&self) -> bool {
        !self.confused
    }

    /// Finds out in what order loops have to run: what replays the first rounds of another loop needs its own last ones for it.
    fn align(&mut self, block: &Block, around: Align) {
        for stmt in &block.stmts {
            let kind = &stmt.kind;
            match kind {
                Kind::Record { slot, values } => {
                    self.recorded.insert(*slot, values.clone());
                    self.recorder.insert(*slot, around);
                }
                Kind::For { body, .. } => {
                    let mut found = None;
                    self.wanted(body, &mut found);
                    let align = found.unwrap_or(Align::Early);
                    self.aligned.insert(kind.key(), align);
                    self.align(body, align);
                }
                Kind::While { cond, body, .. } => {
                    for block in [cond, body] {
                        let mut found = None;
                        self.wanted(block, &mut found);
                        if found == Some(Align::Late) {
                            self.aligned.insert(kind.key(), Align::Late);
                        }
                        self.align(block, Align::Early);
                    }
                }
                kind => {
                    for inner in kind.blocks() {
                        self.align(inner, around);
                    }
                }
            }
        }
    }

    /// The order that the replays of a loop's own rounds want.
    fn wanted(&mut self, block: &Block, found: &mut Option<Align>) {
        for stmt in &block.stmts {
            match &stmt.kind {
                Kind::Replay { slot, .. } => {
                    let wants = match self.recorder.get(slot) {
                        Some(Align::Early) => Align::Late,
                        Some(Align::Late) => Align::Early,
                        None => continue,
                    };
                    self.confused |= found.is_some_and(|other| other != wants);
                    *found = Some(wants);
                }
                Kind::For { .. } | Kind::While { .. } => {}
                kind => {
                    for inner in kind.blocks() {
                        self.wanted(inner, found);
                    }
                }
            }
        }
    }

    /// A `while` whose lanes end at different rounds cannot start late.
    fn check(&mut self, block: &Block) {
        for stmt in &block.stmts {
            if matches!(stmt.kind, Kind::While { .. })
                && self.is_divergent(&stmt.kind)
                && self.align_of(&stmt.kind) == Align::Late
            {
                self.confused = true;
            }
            for inner in stmt.kind.blocks() {
                self.check(inner);
            }
        }
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
                let mut same = true;
                place.uses(|v| same &= self.is_uniform(v));
                let shape = if same { Shape::UNIFORM } else { Shape::Varying };
                self.set(*out, shape);
            }
            Kind::If {
                cond,
                then,
                els,
                outs,
            } => {
                self.block(facts, then);
                self.block(facts, els);
                let same = self.is_uniform(*cond);
                for (k, out) in outs.iter().enumerate() {
                    if !same {
                        self.set(*out, Shape::Varying);
                        continue;
                    }
                    self.copy(*out, then.results[k]);
                    self.copy(*out, els.results[k]);
                }
            }
            Kind::For {
                start,
                stop,
                step,
                init,
                body,
                outs,
            } => {
                let ends = [*start, *stop, *step];
                let differ = !ends.iter().all(|v| self.is_uniform(*v));
                if differ && self.divergent.insert(kind.key()) {
                    self.changed = true;
                }
                let late = self.align_of(kind) == Align::Late;
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
            Kind::Replay { slot, outs } => {
                let Some(values) = self.recorded.get(slot).cloned() else {
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
            kind => self.set_all(kind.outs(), Shape::Varying),
        }
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
            return Shape::Steps(1);
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
