//! Which stores the adjoint has to run again, and where it has to take them back.
//!
//! A sweep needs a store if a load of the same array that the adjoint needs may come after it within that
//! sweep. Loads in other sweeps do not count: every sweep starts from the content that
//! its block saw first, since the log is unwound to there.

use crate::adjoint::branches::Branches;
use crate::adjoint::classify::{LoopId, ReversePlan, address, forward_body};
use crate::ir::{Block, Func, Kind, ParamId, Value};
use std::collections::HashSet;

/// A sweep: of the body of a loop, or of the whole kernel.
pub(super) type Sweep = Option<LoopId>;

/// Where the length of the undo log is noted for a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Marks {
    /// Nowhere: its iterations touch nothing that is stored again.
    #[default]
    None,
    /// Before the loop: its iterations load but do not store. Behind a call with a derivative of its own.
    Once,
    /// At the start of each iteration.
    Iterations,
}

#[derive(PartialEq, Eq, Debug, Default)]
pub(super) struct Runs {
    stores: HashSet<(Sweep, usize)>,
    arrays: HashSet<ParamId>,
    marks: Vec<Marks>,
    /// The `if`s whose branches the reverse sweeps again.
    pub branches: Branches,
}

impl Runs {
    /// `loads` are the values of loads that the adjoint needs, in any sweep. Where the adjoint keeps, there is one
    /// sweep, and no log.
    pub fn of(func: &Func, plan: &ReversePlan, loads: &HashSet<Value>, keeps: bool) -> Runs {
        let mut finder = Finder {
            plan,
            loads,
            runs: Runs::default(),
        };
        if keeps {
            finder.back(&func.body, None, &mut HashSet::new());
            return finder.runs;
        }
        finder.sweep(&func.body, None);
        let Finder { mut runs, .. } = finder;
        if !runs.is_empty() {
            runs.marks = vec![Marks::None; plan.loop_count()];
            mark(&func.body, plan, loads, &mut runs);
        }
        runs
    }

    pub fn is_empty(&self) -> bool {
        self.stores.is_empty()
    }

    /// Whether a store or atomic runs again in a sweep.
    pub fn has(&self, sweep: Sweep, kind: &Kind) -> bool {
        self.stores.contains(&(sweep, address(kind)))
    }

    /// Whether any store to the array runs again.
    pub fn writes(&self, array: ParamId) -> bool {
        self.arrays.contains(&array)
    }

    pub fn marks(&self, id: LoopId) -> Marks {
        self.marks.get(id).copied().unwrap_or_default()
    }
}

struct Finder<'a> {
    plan: &'a ReversePlan,
    loads: &'a HashSet<Value>,
    runs: Runs,
}

impl Finder<'_> {
    /// Treats the sweep of a block and those of all loops inside.
    fn sweep(&mut self, block: &Block, sweep: Sweep) {
        self.back(block, sweep, &mut HashSet::new());
        self.inner(block);
    }

    fn inner(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match &stmt.kind {
                kind @ (Kind::For { body, .. } | Kind::While { body, .. }) => {
                    self.sweep(body, Some(self.plan.loop_id(kind)));
                }
                // Loops in there are not swept again.
                Kind::Custom { .. } => {}
                kind => kind.blocks().into_iter().for_each(|b| self.inner(b)),
            }
        }
    }

    /// Walks backward; `later` are the arrays that are loaded after the present point.
    fn back(&mut self, block: &Block, sweep: Sweep, later: &mut HashSet<ParamId>) {
        for stmt in block.stmts.iter().rev() {
            match &stmt.kind {
                Kind::Load { out, place } => {
                    if self.loads.contains(out) {
                        later.insert(place.array);
                    }
                }
                kind @ (Kind::Store { place, .. } | Kind::Atomic { place, .. }) => {
                    let left = self.plan.after[place.array.0 as usize];
                    if later.contains(&place.array) && !left {
                        self.runs.stores.insert((sweep, address(kind)));
                        self.runs.arrays.insert(place.array);
                    }
                }
                Kind::If { then, els, .. } => {
                    let mut other = later.clone();
                    self.back(then, sweep, later);
                    self.back(els, sweep, &mut other);
                    later.extend(other);
                }
                // Its derivative sees what there is behind the call.
                kind @ Kind::Custom { rules, .. } => {
                    let reverse = rules.reverse.iter();
                    reverse.for_each(|b| loaded(b, self.loads, later));
                    self.back(forward_body(kind), sweep, later);
                }
                kind => {
                    // A load anywhere in a loop comes after each store in it: in the next iteration.
                    for block in kind.blocks() {
                        loaded(block, self.loads, later);
                    }
                    for block in kind.blocks() {
                        self.back(block, sweep, later);
                    }
                }
            }
        }
    }
}

fn loaded(block: &Block, loads: &HashSet<Value>, arrays: &mut HashSet<ParamId>) {
    for stmt in &block.stmts {
        if let Kind::Load { out, place } = &stmt.kind
            && loads.contains(out)
        {
            arrays.insert(place.array);
        }
        for inner in stmt.kind.blocks() {
            loaded(inner, loads, arrays);
        }
    }
}

/// Decides for each loop where its marks are made.
fn mark(block: &Block, plan: &ReversePlan, loads: &HashSet<Value>, runs: &mut Runs) {
    for stmt in &block.stmts {
        let kind = &stmt.kind;
        if let Kind::Custom { rules, .. } = kind {
            let mut arrays = HashSet::new();
            let reverse = rules.reverse.iter();
            reverse.for_each(|b| loaded(b, loads, &mut arrays));
            if arrays.iter().any(|a| runs.arrays.contains(a)) {
                runs.marks[plan.loop_id(kind)] = Marks::Once;
            }
            continue;
        }
        if let Kind::For { .. } | Kind::While { .. } = kind {
            let mut arrays = HashSet::new();
            for inner in kind.blocks() {
                loaded(inner, loads, &mut arrays);
            }
            let stores = kind.blocks().into_iter().any(|b| stores_again(b, runs));
            let touches = arrays.iter().any(|a| runs.arrays.contains(a));
            runs.marks[plan.loop_id(kind)] = match (stores, touches) {
                (true, _) => Marks::Iterations,
                (false, true) => Marks::Once,
                (false, false) => Marks::None,
            };
        }
        for inner in kind.blocks() {
            mark(inner, plan, loads, runs);
        }
    }
}

fn stores_again(block: &Block, runs: &Runs) -> bool {
    block.stmts.iter().any(|stmt| {
        let here = address(&stmt.kind);
        runs.stores.iter().any(|(_, store)| *store == here)
            || stmt
                .kind
                .blocks()
                .into_iter()
                .any(|b| stores_again(b, runs))
    })
}
