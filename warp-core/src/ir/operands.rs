//! What statements read, define and hold: values and nested blocks, to look at and to rewrite.

use crate::ir::data::{AtomicOp, Block, Comp, Func, Kind, Place, Rules};
use crate::ir::effects::Effects;
use crate::ir::id::Value;
use smallvec::SmallVec;

impl Kind {
    /// Values that the statement defines in the enclosing block.
    pub fn outs(&self) -> &[Value] {
        match self {
            Kind::Let { out, .. } | Kind::Load { out, .. } => std::slice::from_ref(out),
            Kind::Atomic { out, .. } => out.as_slice(),
            Kind::Intrinsic { outs, .. }
            | Kind::Call { outs, .. }
            | Kind::If { outs, .. }
            | Kind::For { outs, .. }
            | Kind::While { outs, .. }
            | Kind::Custom { outs, .. } => outs,
            Kind::Store { .. } => &[],
        }
    }
    /// Nested blocks, in order of running.
    pub fn blocks(&self) -> SmallVec<[&Block; 2]> {
        match self {
            Kind::If { then, els, .. } => smallvec::smallvec![then, els],
            Kind::For { body, .. } => smallvec::smallvec![body],
            Kind::While { cond, body, .. } => smallvec::smallvec![cond, body],
            Kind::Custom { body, rules, .. } => {
                let rules = rules.replay.iter().chain(&rules.reverse);
                std::iter::once(body).chain(rules).collect()
            }
            _ => SmallVec::new(),
        }
    }
    /// Those of the nested blocks that are part of what the statement does: not what only its adjoint does.
    pub fn blocks_run(&self) -> SmallVec<[&Block; 2]> {
        match self {
            Kind::Custom { body, .. } => smallvec::smallvec![body],
            _ => self.blocks(),
        }
    }
    /// Calls `f` with every value that the statement itself reads; nested blocks are not entered.
    pub fn uses(&self, mut f: impl FnMut(Value)) {
        match self {
            Kind::Let { args, .. } => args.iter().copied().for_each(f),
            Kind::Load { place, .. } => place.uses(f),
            Kind::Store { place, value, .. } => {
                place.uses(&mut f);
                f(*value);
            }
            Kind::Atomic {
                op, place, value, ..
            } => {
                place.uses(&mut f);
                op.compare().into_iter().for_each(&mut f);
                f(*value);
            }
            Kind::Intrinsic { args, .. } | Kind::Call { args, .. } => {
                args.iter().copied().for_each(f);
            }
            Kind::If { cond, .. } => f(*cond),
            Kind::For {
                start,
                stop,
                step,
                init,
                ..
            } => {
                [*start, *stop, *step]
                    .into_iter()
                    .chain(init.iter().copied())
                    .for_each(f);
            }
            Kind::While { init, .. } => init.iter().copied().for_each(f),
            Kind::Custom { ins, .. } => ins.iter().copied().for_each(f),
        }
    }

    /// As [`Kind::uses`], to rename.
    pub fn uses_mut(&mut self, mut f: impl FnMut(&mut Value)) {
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
            Kind::Intrinsic { args, .. } | Kind::Call { args, .. } => args.iter_mut().for_each(f),
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
        }
    }

    /// As [`Kind::blocks`], to change them.
    pub fn blocks_mut(&mut self) -> SmallVec<[&mut Block; 2]> {
        match self {
            Kind::If { then, els, .. } => smallvec::smallvec![then, els],
            Kind::For { body, .. } => smallvec::smallvec![body],
            Kind::While { cond, body, .. } => smallvec::smallvec![cond, body],
            Kind::Custom { body, rules, .. } => {
                let Rules { replay, reverse } = &mut **rules;
                let rules = replay.iter_mut().chain(reverse);
                std::iter::once(body).chain(rules).collect()
            }
            _ => SmallVec::new(),
        }
    }

    /// As [`Kind::outs`], to rename.
    pub fn outs_mut(&mut self) -> &mut [Value] {
        match self {
            Kind::Let { out, .. } | Kind::Load { out, .. } => std::slice::from_mut(out),
            Kind::Atomic { out, .. } => out.as_mut_slice(),
            Kind::Intrinsic { outs, .. }
            | Kind::Call { outs, .. }
            | Kind::If { outs, .. }
            | Kind::For { outs, .. }
            | Kind::While { outs, .. }
            | Kind::Custom { outs, .. } => outs,
            Kind::Store { .. } => &mut [],
        }
    }
}

impl Block {
    /// Whether a statement of the block, or of one within it, is as wanted.
    pub fn any(&self, wanted: &impl Fn(&Kind) -> bool) -> bool {
        let inside = |kind: &Kind| kind.blocks().into_iter().any(|b| b.any(wanted));
        let mut stmts = self.stmts.iter().map(|stmt| &stmt.kind);
        stmts.any(|kind| wanted(kind) || inside(kind))
    }
}

impl Block {
    /// What the statements of the block do, those within them included.
    pub fn effects(&self) -> Effects {
        self.stmts.iter().fold(Effects::PURE, |all, stmt| {
            let inner = stmt.kind.blocks_run().into_iter();
            let own = stmt.kind.effects();
            inner.fold(all.and(own), |all, block| all.and(block.effects()))
        })
    }

    /// Tells each call what the function does that it calls.
    fn set_effects(&mut self, of: &[Effects]) {
        for stmt in &mut self.stmts {
            if let Kind::Call {
                callee, effects, ..
            } = &mut stmt.kind
                && let Some(of) = of.get(callee.0 as usize)
            {
                *effects = *of;
            }
            for block in stmt.kind.blocks_mut() {
                block.set_effects(of);
            }
        }
    }
}

impl Func {
    /// Tells each call what the function does that it calls.
    pub fn set_effects(&mut self) {
        let mut known = Vec::with_capacity(self.callees.len());
        for block in self.blocks_mut() {
            block.set_effects(&known);
            known.push(block.effects());
        }
    }
}

impl Place {
    /// Calls `f` with every value in the address.
    pub fn uses(&self, mut f: impl FnMut(Value)) {
        self.index.iter().copied().for_each(&mut f);
        if let Comp::At(value) = self.comp {
            f(value);
        }
    }

    /// As [`Place::uses`], to rename.
    pub fn uses_mut(&mut self, mut f: impl FnMut(&mut Value)) {
        self.index.iter_mut().for_each(&mut f);
        if let Comp::At(value) = &mut self.comp {
            f(value);
        }
    }
}
