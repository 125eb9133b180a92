//! Whether the order of threads shows in what a kernel does.

use crate::ir::{AtomicOp, Block, Func, Kind, Value};

/// Whether a result depends on which thread came first: float sums that threads share, extremes of floats (0.0 or -0.0, whichever
/// came first), what threads replace, or results of atomics that are used.
pub fn order_matters(func: &Func) -> bool {
    func.blocks().any(|block| in_block(func, block))
}

fn in_block(func: &Func, block: &Block) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.kind {
        Kind::Atomic { out, op, value, .. } => {
            out.is_some_and(|out| func.blocks().any(|block| is_used(block, out)))
                || op.replaces()
                || (matches!(op, AtomicOp::Add | AtomicOp::Min | AtomicOp::Max)
                    && func.ty(*value).is_float())
        }
        kind => kind
            .blocks_run()
            .into_iter()
            .any(|inner| in_block(func, inner)),
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
