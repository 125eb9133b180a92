//! Puts other statements in the places of intrinsics that have an expansion, such as decompositions.

use crate::intrinsic::row;
use crate::ir::{Block, Func, Intrinsic, Kind, Op, Stmt, Value};
use std::collections::HashMap;

/// Whether there are intrinsics that have an expansion.
pub fn has_expansions(func: &Func) -> bool {
    func.any(&expands)
}

/// Puts expansions in the places of intrinsics that have one.
pub fn expand(func: &mut Func) {
    let mut pass = Pass {
        same: HashMap::new(),
        types: std::mem::take(&mut func.values),
    };
    func.blocks_mut().for_each(|block| pass.block(block));
    func.values = pass.types;
}

fn expands(kind: &Kind) -> bool {
    (kind.intrinsic()).is_some_and(|op| row(op).expansion.is_some())
}

/// Whether there are decompositions whose statements are loops.
pub fn has_iterated(block: &Block) -> bool {
    block.any(&|kind| matches!(kind.intrinsic(), Some(Intrinsic::Factor(of)) if of.is_iterated()))
}

struct Pass {
    /// What stands for a result of an intrinsic.
    same: HashMap<Value, Value>,
    types: Vec<crate::dtype::Scalar>,
}

impl Pass {
    fn apply(&self, value: &mut Value) {
        if let Some(same) = self.same.get(value) {
            *value = *same;
        }
    }

    fn block(&mut self, block: &mut Block) {
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for mut stmt in std::mem::take(&mut block.stmts) {
            stmt.kind.uses_mut(|v| self.apply(v));
            for inner in stmt.kind.blocks_mut() {
                self.block(inner);
            }
            if let Kind::Intrinsic { op, args, outs } = &stmt.kind
                && let Some(expansion) = row(op).expansion
            {
                let body = expansion(op, self.types[args[0].0 as usize]);
                self.inline(body, args, outs, &mut stmts, stmt.span);
                continue;
            }
            stmts.push(stmt);
        }
        block.stmts = stmts;
        block.results.iter_mut().for_each(|r| self.apply(r));
    }

    /// Appends the statements of a function under names of their own.
    fn inline(
        &mut self,
        func: Func,
        a: &[Value],
        outs: &[Value],
        into: &mut Vec<Stmt>,
        span: crate::span::Span,
    ) {
        let first = self.types.len() as u32;
        self.types.extend(&func.values);
        let mut names: Vec<Value> = (0..func.values.len() as u32)
            .map(|v| Value(first + v))
            .collect();
        let mut body = func.body;
        for stmt in &body.stmts {
            if let Kind::Let {
                out,
                op: Op::Param(_, n),
                ..
            } = &stmt.kind
            {
                names[out.0 as usize] = a[*n as usize];
            }
        }
        body.stmts.retain(|stmt| {
            !matches!(
                &stmt.kind,
                Kind::Let {
                    op: Op::Param(..),
                    ..
                }
            )
        });
        body = renamed(body, &names, span);
        into.append(&mut body.stmts);
        for (out, result) in outs.iter().zip(body.results) {
            self.same.insert(*out, result);
        }
    }
}

/// A block under other names; its statements stand at a place.
pub fn renamed(mut block: Block, names: &[Value], span: crate::span::Span) -> Block {
    rename(&mut block, names, span);
    block
}

fn rename(block: &mut Block, names: &[Value], span: crate::span::Span) {
    let to = |v: &mut Value| *v = names[v.0 as usize];
    block.params.iter_mut().for_each(to);
    for stmt in &mut block.stmts {
        stmt.span = span;
        stmt.kind.uses_mut(to);
        for inner in stmt.kind.blocks_mut() {
            rename(inner, names, span);
        }
        stmt.kind.outs_mut().iter_mut().for_each(to);
    }
    block.results.iter_mut().for_each(to);
}
