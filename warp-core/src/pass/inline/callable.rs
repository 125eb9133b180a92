//! Which blocks can be functions of compiled code.

use crate::ir::{AtomicOp, Block, Func, Kind, ParamId, ParamType, Place};
use std::collections::HashSet;

/// What tells whether a block of a kernel can be a function.
///
/// The undo log is the thread's, derivatives that authors write are formed where the call is, and what is known of arrays that are
/// written is known of one body. An array that the whole kernel only adds to is none that anything has to be known of: additions
/// may come in any order. What a function records it replays itself.
#[derive(Debug)]
pub struct CanBeCalled<'a> {
    func: &'a Func,
    /// Arrays to which something is done besides adding.
    others: HashSet<ParamId>,
}

impl<'a> CanBeCalled<'a> {
    /// Looks at a kernel.
    pub fn of(func: &'a Func) -> CanBeCalled<'a> {
        let mut others = HashSet::new();
        func.blocks().for_each(|block| look(block, &mut others));
        CanBeCalled { func, others }
    }

    /// Whether a block can be a function.
    pub fn be(&self, block: &Block) -> bool {
        !block.any(&|kind| self.is_bound(kind))
    }

    /// Whether a statement has to stand in the kernel's body.
    fn is_bound(&self, kind: &Kind) -> bool {
        match kind {
            Kind::Store { place, log, .. } => *log || self.func.local(place.array).is_none(),
            Kind::Atomic { place, log, .. } => {
                *log || (self.func.local(place.array).is_none() && !self.only_adds(place))
            }
            Kind::Intrinsic { op, .. } => {
                op.slot().is_none() && (op.effects().ordered || op.effects().writes)
            }
            Kind::Custom { .. } => true,
            _ => false,
        }
    }

    fn only_adds(&self, place: &Place) -> bool {
        let passed = matches!(self.func.param(place.array).ty, ParamType::Array { .. });
        passed && !self.others.contains(&place.array)
    }
}

fn look(block: &Block, others: &mut HashSet<ParamId>) {
    for stmt in &block.stmts {
        match &stmt.kind {
            Kind::Atomic {
                op: AtomicOp::Add,
                out: None,
                log: false,
                ..
            } => {}
            Kind::Load { place, .. } | Kind::Store { place, .. } | Kind::Atomic { place, .. } => {
                others.insert(place.array);
            }
            kind => kind.blocks().into_iter().for_each(|b| look(b, others)),
        }
    }
}
