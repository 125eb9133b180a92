//! Removes what is not live: statements, and of regions the values that nobody needs.

use super::live::{Live, derivative_writes};
use crate::ir::{Block, Func, Intrinsic, Kind, Stmt, Value};

fn filter(values: &mut Vec<Value>, kept: &[bool]) {
    let mut kept = kept.iter();
    values.retain(|_| *kept.next().expect("lists of a region are equally long"));
}

impl Live {
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
