//! Whether threads may wait for each other: lanes of a gang run together, so that one which waits for another never ends.

use crate::ir::{Block, Kind, ParamId, Place};
use crate::lower::analysis::facts::KernelFacts;
use crate::lower::host::lanes::analysis::shape::{Shape, Shapes};
use std::collections::BTreeSet;

/// Whether a loop may end by what another thread does to memory: the loop of a lock that tries to take it, or one that looks
/// at a flag. [`KernelFacts::waits`] are loops that nothing else ends, which no thread of the pool shares either; here are also those that
/// others may end early, except by elements that are mostly the thread's own.
pub fn may_wait(facts: &KernelFacts<'_>, shapes: &Shapes) -> bool {
    if facts.waits {
        return true;
    }
    let mut written = BTreeSet::new();
    for (id, accesses) in &facts.accesses {
        if accesses
            .iter()
            .any(|k| matches!(k, Kind::Store { .. } | Kind::Atomic { .. }))
        {
            written.insert(*id);
        }
    }
    let look = Look {
        facts,
        shapes,
        written,
    };
    // A loop may be around each call.
    let mut callees = facts.func.callees.iter();
    callees.any(|callee| look.block(&callee.block, true)) || look.block(&facts.func.body, false)
}

struct Look<'a> {
    facts: &'a KernelFacts<'a>,
    shapes: &'a Shapes,
    /// Arrays that the kernel writes.
    written: BTreeSet<ParamId>,
}

impl Look<'_> {
    /// `repeats`: the block is part of a loop without a number of iterations.
    fn block(&self, block: &Block, repeats: bool) -> bool {
        block.stmts.iter().any(|stmt| match &stmt.kind {
            Kind::Atomic { out: Some(out), .. } if repeats => self.facts.used[out.0 as usize],
            Kind::Load { place, .. } if repeats => {
                self.written.contains(&place.array) && !self.is_own(place)
            }
            Kind::While { cond, body, .. } => self.block(cond, true) || self.block(body, true),
            kind => kind.blocks().into_iter().any(|b| self.block(b, repeats)),
        })
    }

    /// Whether a place differs from lane to lane as the thread index does: mostly it is the thread's own.
    fn is_own(&self, place: &Place) -> bool {
        let mut steps = place.index.iter().map(|v| self.shapes.of(*v));
        steps.any(|shape| matches!(shape, Shape::Steps(k) if k != 0))
    }
}
