//! How much text functions are, as calls and in the places of these.

use crate::ir::{Block, Func, Kind};

/// How much text there is and would be.
pub(super) struct Sizes {
    /// Statements of each function, of what it calls in its place as far as that is short.
    pub(super) own: Vec<usize>,
    /// Calls of each function in the text.
    pub(super) calls: Vec<usize>,
    /// Statements of the kernel if it had no calls.
    pub(super) inlined: usize,
    /// See [`Limits::function`].
    long: usize,
}

/// The statements that a loop counts as: LLVM takes as long for it.
const LOOP: usize = 32;

impl Sizes {
    pub(super) fn of(func: &Func, long: usize) -> Sizes {
        let mut sizes = Sizes {
            own: Vec::new(),
            calls: vec![0; func.callees.len()],
            inlined: 0,
            long,
        };
        let mut whole: Vec<usize> = Vec::new();
        for block in func.blocks() {
            let (mut own, mut all) = (0, 0);
            sizes.visit(block, &whole, &mut own, &mut all);
            sizes.own.push(own);
            whole.push(all);
        }
        sizes.own.pop();
        sizes.inlined = whole.pop().unwrap_or(0);
        sizes
    }

    fn visit(&mut self, block: &Block, whole: &[usize], own: &mut usize, all: &mut usize) {
        for stmt in &block.stmts {
            let weight = match &stmt.kind {
                Kind::For { .. } | Kind::While { .. } => LOOP,
                _ => 1,
            };
            *own += weight;
            *all = all.saturating_add(weight);
            if let Kind::Call { callee, .. } = &stmt.kind {
                let n = callee.0 as usize;
                self.calls[n] += 1;
                if self.own[n] < self.long {
                    *own += self.own[n];
                }
                *all = all.saturating_add(whole[n]);
            }
            for inner in stmt.kind.blocks() {
                self.visit(inner, whole, own, all);
            }
        }
    }
}
