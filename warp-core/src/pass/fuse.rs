//! Neighbouring `if`s on one condition become one: what the first computes in a branch is then
//! at hand in the same branch of the second. One without results may wait for what is only computed in between, as in an
//! adjoint, where each addition to a gradient stands in an `if` of its own.
//!
//! Lanes run both branches. So two `if`s stay apart if what the first records or replays in its second branch would come behind
//! what the second does in its first branch: the adjoint's own `if`s, which undo that, may not become one.

use crate::ir::{Block, Func, Kind, Stmt, Value};
use std::collections::HashMap;

/// Fuses neighbouring `if`s on one condition.
pub fn fuse(func: &mut Func) {
    func.blocks_mut().for_each(block);
}

fn block(block_: &mut Block) {
    let mut kept: Vec<Stmt> = Vec::with_capacity(block_.stmts.len());
    for stmt in std::mem::take(&mut block_.stmts) {
        if let Some(at) = waiting(&kept, &stmt.kind) {
            let first = kept.remove(at);
            kept.push(first);
        }
        if let Some(stmt) = match kept.last_mut() {
            Some(last) => join(&mut last.kind, stmt),
            None => Some(stmt),
        } {
            kept.push(stmt);
        }
    }
    for stmt in &mut kept {
        stmt.kind.blocks_mut().into_iter().for_each(block);
    }
    block_.stmts = kept;
}

/// Where an `if` stands that a statement is one with, and that may be run right before it.
fn waiting(before: &[Stmt], next: &Kind) -> Option<usize> {
    let Kind::If { cond: next, .. } = next else {
        return None;
    };
    let at = (before.iter()).rposition(|stmt| !matches!(stmt.kind, Kind::Let { .. }))?;
    match &before[at].kind {
        Kind::If { cond, outs, .. } if cond == next && outs.is_empty() => Some(at),
        _ => None,
    }
}

/// Appends a statement to the one before it, or gives it back.
fn join(before: &mut Kind, stmt: Stmt) -> Option<Stmt> {
    let fits = match (&*before, &stmt.kind) {
        (
            Kind::If { cond, els, .. },
            Kind::If {
                cond: next, then, ..
            },
        ) => cond == next && !(records(then) && records(els)),
        _ => false,
    };
    match (before, stmt) {
        (
            Kind::If {
                then, els, outs, ..
            },
            Stmt {
                kind:
                    Kind::If {
                        then: next_then,
                        els: next_els,
                        outs: next_outs,
                        ..
                    },
                ..
            },
        ) if fits => {
            append(then, next_then, outs);
            append(els, next_els, outs);
            outs.extend(next_outs);
            None
        }
        (_, stmt) => Some(stmt),
    }
}

/// Whether anything in a block is recorded or replayed.
fn records(block: &Block) -> bool {
    block.any(&|kind| kind.intrinsic().is_some_and(|op| op.slot().is_some()))
}

/// Appends a branch to the same branch of the `if` before, whose `outs` it may use.
fn append(branch: &mut Block, mut next: Block, outs: &[Value]) {
    let results = outs.iter().copied().zip(branch.results.iter().copied());
    rename(&mut next, &results.collect());
    branch.stmts.append(&mut next.stmts);
    branch.results.append(&mut next.results);
}

fn rename(block: &mut Block, names: &HashMap<Value, Value>) {
    let apply = |v: &mut Value| *v = names.get(v).copied().unwrap_or(*v);
    for stmt in &mut block.stmts {
        stmt.kind.uses_mut(apply);
        for inner in stmt.kind.blocks_mut() {
            rename(inner, names);
        }
    }
    block.results.iter_mut().for_each(apply);
}

#[cfg(test)]
mod tests {
    use super::fuse;
    use crate::ir::read;

    #[test]
    fn neighbours_are_fused() {
        let mut func = read(
            "\
kernel k(x: array<float32, 1>) {
  %0:int32 = tid 0
  %1:bool = eq %0, %0
  %2:float32 = load x[%0]
  if %1 -> (%3:float32) {
    %4:float32 = sin %2
    yield %4
  } else {
    yield %2
  }
  if %1 -> (%5:float32) {
    %6:float32 = cos %3
    yield %6
  } else {
    store x[%0], %3
    yield %2
  }
  store x[%0], %5
}
",
        )
        .expect("reads");
        fuse(&mut func);
        crate::verify::check(&func).expect("still valid");
        let text = func.to_string();
        assert_eq!(text.matches("if ").count(), 1, "{text}");
        assert!(
            text.contains("cos %4") && text.contains("store x[%0], %2"),
            "{text}"
        );
    }

    #[test]
    fn what_lanes_record_in_both_branches_stays_in_order() {
        let fused = |first: &str, second: &str| {
            let text = format!(
                "kernel k() {{\n%0:int32 = tid 0\n%1:bool = eq %0, %0\n\
                 if %1 -> () {{\nrecord 0:0 %0\nyield\n}} else {{\n{first}yield\n}}\n\
                 if %1 -> () {{\n{second}yield\n}} else {{\nrecord 0:3 %0\nyield\n}}\n}}\n"
            );
            let mut func = read(&text).expect("reads");
            fuse(&mut func);
            func.to_string().matches("if ").count() == 1
        };
        assert!(fused("", "record 0:2 %0\n") && fused("record 0:1 %0\n", ""));
        assert!(!fused("record 0:1 %0\n", "record 0:2 %0\n"));
    }

    #[test]
    fn what_is_computed_in_between_comes_first() {
        let mut func = read(
            "\
kernel k(x: array<float32, 1>, y: array<float32, 1>) {
  %0:int32 = tid 0
  %1:bool = present y
  %2:float32 = load x[%0]
  if %1 -> () {
    atomic add y[%0], %2
    yield
  } else {
    yield
  }
  %3:float32 = sin %2
  if %1 -> () {
    atomic add y[%0], %3
    yield
  } else {
    yield
  }
  %4:float32 = load x[%0]
  if %1 -> () {
    atomic add y[%0], %4
    yield
  } else {
    yield
  }
}
",
        )
        .expect("reads");
        fuse(&mut func);
        crate::verify::check(&func).expect("still valid");
        let text = func.to_string();
        // Memory is read where it was.
        assert_eq!(text.matches("if ").count(), 2, "{text}");
        let at = |part: &str| text.find(part).expect(part);
        assert!(
            at("sin") < at("if ") && at("y[%0], %3") < at("load x[%0]\n  if"),
            "{text}"
        );
    }
}
