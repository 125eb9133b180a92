//! Drops what nothing depends on: pure statements and loads, results of `if`, carried values,
//! recorded values whose replay is unused, and whole regions that are left without effect.
//!
//! Two steps, so that a caller may look at what is live before anything is dropped.

use crate::ir::{Block, Func, Intrinsic, Kind, Rules, Slot, Stmt, Value};
use crate::pass::cse::writes;
use crate::pass::slots::{Replays, replays};

/// Which values something that has an effect depends on.
#[derive(Clone, PartialEq, Debug)]
pub struct Live {
    values: Vec<bool>,
    replays: Replays,
    functions: Vec<Function>,
    /// The functions are those of a whole of which this is a part: they stay as they are.
    part: bool,
}

/// What of a function somebody needs.
#[derive(Clone, PartialEq, Debug)]
struct Function {
    called: bool,
    /// Each parameter, which is a value.
    params: Vec<Value>,
    /// Whether each result is needed by any call.
    results: Vec<bool>,
}

/// Drops dead code.
pub fn dce(func: &mut Func) {
    Live::of(func).drop_dead(func);
}

/// Drops dead code in a part of a kernel, whose functions stay as they are.
pub fn dce_part(func: &mut Func) {
    Live::of_part(func).drop_dead(func);
}

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

    /// Whether something depends on the value.
    pub fn has(&self, value: Value) -> bool {
        self.values[value.0 as usize]
    }

    fn any(&self, values: &[Value]) -> bool {
        values.iter().any(|v| self.has(*v))
    }

    /// Removes everything that is not live.
    pub fn drop_dead(&self, func: &mut Func) {
        self.sweep(&mut func.body);
        if self.part {
            return;
        }
        for (callee, known) in func.callees.iter_mut().zip(&self.functions) {
            self.sweep(&mut callee.block);
            filter(&mut callee.block.params, &self.taken(known));
            filter(&mut callee.block.results, &known.results);
        }
    }

    /// For each parameter of a function whether it is needed.
    fn taken(&self, function: &Function) -> Vec<bool> {
        let taken = |p: &Value| self.part || self.has(*p);
        function.params.iter().map(taken).collect()
    }

    /// For each value of a slot whether its replay is needed.
    fn recorded(&self, slot: Slot) -> Vec<bool> {
        let outs = self.replays.get(&slot);
        let outs = outs.expect("a record has its replay: the function was verified");
        outs.iter().map(|out| self.has(*out)).collect()
    }

    fn sweep(&self, block: &mut Block) {
        block.stmts.retain_mut(|stmt| self.keep(stmt));
    }

    /// Trims a statement; false if nothing of it is left.
    fn keep(&self, stmt: &mut Stmt) -> bool {
        match &mut stmt.kind {
            Kind::Let { out, .. } | Kind::Load { out, .. } => self.has(*out),
            Kind::Atomic { out, .. } => {
                *out = out.filter(|o| self.has(*o));
                true
            }
            Kind::Store { .. } => true,
            Kind::Intrinsic { op, args, outs } => match op {
                Intrinsic::Record(slot) => {
                    filter(args, &self.recorded(*slot));
                    !args.is_empty()
                }
                Intrinsic::Replay(slot) => {
                    filter(outs, &self.recorded(*slot));
                    !outs.is_empty()
                }
                op => op.effects().is_lasting() || self.any(outs),
            },
            Kind::Call {
                callee,
                args,
                outs,
                effects,
            } => {
                let known = &self.functions[callee.0 as usize];
                let needed = effects.is_lasting() || self.any(outs);
                filter(args, &self.taken(known));
                filter(outs, &known.results);
                needed
            }
            Kind::If {
                then, els, outs, ..
            } => {
                self.sweep(then);
                self.sweep(els);
                let kept: Vec<bool> = outs.iter().map(|o| self.has(*o)).collect();
                filter(&mut then.results, &kept);
                filter(&mut els.results, &kept);
                filter(outs, &kept);
                !(outs.is_empty() && then.stmts.is_empty() && els.stmts.is_empty())
            }
            Kind::For {
                init, body, outs, ..
            } => {
                self.sweep(body);
                let kept: Vec<bool> = (0..outs.len())
                    .map(|i| self.any(&[outs[i], body.params[i + 1]]))
                    .collect();
                let iv = body.params.remove(0);
                filter(&mut body.params, &kept);
                body.params.insert(0, iv);
                filter(&mut body.results, &kept);
                filter(init, &kept);
                filter(outs, &kept);
                !(outs.is_empty() && body.stmts.is_empty())
            }
            Kind::Custom {
                body, rules, outs, ..
            } => {
                self.sweep(body);
                rules
                    .replay
                    .iter_mut()
                    .chain(&mut rules.reverse)
                    .for_each(|b| self.sweep(b));
                self.any(outs) || !body.stmts.is_empty() || derivative_writes(rules)
            }
            Kind::While {
                init,
                cond,
                body,
                outs,
            } => {
                let kept: Vec<bool> = (0..outs.len())
                    .map(|i| self.any(&[outs[i], cond.params[i], body.params[i]]))
                    .collect();
                self.sweep(cond);
                self.sweep(body);
                for list in [
                    init,
                    &mut cond.params,
                    &mut body.params,
                    &mut body.results,
                    outs,
                ] {
                    filter(list, &kept);
                }
                // The condition's result is live exactly if the loop has a purpose.
                self.has(cond.results[0])
            }
        }
    }
}

