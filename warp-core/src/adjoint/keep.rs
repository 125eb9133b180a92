//! Forward code that keeps everything, for adjoints that are to be differentiated again and adjoints of those.
//!
//! Each statement of the source runs once. What reverse code cannot compute again from the rest is a *leaf*: carried
//! values, loads of arrays that the kernel writes, replays, results of atomics and of loops. An iteration of a loop records
//! its leaves where it ends; its reverse replays them, computes the rest again, and reverses the body. Loops within keep
//! in the same way, so nothing runs twice, and memory is the product of trip counts. A write is preceded by a load
//! of what it overwrites, which its reverse stores again.
//!
//! So there is no log, and what comes out is loads, stores and slots, all of which have reverses.

use crate::adjoint::classify::{Class, forward_body};
use crate::adjoint::emit::Emitter;
use crate::ir::{Block, Kind, Place, Value};

impl Emitter<'_> {
    /// Whether the reverse of a statement does anything.
    pub fn has_reverse(&self, kind: &Kind) -> bool {
        self.plan.has_reverse(kind) || (self.keeps && self.writes_again(kind))
    }

    pub fn writes_again(&self, kind: &Kind) -> bool {
        let inside = |b: &&Block| b.stmts.iter().any(|s| self.writes_again(&s.kind));
        self.runs.has(None, kind) || kind.blocks().iter().any(inside)
    }

    /// Emits a block's forward code. Appends to `defs` the source's values that have a meaning in this
    /// scope from now on.
    pub fn keep(&mut self, block: &Block, defs: &mut Vec<Value>) {
        for stmt in &block.stmts {
            self.b.span = stmt.span;
            let kind = &stmt.kind;
            match kind {
                Kind::If {
                    cond,
                    then,
                    els,
                    outs,
                } => self.exporting_if(*cond, [then, els], outs, defs, Emitter::keep),
                Kind::For { .. } | Kind::While { .. } if self.has_reverse(kind) => {
                    let id = self.plan.loop_id(kind);
                    if matches!(kind, Kind::While { .. }) {
                        defs.push(self.rounds_of(id));
                    }
                    self.loop_(kind, None, Some(id));
                }
                Kind::Custom { .. } if self.writes_again(kind) => self.keep_call(kind, defs),
                _ => {
                    if self.runs.has(None, kind) {
                        defs.push(self.old_of(kind));
                    }
                    self.copy(stmt, None);
                }
            }
            defs.extend(kind.outs());
        }
    }

    /// Before a write that runs: keeps what is there. The log does that where nothing is kept.
    pub fn before_write(&mut self, kind: &Kind, place: &Place) {
        if self.keeps {
            let old = self.b.load(place.clone());
            self.set(self.old_of(kind), old);
        }
    }

    /// After the reverse of a write that ran: stores what was there.
    pub fn restore(&mut self, kind: &Kind) {
        if let Kind::Store { place, .. } | Kind::Atomic { place, .. } = kind
            && self.keeps
            && self.runs.has(None, kind)
        {
            let (place, old) = (self.place(place), self.get(self.old_of(kind)));
            self.b.store(place, old);
        }
    }

    /// The leaves that [`Emitter::keep`] defines in the scope of a block.
    pub fn leaves(&self, block: &Block, names: &mut Vec<Value>) {
        for stmt in &block.stmts {
            let kind = &stmt.kind;
            match kind {
                Kind::If { then, els, .. } => {
                    self.leaves(then, names);
                    self.leaves(els, names);
                }
                Kind::Custom { .. } if self.writes_again(kind) => {
                    self.leaves(forward_body(kind), names);
                }
                _ if self.is_leaf(kind) => {
                    names.extend(kind.outs());
                    if self.runs.has(None, kind) {
                        names.push(self.old_of(kind));
                    }
                    if matches!(kind, Kind::While { .. }) && self.has_reverse(kind) {
                        names.push(self.rounds_of(self.plan.loop_id(kind)));
                    }
                }
                _ => {}
            }
        }
    }

    fn is_leaf(&self, kind: &Kind) -> bool {
        match kind {
            Kind::Let { .. } | Kind::If { .. } => false,
            Kind::Load { place, .. } => self.plan.class[place.array.0 as usize] != Class::Loaded,
            kind => kind.intrinsic().is_none_or(|op| !op.effects().is_pure()),
        }
    }

    /// Computes again what is not a leaf, in the reverse of an iteration.
    pub fn compute_again(&mut self, block: &Block, defs: &mut Vec<Value>) {
        for stmt in &block.stmts {
            self.b.span = stmt.span;
            match &stmt.kind {
                Kind::If {
                    cond,
                    then,
                    els,
                    outs,
                } => self.exporting_if(*cond, [then, els], outs, defs, Emitter::compute_again),
                kind @ Kind::Custom { .. } if self.writes_again(kind) => {
                    self.in_place(kind, defs, Emitter::compute_again);
                }
                kind if self.is_leaf(kind) => continue,
                _ => self.copy(stmt, None),
            }
            defs.extend(stmt.kind.outs());
        }
    }
}
