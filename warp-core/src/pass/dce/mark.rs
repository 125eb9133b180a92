//! Marks what effects depend on, and in turn what that depends on.

use super::live::{Function, Live, derivative_writes};
use crate::ir::effects::Effects;
use crate::ir::{Block, CalleeId, Func, Intrinsic, Kind, Slot, Value};
use crate::pass::slots::replays;

impl Live {
    /// Finds the live values: those that stores, atomics, prints and unwinding depend on.
    pub fn of(func: &Func) -> Live {
        Live::find(func, false)
    }

    /// As [`Live::of`], of a part of a kernel.
    pub fn of_part(func: &Func) -> Live {
        Live::find(func, true)
    }

    fn find(func: &Func, part: bool) -> Live {
        let mut marker = Marker {
            live: Live {
                values: vec![false; func.values.len()],
                replays: replays(func),
                functions: (func.callees.iter())
                    .map(|callee| Function {
                        called: false,
                        params: callee.block.params.clone(),
                        results: vec![part; callee.block.results.len()],
                    })
                    .collect(),
                part,
            },
            changed: true,
        };
        // Those of a kernel are none, those of a part of one are needed.
        func.body.results.iter().for_each(|r| marker.mark(*r));
        marker.changed = true;
        while std::mem::take(&mut marker.changed) {
            marker.block(&func.body);
            for (number, callee) in func.callees.iter().enumerate().rev() {
                marker.callee(number, &callee.block);
            }
        }
        marker.live
    }
}

struct Marker {
    live: Live,
    changed: bool,
}

impl Marker {
    fn mark(&mut self, value: Value) {
        let flag = &mut self.live.values[value.0 as usize];
        if !*flag {
            *flag = true;
            self.changed = true;
        }
    }

    fn mark_uses(&mut self, kind: &Kind) {
        kind.uses(|v| self.mark(v));
    }

    /// Marks what the block's effects depend on, last statement first; true if there are any.
    fn block(&mut self, block: &Block) -> bool {
        let mut effect = false;
        for stmt in block.stmts.iter().rev() {
            effect |= self.stmt(&stmt.kind);
        }
        effect
    }

    /// Marks what a function's effects and results depend on, if it is called.
    fn callee(&mut self, number: usize, block: &Block) {
        if !self.live.functions[number].called {
            return;
        }
        for (n, result) in block.results.iter().enumerate() {
            if self.live.functions[number].results[n] {
                self.mark(*result);
            }
        }
        self.block(block);
    }

    fn stmt(&mut self, kind: &Kind) -> bool {
        match kind {
            Kind::Intrinsic {
                op: Intrinsic::Record(slot),
                args,
                ..
            } => self.record(*slot, args),
            // It runs as often as its record, which stays if it is needed.
            Kind::Intrinsic {
                op: Intrinsic::Replay(_),
                outs,
                ..
            } => self.live.any(outs),
            Kind::Call {
                callee,
                args,
                outs,
                effects,
            } => self.call(*callee, args, outs, *effects),
            Kind::Let { .. }
            | Kind::Load { .. }
            | Kind::Store { .. }
            | Kind::Atomic { .. }
            | Kind::Intrinsic { .. } => {
                let lasting = kind.effects().is_lasting();
                if lasting || self.live.any(kind.outs()) {
                    self.mark_uses(kind);
                }
                lasting
            }
            Kind::If {
                cond,
                then,
                els,
                outs,
            } => self.branch(*cond, [then, els], outs),
            Kind::For {
                start,
                stop,
                step,
                init,
                body,
                outs,
            } => {
                let effect = self.settle(|this| {
                    let live =
                        |this: &Self, i: usize| this.live.any(&[outs[i], body.params[i + 1]]);
                    this.carried(live, init, &body.results);
                    this.block(body)
                });
                if effect || self.live.any(outs) {
                    [*start, *stop, *step]
                        .into_iter()
                        .for_each(|v| self.mark(v));
                }
                effect
            }
            // All or nothing: what it takes and gives has its place in the derivative.
            Kind::Custom {
                body, rules, outs, ..
            } => {
                let effect = self.block(body) || derivative_writes(rules);
                if effect || self.live.any(outs) {
                    self.mark_uses(kind);
                    for block in std::iter::once(body)
                        .chain(&rules.replay)
                        .chain(&rules.reverse)
                    {
                        block.results.iter().for_each(|r| self.mark(*r));
                        self.block(block);
                    }
                }
                effect
            }
            Kind::While {
                init,
                cond,
                body,
                outs,
            } => self.settle(|this| {
                let live = |this: &Self, i: usize| {
                    this.live.any(&[outs[i], cond.params[i], body.params[i]])
                };
                this.carried(live, init, &body.results);
                let effect = this.block(body) | this.block(cond);
                if effect || this.live.any(outs) {
                    this.mark(cond.results[0]);
                }
                this.block(cond);
                effect
            }),
        }
    }

    /// Marks what is recorded and replayed for a use.
    fn record(&mut self, slot: Slot, args: &[Value]) -> bool {
        let mut effect = false;
        for (value, needed) in args.iter().zip(self.live.recorded(slot)) {
            if needed {
                self.mark(*value);
                effect = true;
            }
        }
        effect
    }

    /// Marks what an `if` needs.
    fn branch(&mut self, cond: Value, [then, els]: [&Block; 2], outs: &[Value]) -> bool {
        for (i, out) in outs.iter().enumerate() {
            if self.live.has(*out) {
                self.mark(then.results[i]);
                self.mark(els.results[i]);
            }
        }
        let [a, b] = [self.block(then), self.block(els)];
        if a || b || self.live.any(outs) {
            self.mark(cond);
        }
        a || b
    }

    /// Marks what a call needs: of a function, the results that somebody uses, and the parameters that these depend on.
    fn call(&mut self, callee: CalleeId, args: &[Value], outs: &[Value], effects: Effects) -> bool {
        let number = callee.0 as usize;
        let lasting = effects.is_lasting();
        if lasting || self.live.any(outs) {
            self.changed |= !std::mem::replace(&mut self.live.functions[number].called, true);
            for (n, out) in outs.iter().enumerate() {
                if self.live.has(*out) && !self.live.functions[number].results[n] {
                    self.live.functions[number].results[n] = true;
                    self.changed = true;
                }
            }
            let taken = self.live.taken(&self.live.functions[number]);
            for (arg, _) in args.iter().zip(taken).filter(|(_, taken)| *taken) {
                self.mark(*arg);
            }
        }
        lasting
    }

    /// Marks initial values and results of live carried values.
    fn carried(&mut self, live: impl Fn(&Self, usize) -> bool, init: &[Value], results: &[Value]) {
        for i in 0..init.len() {
            if live(self, i) {
                self.mark(init[i]);
                self.mark(results[i]);
            }
        }
    }

    /// Repeats one loop's step until it finds nothing new.
    fn settle(&mut self, mut step: impl FnMut(&mut Self) -> bool) -> bool {
        let before = std::mem::take(&mut self.changed);
        let mut any = before;
        loop {
            let effect = step(self);
            if !std::mem::take(&mut self.changed) {
                self.changed = any;
                return effect;
            }
            any = true;
        }
    }
}
