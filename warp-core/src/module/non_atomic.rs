//! Adds that need no atomics where threads and buffers are apart.

use crate::adjoint::Report;
use crate::ir::{Block, Func, Kind, Op};

/// Adds that need no atomics where threads and buffers are apart.
#[derive(Debug)]
pub struct NonAtomicAdds {
    /// What the runtime has to know about each array.
    pub report: Report,
    /// The parameters whose adds those are.
    pub non_atomic: Vec<bool>,
}

impl NonAtomicAdds {
    /// Those of the adjoint of `source`, which has `params` parameters.
    pub fn of(source: &Func, report: Report, params: usize) -> NonAtomicAdds {
        let used = tids(&source.body);
        let mut non_atomic = vec![false; params];
        for array in &report.arrays {
            if let Some(grad) = array.grad {
                non_atomic[grad.0 as usize] = used != 0 && array.non_atomic & used == used;
            }
        }
        NonAtomicAdds { report, non_atomic }
    }

    /// Whether threads of a launch over `dims` meet at one element of a gradient that the code adds to
    /// without atomics: the launch then has to say that buffers overlap.
    pub fn threads_meet(&self, dims: &[i32]) -> bool {
        let extended = dims.iter().enumerate().filter(|(_, d)| **d != 1);
        let bits = extended.fold(0u8, |bits, (d, _)| bits | 1 << d);
        self.report.arrays.iter().any(|array| {
            let non_atomic = array.grad.is_some_and(|g| self.non_atomic[g.0 as usize]);
            non_atomic && array.adds && array.non_atomic & bits != bits
        })
    }
}

/// The launch dimensions that a kernel looks at, as bits.
fn tids(block: &Block) -> u8 {
    let mut bits = 0;
    for stmt in &block.stmts {
        if let Kind::Let { op: Op::Tid(d), .. } = stmt.kind {
            bits |= 1 << d;
        }
        for inner in stmt.kind.blocks() {
            bits |= tids(inner);
        }
    }
    bits
}
