//! Where the number of lanes shows in a kernel's results.
//!
//! A gang runs each statement for all its lanes before the next one. Where a thread changes memory more than once, and the order of
//! changes shows, as in a sum of floats (or in an extreme of 0.0 and -0.0), it therefore matters which threads are in one gang.

use crate::ir::{AtomicOp, Block, Kind};
use crate::lower::analysis::facts::KernelFacts;
use crate::lower::analysis::reductions::Reductions;
use crate::lower::analysis::work;
use crate::lower::host::lanes::analysis::shape::Shapes;

/// Whether it shows how many lanes a gang has, though none of them meet at one element by what they know.
pub fn order_shows(facts: &KernelFacts<'_>) -> bool {
    changes(facts, &facts.func.body, &|_| false) > 1
}

/// The same of what is not reduced in registers, and whether what lanes add to one element of that comes together.
pub fn order_shows_beside(
    facts: &KernelFacts<'_>,
    shapes: &Shapes,
    reductions: &Reductions<'_>,
) -> bool {
    let besides = |kind: &Kind| reductions.slot(kind).is_some();
    let folds = |kind: &Kind| folds(facts, shapes, kind) && !besides(kind);
    changes(facts, &facts.func.body, &besides) > 1 || facts.func.blocks().any(|b| b.any(&folds))
}

/// Whether what lanes add to one element comes together first.
pub fn folds_floats(facts: &KernelFacts<'_>, shapes: &Shapes) -> bool {
    let folds = |kind: &Kind| folds(facts, shapes, kind);
    facts.func.blocks().any(|block| block.any(&folds))
}

fn folds(facts: &KernelFacts<'_>, shapes: &Shapes, kind: &Kind) -> bool {
    match kind {
        Kind::Atomic { op, place, .. } => {
            let same = *op == AtomicOp::Add && shapes.is_same(place);
            same && facts.func.param(place.array).ty.elem().scalar().is_float()
        }
        _ => false,
    }
}

/// How often a thread may change memory so that the order shows: never, once, or several times. Some statements do not count.
fn changes(facts: &KernelFacts<'_>, block: &Block, besides: &dyn Fn(&Kind) -> bool) -> u64 {
    let each = block.stmts.iter().map(|stmt| {
        let inner = stmt.kind.blocks().into_iter();
        let inner: u64 = inner.map(|b| changes(facts, b, besides)).sum();
        match &stmt.kind {
            kind @ Kind::For { .. } => {
                inner
                    * work::constant_iterations(kind, &facts.defs)
                        .unwrap_or(2)
                        .min(2)
            }
            Kind::While { .. } => inner * 2,
            Kind::Call { callee, .. } => changes(facts, &facts.func.callee(*callee).block, besides),
            kind => inner + u64::from(!besides(kind) && shows_order(facts, kind)),
        }
    });
    each.sum::<u64>().min(2)
}

/// Whether it shows when a statement changes an element before or after another thread does.
fn shows_order(facts: &KernelFacts<'_>, kind: &Kind) -> bool {
    let Kind::Atomic { out, op, place, .. } = kind else {
        return false;
    };
    if op.replaces() || out.is_some_and(|v| facts.used[v.0 as usize]) {
        return true;
    }
    // An element that one thread touches has its changes in the thread's own order.
    let own = facts.is_non_atomic(place.array) || facts.func.local(place.array).is_some();
    let ordered = matches!(op, AtomicOp::Add | AtomicOp::Min | AtomicOp::Max);
    ordered && !own && facts.func.param(place.array).ty.elem().scalar().is_float()
}
