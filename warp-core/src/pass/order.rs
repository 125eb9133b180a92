//! Whether the order of threads shows in what a kernel does.

use crate::ir::{AtomicOp, Block, Func, Intrinsic, Kind, ObjectKind, Op, ParamId, Value};
use crate::pass::access::prints;
use std::collections::HashMap;

/// The parameter with the id of an object by whose order threads should run: a hash grid that a kernel with one thread index
/// queries, unless it asks for places in that order (`hash_grid_point_id`), or their order would show in more than how sums are
/// rounded. Neighbouring threads then read the same memory.
pub fn ordered_by(func: &Func) -> Option<ParamId> {
    let several = |kind: &Kind| {
        matches!(
            kind,
            Kind::Let {
                op: Op::Tid(1..),
                ..
            }
        )
    };
    // Such a kernel has an order of its own.
    let asks = |kind: &Kind| {
        let op = kind.intrinsic();
        matches!(op, Some(Intrinsic::Object(ObjectKind::HashGrid)))
    };
    if prints(func) || func.any(&several) || func.any(&asks) {
        return None;
    }
    let ids = func.body.stmts.iter().filter_map(|stmt| match stmt.kind {
        Kind::Let {
            out,
            op: Op::Param(id, 0),
            ..
        } => Some((out, id)),
        _ => None,
    });
    let ids: HashMap<Value, ParamId> = ids.collect();
    let queried = |kind: &Kind| match kind {
        Kind::Intrinsic {
            op: Intrinsic::Object(kind),
            args,
            ..
        } if kind.has_order() => ids.get(&args[0]).copied(),
        _ => None,
    };
    fn find(block: &Block, queried: &dyn Fn(&Kind) -> Option<ParamId>) -> Option<ParamId> {
        block.stmts.iter().find_map(|stmt| {
            let mut inner = stmt.kind.blocks().into_iter();
            queried(&stmt.kind).or_else(|| inner.find_map(|b| find(b, queried)))
        })
    }
    find(&func.body, &queried).filter(|_| !shows(func, false))
}

/// Whether a result depends on which thread came first: float sums that threads share, extremes of floats (0.0 or -0.0, whichever
/// came first), what threads replace, or results of atomics that are used.
pub fn order_matters(func: &Func) -> bool {
    shows(func, true)
}

/// Whether a result depends on which thread came first; with `sums`, also by how a float sum is rounded.
fn shows(func: &Func, sums: bool) -> bool {
    func.blocks().any(|block| in_block(func, block, sums))
}

fn in_block(func: &Func, block: &Block, sums: bool) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.kind {
        Kind::Atomic { out, op, value, .. } => {
            let iterations = match op {
                AtomicOp::Add => sums,
                AtomicOp::Min | AtomicOp::Max => true,
                _ => false,
            };
            out.is_some_and(|out| func.blocks().any(|block| is_used(block, out)))
                || op.replaces()
                || iterations && func.ty(*value).is_float()
        }
        kind => kind
            .blocks_run()
            .into_iter()
            .any(|inner| in_block(func, inner, sums)),
    })
}

/// Whether a kernel changes floats by atomic minima or maxima: its adjoint then looks for the values that are equal to the result.
pub fn takes_float_extremes(func: &Func) -> bool {
    fn within(func: &Func, block: &Block) -> bool {
        block.stmts.iter().any(|stmt| match &stmt.kind {
            Kind::Atomic { op, value, .. } => {
                matches!(op, AtomicOp::Min | AtomicOp::Max) && func.ty(*value).is_float()
            }
            kind => kind.blocks().into_iter().any(|inner| within(func, inner)),
        })
    }
    func.blocks().any(|block| within(func, block))
}

fn is_used(block: &Block, value: Value) -> bool {
    block.results.contains(&value)
        || block.stmts.iter().any(|stmt| {
            let mut found = false;
            stmt.kind.uses(|used| found |= used == value);
            found
                || stmt
                    .kind
                    .blocks()
                    .into_iter()
                    .any(|inner| is_used(inner, value))
        })
}
