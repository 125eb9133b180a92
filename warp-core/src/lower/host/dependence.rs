//! Where a thread meets memory again that it has used: LLVM's vectoriser makes one access of the accesses to neighbouring
//! components, and in a loop that is said to be free of dependences it does so without a look at those within an iteration.
//! Loads move up to the first of their group, stores down to the last.

use crate::ir::{Block, Comp, Kind, Op, ParamId, Place, Value};
use crate::lower::analysis::defs::Def;
use crate::lower::analysis::facts::KernelFacts;
use crate::lower::analysis::split::Held;
use std::collections::BTreeMap;

/// Whether a thread comes back to a component that it has written, of elements that have gaps between them for the
/// vectoriser: a load moves before a store that it must follow.
pub fn depends_on_itself(facts: &KernelFacts<'_>) -> bool {
    facts.accesses.iter().any(|(id, accesses)| {
        let places = accesses.iter().filter_map(|kind| match kind {
            Kind::Load { place, .. } => Some((place, false)),
            Kind::Store { place, .. } => Some((place, true)),
            // One that stays atomic is no part of a group, and keeps its place.
            Kind::Atomic { place, .. } => Some((place, facts.is_non_atomic(*id))),
            _ => None,
        });
        let places: Vec<(&Place, bool)> = places.collect();
        let gaps = has_gaps(facts, *id);
        let meet = |a: &Place, b: &Place| match (a.comp, b.comp) {
            (Comp::Fixed(a), Comp::Fixed(b)) => a == b,
            _ => true,
        };
        let again = |at: usize| {
            let (place, writes) = places[at];
            writes && places[at + 1..].iter().any(|(next, _)| meet(place, next))
        };
        gaps && (0..places.len()).any(again)
    })
}

/// Whether the vectoriser sees groups in the accesses to an array: components, fields, or indices with gaps.
fn has_gaps(facts: &KernelFacts<'_>, id: ParamId) -> bool {
    let param = facts.func.param(id);
    let mut places = facts.accesses[&id].iter().filter_map(|kind| match kind {
        Kind::Load { place, .. } | Kind::Store { place, .. } | Kind::Atomic { place, .. } => {
            Some(place)
        }
        _ => None,
    });
    param.ty.elem().count() > 1
        || param.step() != param.ty.elem().size()
        || places.any(|place| is_scaled(facts, place))
}

/// Pairs of arrays that must not overlap: where one is written between loads of a group of the other's, or used between stores
/// of such a group. One array may be passed for both.
pub fn crossings(facts: &KernelFacts<'_>) -> Vec<(ParamId, ParamId)> {
    let mut uses = BTreeMap::new();
    let mut at = 0;
    for block in facts.func.blocks() {
        look(facts, block, false, &mut at, &mut uses);
    }
    let mut found = Vec::new();
    for (a, of_a) in &uses {
        for (b, of_b) in &uses {
            if a < b && (cross(facts, *a, of_a, of_b) || cross(facts, *b, of_b, of_a)) {
                found.push((*a, *b));
            }
        }
    }
    found
}

/// When an array is used, counted in accesses.
#[derive(Default)]
struct Uses {
    loads: Vec<usize>,
    stores: Vec<usize>,
}

/// Whether a group of accesses to `id` moves over what another array is used for.
fn cross(facts: &KernelFacts<'_>, id: ParamId, own: &Uses, other: &Uses) -> bool {
    let between = |group: &[usize], others: &[usize]| match (group.first(), group.last()) {
        (Some(first), Some(last)) => {
            let next = others.partition_point(|at| at < first);
            others.get(next).is_some_and(|at| at < last)
        }
        _ => false,
    };
    (between(&own.loads, &other.stores)
        || between(&own.stores, &other.loads)
        || between(&own.stores, &other.stores))
        && has_gaps(facts, id)
}

/// Notes the accesses of a block in the order of running. A loop's come twice: what its next iteration does follows what this
/// one did.
fn look(
    facts: &KernelFacts<'_>,
    block: &Block,
    looped: bool,
    at: &mut usize,
    uses: &mut BTreeMap<ParamId, Uses>,
) {
    for stmt in &block.stmts {
        *at += 1;
        match &stmt.kind {
            // Nobody else has it.
            Kind::Load { place, .. } | Kind::Store { place, .. }
                if facts.func.local(place.array).is_some() => {}
            // Nor does that run in vectors.
            Kind::Load { place, .. } | Kind::Store { place, .. }
                if facts.func.is_pointer_based(place.array) => {}
            Kind::Load { place, .. } => uses.entry(place.array).or_default().loads.push(*at),
            Kind::Store { place, .. } => uses.entry(place.array).or_default().stores.push(*at),
            // One that stays atomic is no part of a group, and keeps its place.
            Kind::Atomic { place, .. } if facts.is_non_atomic(place.array) => {
                let of = uses.entry(place.array).or_default();
                of.loads.push(*at);
                of.stores.push(*at);
            }
            Kind::For { .. } | Kind::While { .. } => {
                for _ in 0..if looped { 1 } else { 2 } {
                    for inner in stmt.kind.blocks() {
                        look(facts, inner, true, at, uses);
                    }
                }
            }
            kind => {
                for inner in kind.blocks() {
                    look(facts, inner, looped, at, uses);
                }
            }
        }
    }
}

/// Whether neighbouring threads may have indices with gaps between them, all of one width.
fn is_scaled(facts: &KernelFacts<'_>, place: &Place) -> bool {
    fn scaled(facts: &KernelFacts<'_>, value: Value, depth: u32) -> bool {
        match facts.defs[value.0 as usize] {
            _ if matches!(facts.held(value), Some(Held::Fixed | Held::Along(1))) => false,
            Def::Let(Op::Const(_) | Op::Tid(_) | Op::Param(..) | Op::Shape(..), _) => false,
            Def::Let(Op::Add | Op::Sub | Op::Cast | Op::Select, args) => {
                depth == 0 || args.iter().any(|a| scaled(facts, *a, depth - 1))
            }
            // The condition of a selection is no index.
            Def::Let(Op::Lt | Op::Le | Op::Eq | Op::Ne | Op::And | Op::Or | Op::Not, _) => false,
            Def::Let(..) => true,
            _ => false,
        }
    }
    place.index.iter().any(|v| scaled(facts, *v, 6))
}
