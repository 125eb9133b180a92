//! The mutable counterparts of what [`Kind`] and [`Place`] offer for reading.

use crate::ir::{AtomicOp, Block, Comp, Kind, Place, Rules, Size, Value};

impl Kind {
    /// Calls `f` with every value that the statement itself reads.
    pub(crate) fn uses_mut(&mut self, mut f: impl FnMut(&mut Value)) {
        match self {
            Kind::Let { args, .. } => args.iter_mut().for_each(f),
            Kind::Load { place, .. } => place.uses_mut(f),
            Kind::Store { place, value, .. } => {
                place.uses_mut(&mut f);
                f(value);
            }
            Kind::Atomic {
                op, place, value, ..
            } => {
                place.uses_mut(&mut f);
                if let AtomicOp::CompareExchange(compare) = op {
                    f(compare);
                }
                f(value);
            }
            Kind::Matmul { a, b, .. } => a.iter_mut().chain(b).for_each(f),
            Kind::Factor { a, .. } => a.iter_mut().for_each(f),
            Kind::If { cond, .. } => f(cond),
            Kind::For {
                start,
                stop,
                step,
                init,
                ..
            } => {
                f(start);
                f(stop);
                f(step);
                init.iter_mut().for_each(f);
            }
            Kind::While { init, .. } => init.iter_mut().for_each(f),
            Kind::Custom { ins, .. } => ins.iter_mut().for_each(f),
            Kind::Check { index, given, size } => {
                f(index);
                f(given);
                if let Size::At(size) = size {
                    f(size);
                }
            }
            Kind::Require { cond, .. } => f(cond),
            Kind::Print { args, .. } => args.iter_mut().for_each(f),
            Kind::Record { values, .. } => values.iter_mut().for_each(f),
            Kind::Unwind { mark } => f(mark),
            Kind::Replay { .. } | Kind::Mark { .. } => {}
        }
    }

    /// Nested blocks, in order of running.
    pub(crate) fn blocks_mut(&mut self) -> smallvec::SmallVec<[&mut Block; 2]> {
        match self {
            Kind::If { then, els, .. } => smallvec::smallvec![then, els],
            Kind::For { body, .. } => smallvec::smallvec![body],
            Kind::While { cond, body, .. } => smallvec::smallvec![cond, body],
            Kind::Custom { body, rules, .. } => {
                let Rules { replay, reverse } = &mut **rules;
                let rules = replay.iter_mut().chain(reverse);
                std::iter::once(body).chain(rules).collect()
            }
            _ => smallvec::SmallVec::new(),
        }
    }

    /// Values that the statement defines in the enclosing block.
    pub(crate) fn outs_mut(&mut self) -> &mut [Value] {
        match self {
            Kind::Let { out, .. } | Kind::Load { out, .. } | Kind::Mark { out } => {
                std::slice::from_mut(out)
            }
            Kind::Atomic { out, .. } => out.as_mut_slice(),
            Kind::If { outs, .. }
            | Kind::For { outs, .. }
            | Kind::While { outs, .. }
            | Kind::Custom { outs, .. }
            | Kind::Matmul { outs, .. }
            | Kind::Factor { outs, .. }
            | Kind::Replay { outs, .. } => outs,
            Kind::Store { .. }
            | Kind::Check { .. }
            | Kind::Require { .. }
            | Kind::Print { .. }
            | Kind::Record { .. }
            | Kind::Unwind { .. } => &mut [],
        }
    }
}

impl Place {
    /// Calls `f` with every value in the address.
    pub(crate) fn uses_mut(&mut self, mut f: impl FnMut(&mut Value)) {
        self.index.iter_mut().for_each(&mut f);
        if let Comp::At(value) = &mut self.comp {
            f(value);
        }
    }
}
