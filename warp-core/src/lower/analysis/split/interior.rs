//! The interior of a kernel: the kernel without what is decided there.

use super::decide::Decisions;
use super::forms::Forms;
use crate::ir::{Block, Func, Kind, Op, Stmt, Value, Values};
use std::collections::HashMap;

/// Rewrites a kernel to its interior.
pub fn interior(mut func: Func, forms: &Forms, decisions: &Decisions) -> Func {
    let mut rewrite = Rewrite {
        forms,
        decisions,
        instead: HashMap::new(),
    };
    rewrite.block(&mut func.body);
    func.values.clone_from(&forms.types);
    func
}

struct Rewrite<'a> {
    forms: &'a Forms,
    decisions: &'a Decisions,
    /// What takes the place of a value.
    instead: HashMap<Value, Value>,
}

impl Rewrite<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut kept = Vec::with_capacity(block.stmts.len());
        self.statements(std::mem::take(&mut block.stmts), &mut kept);
        block.stmts = kept;
        block.results.iter_mut().for_each(|v| *v = self.now(*v));
    }

    fn statements(&mut self, stmts: Vec<Stmt>, kept: &mut Vec<Stmt>) {
        for mut stmt in stmts {
            stmt.kind.uses_mut(|v| *v = self.now(*v));
            let span = stmt.span;
            match stmt.kind {
                Kind::Let { out, op, args } => {
                    if let Some(kind) = self.compute(out, op, args) {
                        kept.push(Stmt { kind, span });
                    }
                }
                Kind::If {
                    cond,
                    then,
                    els,
                    outs,
                } if self.decisions.truth(self.forms, cond).is_some() => {
                    let side = match self.decisions.truth(self.forms, cond) {
                        Some(true) => then,
                        _ => els,
                    };
                    self.statements(side.stmts, kept);
                    for (out, result) in outs.into_iter().zip(side.results) {
                        let result = self.now(result);
                        self.instead.insert(out, result);
                    }
                }
                mut kind => {
                    for inner in kind.blocks_mut() {
                        self.block(inner);
                    }
                    kept.push(Stmt { kind, span });
                }
            }
        }
    }

    /// What an operation is in the interior; None if another value takes its place.
    fn compute(&mut self, out: Value, op: Op, args: Values) -> Option<Kind> {
        if let Some(division) = self.forms.remainders.get(&out) {
            let (op, args): (Op, Values) =
                (Op::Mod, division.iter().map(|v| self.now(*v)).collect());
            return Some(Kind::Let { out, op, args });
        }
        let truth = |cond: Value| self.decisions.truth(self.forms, cond);
        let (chosen, made) = match (self.forms.picks.get(&out), op) {
            (Some(pick), _) if truth(pick.cond) == Some(pick.truth) => (pick.chosen, pick.made),
            (_, Op::Select) => match truth(args[0]) {
                Some(true) => (args[1], None),
                Some(false) => (args[2], None),
                None => return Some(Kind::Let { out, op, args }),
            },
            _ => return Some(Kind::Let { out, op, args }),
        };
        let chosen = self.now(chosen);
        self.instead.insert(out, chosen);
        let (op, sides) = made?;
        let args = Values::from_slice(&sides.map(|v| self.now(v)));
        let out = self.forms.picks[&out].cond;
        Some(Kind::Let { out, op, args })
    }

    fn now(&self, value: Value) -> Value {
        self.instead.get(&value).copied().unwrap_or(value)
    }
}