/// Whether a derivative writes anything, gradients too: then a call matters to the adjoint whose results nobody uses.
fn derivative_writes(rules: &Rules) -> bool {
    rules.reverse.as_ref().is_some_and(writes)
}

fn filter(values: &mut Vec<Value>, kept: &[bool]) {
    let mut kept = kept.iter();
    values.retain(|_| *kept.next().expect("lists of a region are equally long"));
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
            } => {
                let mut effect = false;
                for (value, needed) in args.iter().zip(self.live.recorded(*slot)) {
                    if needed {
                        self.mark(*value);
                        effect = true;
                    }
                }
                effect
            }
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
            } => {
                let number = callee.0 as usize;
                let lasting = effects.is_lasting();
                if lasting || self.live.any(outs) {
                    self.changed |=
                        !std::mem::replace(&mut self.live.functions[number].called, true);
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
            } => {
                for (i, out) in outs.iter().enumerate() {
                    if self.live.has(*out) {
                        self.mark(then.results[i]);
                        self.mark(els.results[i]);
                    }
                }
                let [a, b] = [self.block(then), self.block(els)];
                if a || b || self.live.any(outs) {
                    self.mark(*cond);
                }
                a || b
            }
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

#[cfg(test)]
mod tests {
    use super::dce;
    use crate::ir::read;

    fn cleaned(text: &str) -> String {
        let mut func = read(text).expect("reads");
        dce(&mut func);
        crate::verify::check(&func).expect("still valid");
        func.to_string()
    }

    #[test]
    fn carried_values_without_use_go() {
        let text = cleaned(
            "\
kernel k(x: array<float32, 1>, n: int32) {
  %0:int32 = tid 0
  %1:int32 = param n 0
  %2:float32 = load x[%0]
  %9:bool = lt %0, %1
  for %3:int32 in range(%0, %1, %1) with (%4:float32 = %2, %5:float32 = %2) -> (%6:float32, %7:float32) {
    %8:float32 = mul %4, %5
    yield %4, %8
  }
  if %9 -> (%10:float32) {
    yield %7
  } else {
    yield %6
  }
  store x[%0], %6
}
",
        );
        assert!(
            text.contains("with (%4:float32 = %2) -> (%6:float32) {\n    yield %4\n"),
            "{text}"
        );
        assert!(!text.contains("mul") && !text.contains("if"), "{text}");
    }

    /// What no replay gives back to a use is not recorded, and the loops around go with it.
    #[test]
    fn records_that_nobody_needs_go() {
        let text = "\
kernel k(x: array<float32, 1>, n: int32) {
  %0:int32 = tid 0
  %1:int32 = param n 0
  %2:float32 = load x[%0]
  for %3:int32 in range(%0, %1, %1) with () -> () {
    record 0:0 %2, %3
    record 1:1 %3
    yield 
  }
  for %4:int32 in range(%0, %1, %1) with () -> () {
    %5:int32 = replay 1:1
    %6:float32, %7:int32 = replay 0:0
    STORE
    yield 
  }
}
";
        let kept = cleaned(&text.replace("STORE", "store x[%7], %2"));
        assert!(
            kept.contains("record 0:0 %3\n") && !kept.contains("1:1"),
            "{kept}"
        );
        assert!(!cleaned(&text.replace("    STORE\n", "")).contains("for"));
    }

    #[test]
    fn a_loop_without_purpose_goes() {
        let text = cleaned(
            "\
kernel k(x: array<float32, 1>) {
  %0:int32 = tid 0
  while with (%1:int32 = %0) -> (%2:int32) {
    %3:bool = lt %1, %0
    yield %3
  } do (%4:int32) {
    %5:int32 = add %4, %4
    yield %5
  }
}
",
        );
        assert_eq!(text, "kernel k(x: array<float32, 1>) {\n}\n");
    }
}
