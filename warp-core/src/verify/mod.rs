//! Checks every invariant of the IR. Runs behind each pass in debug builds, and at the end of each list of passes in all
//! (`pass/runner.rs`); lowering takes only [`Verified`].
//!
//! A function keeps these rules:
//!
//! 1. Parameters have different names. They are scalars, composites or arrays of these, never structs; arrays have 1 to 4 dimensions.
//! 2. What a launch passes stands in front of what it does not: local and shared arrays, gradients, arrays that addresses lead to.
//! 3. A gradient is like its array. A local array has 1 to [`MAX_LOCAL`](crate::ir::data::MAX_LOCAL) elements.
//! 4. The body takes and gives nothing.
//! 5. Each value has one type and is defined once, before it is used, in the block of its use or one around it.
//! 6. Results of operations have the type that the operation's rule gives for its arguments.
//! 7. A place has one index, int32 or int64, per dimension, and a component that its elements have; what is loaded and stored is of
//!    the array's scalar type. In arrays that addresses lead to, the description comes first.
//! 8. Extents, strides, addresses and presence are asked of passed arrays only.
//! 9. The blocks of an `if` take nothing; those of loops take what is carried, a `for` its variable first; all give what the statement
//!    defines. Conditions are one bool.
//! 10. An intrinsic has the arguments and results that its row admits.
//! 11. Each slot is recorded once and replayed once, behind it, as the same types, on one of the [`STACKS`](crate::ir::STACKS).
//! 12. A call with a derivative of its own takes floats, has a replay or a derivative, and these take and give what the call does.
//!     Gradients are accessed in derivatives only, and in functions that only derivatives call.
//! 13. Functions have different names, see no values from outside, and call only functions that stand before them. A call has the
//!     arguments and results of its function, and at least its effects. Records and replays of a function are in one function.
//! 14. What threads of a block do together, and shared arrays, are in kernels with blocks only. A block has 1 to
//!     [`MAX_THREADS`](crate::ir::thread_block::MAX_THREADS) threads, with ballots whole warps, and shares
//!     [`MAX_SHARED`](crate::ir::thread_block::MAX_SHARED) bytes at most. All threads of a warp or block come to its barriers and ballots
//!     together: conditions and loops around these are the same for all of them (`block.rs`).
//!
//! Not here: that recording stacks nest like brackets (`adjoint` argues that; the interpreter and `lower/host/lanes/analysis/order.rs` see it).

mod block;
mod op;
mod params;
mod scope;
mod stmt;
#[cfg(test)]
mod tests;

use crate::error::Bug;
use crate::ir::Func;
use scope::{Checker, State};
use std::collections::{HashMap, HashSet};
use std::fmt::{self, Display, Formatter};
use std::ops::Deref;

/// A function that keeps every invariant.
#[derive(Clone, PartialEq, Debug)]
pub struct Verified(Func);

impl Deref for Verified {
    type Target = Func;
    fn deref(&self) -> &Func {
        &self.0
    }
}

impl Verified {
    /// The function, to change it.
    pub fn into_func(self) -> Func {
        self.0
    }
}

impl Display for Verified {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Checks a function.
///
/// # Errors
/// The rules that the function breaks: a bug of the pass that built it.
pub fn verify(func: Func) -> Result<Verified, Bug> {
    check(&func)?;
    Ok(Verified(func))
}

/// As [`verify`], without taking the function.
///
/// # Errors
/// As [`verify`].
pub fn check(func: &Func) -> Result<(), Bug> {
    let mut checker = Checker {
        func,
        state: vec![State::Unseen; func.values.len()],
        slots: HashMap::new(),
        in_reverse: false,
        callable: Vec::new(),
        derivatives: Vec::new(),
        found: Vec::new(),
    };
    if !func.body.params.is_empty() || !func.body.results.is_empty() {
        checker.note(Err("the body has parameters or results".into()));
    }
    // What is wrong with a parameter would be found again wherever it is used.
    match checker.params() {
        Ok(()) => {
            for (n, block) in func.blocks().enumerate() {
                // Functions may be derivatives; who calls them is asked.
                checker.in_reverse = n < func.callees.len();
                checker.block(block);
                checker.in_reverse = false;
                let outcome = checker.replayed();
                checker.note(outcome);
                checker.callable.push(block.effects());
                let gradients = checker.has_gradients(block);
                checker.derivatives.push(gradients);
            }
            checker.threads();
            let mut names = func.callees.iter().map(|callee| &callee.name);
            let unique = names.clone().collect::<HashSet<_>>().len() == names.len();
            let first = names.next().map_or("", String::as_str);
            let what = || format!("two functions of one name beside `{first}`");
            checker.note(unique.then_some(()).ok_or_else(what));
        }
        wrong => checker.note(wrong),
    }
    match checker.found.is_empty() {
        true => Ok(()),
        false => Err(Bug(format!(
            "in the IR of `{}`: {}",
            func.name,
            checker.found.join("; ")
        ))),
    }
}
