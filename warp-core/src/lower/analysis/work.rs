//! How much work statements are, in rough cycles, how many there are, and which loops may run for long.

use crate::intrinsic::row;
use crate::ir::{Block, Const, Intrinsic, Kind, Op, Stmt, Value};
use crate::lower::analysis::defs::Def;

/// A loop of no more work than this need not ask whether to go on.
const BRIEF: u64 = 1 << 14;
/// An access to memory, mostly in the cache.
const ACCESS: u64 = 8;
/// An atomic operation, sometimes with other threads at the same element.
const ATOMIC: u64 = 32;
/// What an iteration of a loop takes besides its statements.
const ROUND: u64 = 2;

/// Work of an operation.
pub fn of_op(op: Op) -> u64 {
    match op {
        Op::Const(_)
        | Op::Tid(_)
        | Op::BlockDim
        | Op::Shape(..)
        | Op::Param(..)
        | Op::Present(_)
        | Op::Address(_)
        | Op::Stride(..) => 0,
        Op::Cast | Op::Bits | Op::Select | Op::RangeLen => 1,
        named => named.primitive().map_or(1, |row| row.cost as u64),
    }
}

/// Most work of a block, without that of loops in it that are not brief: they account for themselves.
pub fn of_block(block: &Block, defs: &[Def<'_>]) -> u64 {
    let each = block.stmts.iter().map(|stmt| of_stmt(&stmt.kind, defs));
    each.fold(0, u64::saturating_add)
}

/// Most work of a statement.
pub fn of_stmt(kind: &Kind, defs: &[Def<'_>]) -> u64 {
    match kind {
        Kind::Let { op, .. } => of_op(*op),
        Kind::Load { .. } | Kind::Store { .. } => ACCESS,
        Kind::Intrinsic { op, .. } => (row(op).cost)(op),
        // Functions that are called are long: a loop around one asks whether to go on.
        Kind::Call { .. } => BRIEF,
        Kind::Custom { .. } => unreachable!("its body stands in its place"),
        Kind::Atomic { .. } => ATOMIC,
        Kind::If { then, els, .. } => 1 + of_block(then, defs).max(of_block(els, defs)),
        Kind::For { body, .. } => brief(kind, defs).unwrap_or_else(|| of_round(&[body], defs)),
        Kind::While { cond, body, .. } => of_round(&[cond, body], defs),
    }
}

/// Most work of one iteration of a loop.
pub fn of_round(blocks: &[&Block], defs: &[Def<'_>]) -> u64 {
    let each = blocks.iter().map(|block| of_block(block, defs));
    each.fold(ROUND, u64::saturating_add)
}

/// Iterations of a `for` whose bounds are constants.
pub fn constant_iterations(kind: &Kind, defs: &[Def<'_>]) -> Option<u64> {
    let Kind::For {
        start, stop, step, ..
    } = kind
    else {
        return None;
    };
    iterations([*start, *stop, *step].map(|v| constant(v, defs)))
}

/// The work of a brief loop: one that need not ask whether to go on, since it has few iterations.
pub fn brief(kind: &Kind, defs: &[Def<'_>]) -> Option<u64> {
    let Kind::For { body, .. } = kind else {
        return None;
    };
    let iterations = constant_iterations(kind, defs)?;
    let all = iterations.saturating_mul(of_round(&[body], defs));
    (all <= BRIEF).then_some(all)
}

/// How many statements there are, those in blocks included and constants and their like left out.
pub fn count(stmts: &[Stmt]) -> usize {
    let each = stmts.iter().map(|stmt| match &stmt.kind {
        Kind::Let { args, .. } => usize::from(!args.is_empty()),
        kind => {
            let blocks = kind.blocks().into_iter();
            1 + blocks.map(|b| count(&b.stmts)).sum::<usize>()
        }
    });
    each.sum()
}

/// Whether anything in a block goes back to where it was.
pub fn has_loops(block: &Block) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.kind {
        Kind::For { .. } | Kind::While { .. } => true,
        Kind::Intrinsic { op, .. } => matches!(op, Intrinsic::Unwind),
        kind => kind.blocks().into_iter().any(has_loops),
    })
}

/// Whether there is a loop that is not brief.
pub fn has_long_loops(block: &Block, defs: &[Def<'_>]) -> bool {
    block.stmts.iter().any(|stmt| {
        let kind = &stmt.kind;
        let long = matches!(kind, Kind::For { .. } | Kind::While { .. });
        long && brief(kind, defs).is_none()
            || kind.blocks().into_iter().any(|b| has_long_loops(b, defs))
    })
}

fn constant(value: Value, defs: &[Def<'_>]) -> Option<i128> {
    match defs[value.0 as usize] {
        Def::Let(Op::Const(Const::Int(i)), _) => Some(i.into()),
        _ => None,
    }
}

/// Iterations of a `for` with these bounds, if all three are known.
fn iterations([start, stop, step]: [Option<i128>; 3]) -> Option<u64> {
    let (gap, step) = (stop? - start?, step?);
    if step == 0 || gap.signum() != step.signum() {
        return Some(0);
    }
    u64::try_from((gap.abs() - 1) / step.abs() + 1).ok()
}
