//! Which values have adjoints: floats that depend on an element of an array and that a write depends on.

use crate::ir::{Block, Func, Intrinsic, Kind, Op, Primitive, Slot, Value};
use crate::pass::slots::{Replays, replays};

/// For each value whether it is active. In a part of a kernel, `inputs` are differentiated, and the results of the part are.
pub(super) fn active(func: &Func, inputs: &[Value]) -> Vec<bool> {
    let varied = spread(func, inputs, forward);
    let useful = spread(func, &func.body.results, backward);
    let both = varied.into_iter().zip(useful);
    both.map(|(varied, useful)| varied && useful).collect()
}

/// Applies `step` to the whole function until nothing changes.
fn spread(func: &Func, from: &[Value], step: fn(&Block, &mut Flags<'_>)) -> Vec<bool> {
    let mut flags = Flags {
        func,
        replays: replays(func),
        set: vec![false; func.values.len()],
        changed: true,
    };
    from.iter().for_each(|v| flags.add(*v));
    flags.changed = true;
    while std::mem::take(&mut flags.changed) {
        for block in func.blocks().rev() {
            step(block, &mut flags);
        }
    }
    flags.set
}

struct Flags<'a> {
    func: &'a Func,
    replays: Replays,
    set: Vec<bool>,
    changed: bool,
}

impl Flags<'_> {
    fn has(&self, value: Value) -> bool {
        self.set[value.0 as usize]
    }

    fn has_any(&self, values: &[Value]) -> bool {
        values.iter().any(|v| self.has(*v))
    }

    /// Sets the flag of a float.
    fn add(&mut self, value: Value) {
        if self.func.ty(value).is_float() && !self.has(value) {
            self.set[value.0 as usize] = true;
            self.changed = true;
        }
    }

    /// Sets the flag of `to` if that of `from` is set.
    fn flow(&mut self, from: Value, to: Value) {
        if self.has(from) {
            self.add(to);
        }
    }

    /// What the values of a slot are replayed as.
    fn replayed(&self, slot: Slot) -> Vec<Value> {
        self.replays.get(&slot).cloned().unwrap_or_default()
    }

    fn flow_all(&mut self, from: &[Value], to: &[Value]) {
        for (from, to) in from.iter().zip(to) {
            self.flow(*from, *to);
        }
    }
}

/// Piecewise constant: the derivative is zero wherever there is one. Bits read as another type have none.
fn flat(op: Op) -> bool {
    op == Op::Bits || op.primitive().is_some_and(Primitive::is_flat)
}

fn forward(block: &Block, flags: &mut Flags<'_>) {
    for stmt in &block.stmts {
        match &stmt.kind {
            Kind::Let { out, op, args } if !flat(*op) => {
                args.iter().for_each(|a| flags.flow(*a, *out));
            }
            Kind::Load { out, .. } | Kind::Atomic { out: Some(out), .. } => flags.add(*out),
            // Its derivative may be anything, and is not formed of what stands in it.
            Kind::Custom { outs, .. } => outs.iter().for_each(|out| flags.add(*out)),
            Kind::Call {
                callee, args, outs, ..
            } => {
                let function = &flags.func.callee(*callee).block;
                flags.flow_all(args, &function.params);
                flags.flow_all(&function.results, outs);
            }
            Kind::Intrinsic { op, args, outs } => match op {
                Intrinsic::Record(slot) => {
                    let outs = flags.replayed(*slot);
                    flags.flow_all(args, &outs);
                }
                _ if flags.has_any(args) => outs.iter().for_each(|out| flags.add(*out)),
                _ => {}
            },
            Kind::If {
                then, els, outs, ..
            } => {
                for block in [then, els] {
                    forward(block, flags);
                    flags.flow_all(&block.results, outs);
                }
            }
            Kind::For {
                init, body, outs, ..
            } => {
                flags.flow_all(init, &body.params[1..]);
                flags.flow_all(init, outs);
                forward(body, flags);
                flags.flow_all(&body.results, &body.params[1..]);
                flags.flow_all(&body.results, outs);
            }
            Kind::While {
                init,
                cond,
                body,
                outs,
            } => {
                flags.flow_all(init, &body.params);
                flags.flow_all(init, outs);
                forward(cond, flags);
                forward(body, flags);
                flags.flow_all(&body.results, &body.params);
                flags.flow_all(&body.results, outs);
            }
            _ => {}
        }
    }
}

fn backward(block: &Block, flags: &mut Flags<'_>) {
    for stmt in block.stmts.iter().rev() {
        match &stmt.kind {
            Kind::Let { out, args, .. } => args.iter().for_each(|a| flags.flow(*out, *a)),
            Kind::Store { value, .. } | Kind::Atomic { value, .. } => flags.add(*value),
            Kind::Custom { ins, .. } => ins.iter().for_each(|v| flags.add(*v)),
            Kind::Call {
                callee, args, outs, ..
            } => {
                let function = &flags.func.callee(*callee).block;
                flags.flow_all(outs, &function.results);
                flags.flow_all(&function.params, args);
            }
            Kind::Intrinsic { op, args, outs } => match op {
                Intrinsic::Record(slot) => {
                    let outs = flags.replayed(*slot);
                    flags.flow_all(&outs, args);
                }
                _ if flags.has_any(outs) => args.iter().for_each(|v| flags.add(*v)),
                _ => {}
            },
            Kind::If {
                then, els, outs, ..
            } => {
                for block in [then, els] {
                    flags.flow_all(outs, &block.results);
                    backward(block, flags);
                }
            }
            Kind::For {
                init, body, outs, ..
            } => {
                flags.flow_all(outs, &body.results);
                flags.flow_all(&body.params[1..], &body.results);
                backward(body, flags);
                flags.flow_all(&body.params[1..], init);
                flags.flow_all(outs, init);
            }
            Kind::While {
                init,
                cond,
                body,
                outs,
            } => {
                flags.flow_all(outs, &body.results);
                flags.flow_all(&body.params, &body.results);
                backward(body, flags);
                backward(cond, flags);
                flags.flow_all(&body.params, init);
                flags.flow_all(outs, init);
            }
            _ => {}
        }
    }
}
