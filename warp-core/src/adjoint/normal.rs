//! The form that the other passes expect: no prints, no unused results, conditions of `while` without
//! effects, loads before the branches that load the same, equal expressions merged, operations without arguments at the top.

use crate::dtype::Scalar;
use crate::error::Bug;
use crate::intrinsic::{Derivative, row};
use crate::ir::{Block, Func, Intrinsic, Kind, Stmt, Value};
use crate::pass;
use crate::verify::Verified;
use std::collections::HashMap;

/// The same kernel in normal form.
pub(super) fn normalise(func: &Func) -> Result<Verified, Bug> {
    pass::normal(tidied(func))
}

/// A part of a kernel in normal form.
pub(super) fn normalise_part(func: &Func) -> Func {
    let mut func = tidied(func);
    pass::normal_part(&mut func);
    func
}

fn tidied(func: &Func) -> Func {
    let mut func = func.clone();
    let mut types = std::mem::take(&mut func.values);
    func.blocks_mut().for_each(|block| tidy(block, &mut types));
    func.values = types;
    func.set_effects();
    func
}

fn tidy(block: &mut Block, types: &mut Vec<Scalar>) {
    let mut stmts = Vec::with_capacity(block.stmts.len());
    for mut stmt in std::mem::take(&mut block.stmts) {
        match &mut stmt.kind {
            // What its author wrote as the derivative runs as it stands.
            Kind::Custom { body, rules, .. } => {
                tidy(body, types);
                rules.replay.iter_mut().for_each(|b| tidy(b, types));
            }
            kind => kind.blocks_mut().into_iter().for_each(|b| tidy(b, types)),
        }
        match &mut stmt.kind {
            // The kernel itself has checked.
            Kind::Intrinsic { op, outs, .. } if outs.is_empty() && is_left_out(op) => {}
            Kind::While {
                init,
                cond,
                body,
                outs,
            } if has_effect(cond) => {
                rotate(&mut stmts, types, [init, outs], cond, body);
                stmts.push(stmt);
            }
            _ => stmts.push(stmt),
        }
    }
    block.stmts = stmts;
}

/// Whether a statement is of no use in an adjoint: it only prints or ends the kernel.
fn is_left_out(op: &Intrinsic) -> bool {
    let effects = op.effects();
    let lasting = effects.faults || effects.ordered;
    let none = matches!(row(op).derivative, Derivative::None);
    none && lasting && !effects.writes
}

fn has_effect(block: &Block) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.kind {
        Kind::Store { .. } | Kind::Atomic { .. } => true,
        kind => kind.blocks().into_iter().any(has_effect),
    })
}

/// `while f(c): c = g(c)` becomes `t = f(c); while t: c = g(c); t = f(c)`: a condition's effects then
/// stand where effects are reversed.
fn rotate(
    before: &mut Vec<Stmt>,
    types: &mut Vec<Scalar>,
    [init, outs]: [&mut Vec<Value>; 2],
    cond: &mut Block,
    body: &mut Block,
) {
    let mut fresh = |like: Value| {
        types.push(types[like.0 as usize]);
        Value(types.len() as u32 - 1)
    };
    let test = cond.results[0];
    let flags = [test; 3].map(&mut fresh);
    let params: Vec<Value> = cond.params.iter().map(|p| fresh(*p)).collect();

    let start = cond.params.iter().copied().zip(init.iter().copied());
    let mut first = Copier {
        same: start.collect(),
        types,
    };
    before.extend(first.stmts(&cond.stmts));
    let first_test = first.get(test);

    let again = cond
        .params
        .iter()
        .copied()
        .zip(body.results.iter().copied());
    let mut next = Copier {
        same: again.collect(),
        types,
    };
    body.stmts.extend(next.stmts(&cond.stmts));
    let next_test = next.get(test);

    init.push(first_test);
    body.params.push(flags[0]);
    body.results.push(next_test);
    outs.push(flags[1]);
    *cond = Block {
        params: params.into_iter().chain([flags[2]]).collect(),
        stmts: Vec::new(),
        results: vec![flags[2]],
    };
}

/// Copies statements under new names.
struct Copier<'a> {
    same: HashMap<Value, Value>,
    types: &'a mut Vec<Scalar>,
}

impl Copier<'_> {
    fn get(&self, value: Value) -> Value {
        self.same.get(&value).copied().unwrap_or(value)
    }

    fn define(&mut self, value: &mut Value) {
        self.types.push(self.types[value.0 as usize]);
        let new = Value(self.types.len() as u32 - 1);
        self.same.insert(*value, new);
        *value = new;
    }

    fn stmts(&mut self, stmts: &[Stmt]) -> Vec<Stmt> {
        let mut out = stmts.to_vec();
        out.iter_mut().for_each(|s| self.stmt(s));
        out
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        stmt.kind.uses_mut(|v| *v = self.get(*v));
        for block in stmt.kind.blocks_mut() {
            block.params.iter_mut().for_each(|p| self.define(p));
            block.stmts.iter_mut().for_each(|s| self.stmt(s));
            block.results.iter_mut().for_each(|r| *r = self.get(*r));
        }
        stmt.kind.outs_mut().iter_mut().for_each(|o| self.define(o));
    }
}

#[cfg(test)]
mod tests {
    use super::normalise;
    use crate::ir::read;

    #[test]
    fn effects_leave_conditions() {
        let func = read(
            "\
kernel k(x: array<int32, 1>) {
  %0:int32 = tid 0
  %1:int32 = const 1
  while with (%2:int32 = %0) -> (%3:int32) {
    %4:int32 = atomic add x[%2], %1
    %5:bool = lt %4, %2
    yield %5
  } do (%6:int32) {
    %7:int32 = add %6, %1
    yield %7
  }
  store x[%3], %1
}
",
        )
        .expect("reads");
        let normal = normalise(&func).expect("verifies");
        crate::verify::check(&normal).expect("still valid");
        let text = normal.to_string();
        let (before, after) = text.split_once("while").expect("has its loop");
        let (cond, body) = after.split_once("do").expect("has its body");
        assert!(
            before.contains("atomic") && body.contains("atomic"),
            "{text}"
        );
        assert!(!cond.contains("atomic"), "{text}");
    }
}
