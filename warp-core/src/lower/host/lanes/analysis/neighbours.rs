//! Which numbers in memory lie beside each other, as far as the text of a kernel tells: interpolation reads `a[i, j]` and
//! `a[i, j + 1]`, its reverse adds to them, and the components of an element lie together.

use crate::ir::{Comp, Kind, Op, ParamType, Place, Stmt, Value};
use crate::lower::analysis::defs::Def;
use crate::lower::analysis::facts::KernelFacts;
use crate::lower::analysis::range::Ranges;
use crate::lower::host::lanes::analysis::shape::{Shape, Shapes};
use std::collections::HashSet;

/// How many statements on a neighbour, or another component of an element, is looked for.
pub(in crate::lower::host::lanes) const AHEAD: usize = 32;

/// Which statement after the first reads the number right before or after the one that it reads, or adds to it, as far as the text
/// tells: the lanes may lie anywhere, and in between nobody writes or looks. `is_done`: what belongs to some other pair.
pub fn neighbour(
    (facts, shapes, ranges): (&KernelFacts<'_>, &Shapes, &Ranges<'_>),
    stmts: &[Stmt],
    is_done: impl Fn(&Kind) -> bool,
) -> Option<usize> {
    let first = &stmts[0].kind;
    let place = of_pair(facts, first)?;
    if !lie_apart(shapes, place) {
        return None;
    }
    for (k, stmt) in stmts.iter().enumerate().take(AHEAD).skip(1) {
        let kind = &stmt.kind;
        if matches!(kind, Kind::Let { .. }) {
            continue;
        }
        let other = of_pair(facts, kind)?;
        if matches!(first, Kind::Load { .. }) != matches!(kind, Kind::Load { .. }) {
            return None;
        }
        let near = distance(facts, ranges, place, other).is_some_and(|d| d.abs() == 1);
        if near && !is_done(kind) {
            return Some(k);
        }
    }
    None
}

/// Where a statement reads a number, or adds one to an array that may be copied. Two such numbers fit into 128 bits.
fn of_pair<'a>(facts: &KernelFacts<'_>, kind: &'a Kind) -> Option<&'a Place> {
    match kind {
        Kind::Load { place, .. } => {
            let elem = facts.func.param(place.array).ty.elem();
            let passed = matches!(facts.func.param(place.array).ty, ParamType::Array { .. });
            (elem.scalar().size() <= 8 && passed).then_some(place)
        }
        Kind::Atomic { place, .. } if facts.summed.contains_key(&place.array) => Some(place),
        _ => None,
    }
}

/// Whether elements of neighbouring lanes do not follow each other in memory.
fn lie_apart(shapes: &Shapes, place: &Place) -> bool {
    let (last, outer) = place.index.split_last().expect("arrays have dimensions");
    shapes.of(*last) == Shape::Varying || outer.iter().any(|v| !shapes.is_uniform(*v))
}

/// How many numbers after one place another is.
pub(in crate::lower::host::lanes) fn distance(
    facts: &KernelFacts<'_>,
    ranges: &Ranges<'_>,
    a: &Place,
    b: &Place,
) -> Option<i64> {
    let (Comp::Fixed(from), Comp::Fixed(to)) = (a.comp, b.comp) else {
        return None;
    };
    let (last, outer) = a.index.split_last()?;
    let (other, others) = b.index.split_last()?;
    let same = |(a, b): (&Value, &Value)| ranges.are_same(*a, *b);
    if a.array != b.array || !outer.iter().zip(others).all(same) {
        return None;
    }
    if same((last, other)) {
        return Some(i64::from(to) - i64::from(from));
    }
    let param = facts.func.param(a.array);
    if param.ty.elem().count() != 1 || param.step() != param.ty.elem().size() {
        return None;
    }
    let [(base, from), (other, to)] = [last, other].map(|v| terms(facts, ranges, *v));
    let same = match (base, other) {
        (Some(a), Some(b)) => ranges.are_same(a, b),
        (a, b) => a == b,
    };
    same.then(|| to.wrapping_sub(from))
}

/// A value as another one plus a number, or as that number alone.
fn terms(facts: &KernelFacts<'_>, ranges: &Ranges<'_>, value: Value) -> (Option<Value>, i64) {
    if let Some(number) = ranges.constant(value) {
        return (None, number);
    }
    match facts.defs[value.0 as usize] {
        Def::Let(Op::Add, [a, b]) => match (ranges.constant(*a), ranges.constant(*b)) {
            (_, Some(b)) => (Some(*a), b),
            (Some(a), _) => (Some(*b), a),
            _ => (Some(value), 0),
        },
        Def::Let(Op::Sub, [a, b]) => match ranges.constant(*b) {
            Some(b) => (Some(*a), b.wrapping_neg()),
            None => (Some(value), 0),
        },
        _ => (Some(value), 0),
    }
}

/// What must be computed before a statement, in order; none if something in between reads a part of that from memory.
pub(in crate::lower::host::lanes) fn needed<'a>(
    kind: &Kind,
    between: &'a [Stmt],
) -> Option<Vec<&'a Stmt>> {
    let mut wanted = HashSet::new();
    kind.uses(|v| {
        wanted.insert(v);
    });
    let mut all = Vec::new();
    for stmt in between.iter().rev() {
        if !stmt.kind.outs().iter().any(|out| wanted.contains(out)) {
            continue;
        }
        let Kind::Let { args, .. } = &stmt.kind else {
            return None;
        };
        wanted.extend(args.iter().copied());
        all.push(stmt);
    }
    all.reverse();
    Some(all)
}
