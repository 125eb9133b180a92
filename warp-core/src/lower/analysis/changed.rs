//! Arrays that a kernel changes by atomic operations. To those that it only adds to, such as most gradients, each thread of the
//! pool may add in a copy of its own, without atomic operations. Whether that pays depends on the launch, which says so in
//! [`crate::abi::flag::COPY`] and adds the copies up (privatization of reductions).

use crate::abi::{Change, ChangedArrays, Passed, Summed};
use crate::ir::{Block, Kind, ParamId, ParamType};
use crate::lower::analysis::facts::KernelFacts;
use crate::lower::analysis::reductions::Reductions;
use crate::lower::analysis::work;
use std::collections::BTreeMap;

/// Iterations of a loop that nobody knows.
const ROUNDS: u64 = 8;

/// What launches have to know of a kernel whose arguments lie at `offsets` of a block of `block` bytes.
pub fn changed_arrays(
    facts: &KernelFacts<'_>,
    reductions: &Reductions<'_>,
    offsets: &[usize],
    block: usize,
) -> ChangedArrays {
    let is_changed = |id: ParamId| {
        let mut accesses = facts.accesses.get(&id).into_iter().flatten();
        accesses.any(|kind| matches!(kind, Kind::Atomic { .. }))
    };
    if !facts.array_params().any(is_changed) {
        return ChangedArrays::default();
    }
    let mut adds = BTreeMap::new();
    count(facts, reductions, &facts.func.body, 1, &mut adds);
    let passed = |id: ParamId| {
        let param = facts.func.param(id);
        let ParamType::Array { ndim, .. } = param.ty else {
            unreachable!("only arrays are asked about");
        };
        let how = || match adds.get(&id) {
            Some(adds) => Change::Summed(Summed {
                bit: facts.summed[&id],
                scalar: param.ty.elem().scalar(),
                adds: u32::try_from(*adds).unwrap_or(u32::MAX),
            }),
            None if facts.is_non_atomic(id) => Change::NonAtomic,
            None => Change::InMemory,
        };
        Passed {
            offset: offsets[id.0 as usize] as u32,
            ndim,
            size: param.ty.elem().size() as u32,
            change: is_changed(id).then(how),
        }
    };
    ChangedArrays {
        block: block as u32,
        arrays: facts.array_params().map(passed).collect(),
    }
}

/// Counts what a thread adds to arrays that may be copied.
fn count(
    facts: &KernelFacts<'_>,
    reductions: &Reductions<'_>,
    block: &Block,
    times: u64,
    adds: &mut BTreeMap<ParamId, u64>,
) {
    for stmt in &block.stmts {
        let kind = &stmt.kind;
        if let Kind::Atomic { place, .. } = kind
            && facts.summed.contains_key(&place.array)
            && !reductions.has(place.array)
        {
            let all = adds.entry(place.array).or_default();
            *all = all.saturating_add(times);
        }
        let iterations = match kind {
            Kind::For { .. } => work::constant_iterations(kind, &facts.defs).unwrap_or(ROUNDS),
            Kind::While { .. } => ROUNDS,
            _ => 1,
        };
        if let Kind::Call { callee, .. } = kind {
            let block = &facts.func.callee(*callee).block;
            count(facts, reductions, block, times, adds);
        }
        for inner in kind.blocks() {
            count(
                facts,
                reductions,
                inner,
                times.saturating_mul(iterations),
                adds,
            );
        }
    }
}
