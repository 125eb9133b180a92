//! Which atomic operations a call reduces in a register first: those by which all threads change one element that nothing
//! else touches.

use crate::ir::{AtomicOp, Block, Kind, Op, ParamId};
use crate::lower::analysis::facts::KernelFacts;
use std::collections::HashMap;

/// The operations of a kernel that are reduced.
#[derive(Debug)]
pub struct Reductions<'a> {
    /// The statements, in the order of their registers.
    pub slots: Vec<&'a Kind>,
    by_statement: HashMap<usize, usize>,
    floats: Vec<ParamId>,
}

impl<'a> Reductions<'a> {
    /// Looks at a kernel.
    pub fn new(facts: &KernelFacts<'a>) -> Reductions<'a> {
        let mut reductions = Reductions {
            slots: Vec::new(),
            by_statement: HashMap::new(),
            floats: Vec::new(),
        };
        if facts.pointer_based || facts.func.threads.is_some() {
            // What addresses lead to may be that element; threads of a block wait for what others change.
            return reductions;
        }
        let mut uniform = vec![false; facts.func.values.len()];
        mark_uniform(&facts.func.body, &mut uniform);
        for (id, accesses) in &facts.accesses {
            if !facts.is_non_atomic(*id) && is_one_element(facts, accesses, &uniform) {
                if facts.func.param(*id).ty.elem().scalar().is_float() {
                    reductions.floats.push(*id);
                }
                for kind in accesses {
                    let slot = reductions.slots.len();
                    reductions.by_statement.insert(kind.key(), slot);
                    reductions.slots.push(kind);
                }
            }
        }
        reductions
    }

    /// Whether floats are summed in registers, so that the order of the sum shows in the result.
    pub fn sums_floats(&self) -> bool {
        let mut arrays = self.slots.iter().filter_map(|kind| match kind {
            Kind::Atomic {
                op: AtomicOp::Add,
                place,
                ..
            } => Some(place.array),
            _ => None,
        });
        arrays.any(|id| self.floats.contains(&id))
    }

    /// Whether all that changes an array is reduced. Otherwise nothing is.
    pub fn has(&self, id: ParamId) -> bool {
        let mut slots = self.slots.iter();
        slots.any(|kind| matches!(kind, Kind::Atomic { place, .. } if place.array == id))
    }

    /// The register of a statement.
    pub fn slot(&self, kind: &Kind) -> Option<usize> {
        self.by_statement.get(&kind.key()).copied()
    }
}

/// Marks the values that are the same for every thread of the launch, and computable before it.
fn mark_uniform(block: &Block, uniform: &mut [bool]) {
    for stmt in &block.stmts {
        if let Kind::Let { out, op, args } = &stmt.kind {
            uniform[out.0 as usize] =
                !matches!(op, Op::Tid(_)) && args.iter().all(|a| uniform[a.0 as usize]);
        }
        for inner in stmt.kind.blocks() {
            mark_uniform(inner, uniform);
        }
    }
}

/// Whether all accesses to an array are one kind of atomic operation, without log and with unread result, on an element that
/// every thread names.
fn is_one_element(facts: &KernelFacts<'_>, accesses: &[&Kind], uniform: &[bool]) -> bool {
    let mut first = None;
    accesses.iter().all(|kind| {
        let Kind::Atomic {
            out,
            op,
            place,
            log: false,
            ..
        } = kind
        else {
            return false;
        };
        let mut all = !op.replaces() && !out.is_some_and(|v| facts.used[v.0 as usize]);
        place.uses(|v| all &= uniform[v.0 as usize]);
        all && *first.get_or_insert(*op) == *op
    })
}
