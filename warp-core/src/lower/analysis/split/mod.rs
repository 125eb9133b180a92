//! Index-set splitting: the threads of a row in subranges in which what depends on the thread index alone is known.
//!
//! Many conditions of kernels compare a thread index with an extent or a parameter: `if i > 0 and i < n - 1`, an early return, a
//! clamped index. Each is true in one part of a row and false in another. So a body may begin a subrange by computing such
//! conditions for its first thread, with the thread at which the first of them changes: the end of the subrange. Where no thread
//! of a subrange does anything, nothing runs. Where the conditions are as in the middle of arrays, the **interior** runs, the
//! kernel without them, which is straight code whose indices are in range. Elsewhere, at borders, the kernel itself runs.
//!
//! Flat indices are split in the same way: within a subrange `t // w` is one number and `t % w` grows with `t`, so that each
//! row of a grid is a subrange, and the division is done once for it.
//!
//! What is computed is the kernel's own arithmetic, at the first thread of the subrange. The ends follow from how much a value grows
//! from thread to thread; a sum that might wrap ends the subrange where it would.

mod data;
mod decide;
mod flatten;
mod forms;
mod interior;
mod places;
mod plan;
#[cfg(test)]
mod tests;

pub use data::{Beginning, End, Held, Level};
pub use forms::Form;
pub use places::Asks;
pub use plan::Split;

use crate::ir::{Block, Func, Intrinsic, Slot};
use crate::lower::options::Options;
use decide::{Decisions, Works};
use forms::Forms;
use std::collections::BTreeSet;

/// Why a kernel has no interior where nothing is gained.
pub const NO_GAIN: &str =
    "no condition on thread indices tells threads at borders, or without work, from the others";

/// The interior of a kernel and how its rows are split.
///
/// # Errors
/// Why they are not.
pub fn split(func: &Func, options: &Options, level: Level) -> Result<(Func, Split), &'static str> {
    if !func.callees.is_empty() {
        return Err("it calls functions that are not inlined");
    }
    let mut whole = func.clone();
    flatten::flatten(&mut whole);
    let mut forms = Forms::new(&whole, options, level);
    let works = Works::of(&whole.body, &forms, options);
    let decisions = Decisions::new(&whole.body, &mut forms, &works, level);
    if !decisions.agree(&forms) {
        return Err("a choice between indices is made in two ways");
    }
    let gains = works != Works::Always || !decisions.assumed.is_empty() || forms.has_held();
    if !gains {
        return Err(NO_GAIN);
    }
    let split = forms.plan(&works, &decisions);
    let interior = interior::interior(whole, &split.forms, &decisions);
    match replays_what_it_records(&interior.body) {
        true => Ok((interior, split)),
        false => Err("conditions decide what is recorded for the gradient"),
    }
}

/// Whether each record of a kernel has its replay: conditions on the same values need not have been decided in both places.
fn replays_what_it_records(block: &Block) -> bool {
    fn slots(block: &Block, found: &mut [BTreeSet<Slot>; 2]) {
        for stmt in &block.stmts {
            match stmt.kind.intrinsic() {
                Some(Intrinsic::Record(slot)) => found[0].insert(*slot),
                Some(Intrinsic::Replay(slot)) => found[1].insert(*slot),
                _ => false,
            };
            for inner in stmt.kind.blocks() {
                slots(inner, found);
            }
        }
    }
    let mut found = [BTreeSet::new(), BTreeSet::new()];
    slots(block, &mut found);
    found[0] == found[1]
}
