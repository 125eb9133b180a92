//! Passes over the IR, one file each; this file lists them, and says in which order they run.
//!
//! - [`access`]: which arrays a function reads and writes.
//! - [`loop_reversal`]: loops whose iterations have no order run upwards.
//! - [`mod@batch`]: one launch for every item of a batch.
//! - [`cover`]: which arrays a launch writes from end to end.
//! - [`mod@cse`]: one computation for equal expressions and loads; constants and other operations without
//!   arguments stand at the top.
//! - [`mod@cuts`]: along which launch dimensions a launch may be cut into parts.
//! - [`mod@dce`]: drops what nothing depends on.
//! - [`mod@expand`]: other statements in the places of intrinsics.
//! - [`mod@fuse`]: neighbouring branches on one condition become one.
//! - [`mod@hoist`]: loads that surely run stand before the branches that load the same.
//! - [`mod@inline`]: bodies of functions in the places of calls.
//! - [`mod@lift`]: values as arrays of one element.
//! - [`merge`]: parameters that were given the same array become one.
//! - [`order`]: whether the order of threads shows in the result.
//! - [`regions`]: which elements of arrays a launch reads and writes.
//! - [`renumber()`]: numbers values and slots in the order in which they are defined.
//! - [`searches`]: functions in the places of searches.
//! - [`mod@skip`]: additions to gradients that often add nothing are skipped where they do.
//! - [`slots`]: what belongs to each record.
//! - [`mod@splice`]: bodies in the places of calls that have derivatives of their own.
//! - [`additive_identity`]: drops sums with zero.

pub mod access;
pub mod additive_identity;
pub mod batch;
pub mod cover;
pub mod cse;
pub mod cuts;
pub mod dce;
pub mod expand;
pub mod fuse;
pub mod hoist;
pub mod inline;
pub mod lift;
pub mod loop_reversal;
pub mod merge;
pub mod order;
pub mod regions;
mod renumber;
mod runner;
pub mod searches;
pub mod skip;
pub mod slots;
pub mod splice;

pub use renumber::renumber;

use crate::error::Bug;
use crate::ir::{Callee, Func, ParamId};
use crate::verify::Verified;
use additive_identity::fold_zero_sums;
use cse::{Aliasing, cse};
use dce::{dce, dce_part};
use expand::{expand, has_expansions};
use fuse::fuse;
use hoist::hoist;
use inline::{Limits, drop_uncalled, inline_all, inline_short, inline_where};
use loop_reversal::reverse_loops;
use runner::{Step, run};
use searches::{Body, call_searches, has_searches};
use skip::skip;
use splice::{has_customs, splice};
use std::borrow::Cow;
use std::collections::HashSet;

/// A kernel of more values has equal computations merged before it is lowered. LLVM would do that too, but takes longer for
/// what it has to read first, and merges nothing across segments.
const LONG: usize = 400;

/// What the front built, ready to be lowered. Calls with derivatives of their own are spliced: what is differentiated is the
/// function as it was built.
///
/// # Errors
/// A bug of the front or of a pass: the function does not verify.
pub fn front(func: Func) -> Result<Verified, Bug> {
    let merge_equal = |func: &mut Func| {
        if func.values.len() > LONG {
            cse(func, Aliasing::Any);
        }
    };
    let splice = |func: &mut Func| {
        if has_customs(func) {
            splice(func);
        }
    };
    let steps: [Step<'_>; 5] = [
        ("inline", &|func| inline_short(func, Limits::default())),
        ("renumber", &renumber),
        ("splice", &splice),
        ("fold_zero_sums", &fold_zero_sums),
        ("cse", &merge_equal),
    ];
    run(func, &steps)
}

/// The normal form that reverse mode begins with, of a function that it has tidied up.
///
/// # Errors
/// As [`front`].
pub fn normal(func: Func) -> Result<Verified, Bug> {
    let steps: [Step<'_>; 4] = [
        ("dce", &dce),
        ("hoist", &hoist),
        ("cse", &|func| cse(func, Aliasing::Any)),
        ("dce", &dce),
    ];
    run(func, &steps)
}

/// As [`normal`], of a part of a function: what is defined outside of it cannot be verified.
pub fn normal_part(func: &mut Func) {
    dce_part(func);
    hoist(func);
    cse(func, Aliasing::Any);
    dce_part(func);
}

/// What reverse mode emitted, cleaned up. `gradients`: parameters that are no other's memory. `again`: it is to be differentiated,
/// so that calls with derivatives of their own stay.
///
/// # Errors
/// As [`front`].
pub fn adjoint(func: Func, gradients: &HashSet<ParamId>, again: bool) -> Result<Verified, Bug> {
    let splice = |func: &mut Func| {
        if !again && has_customs(func) {
            splice(func);
        }
    };
    let skip = |func: &mut Func| {
        if !again {
            skip(func, gradients);
        }
    };
    let steps: [Step<'_>; 9] = [
        ("splice", &splice),
        ("fold_zero_sums", &fold_zero_sums),
        ("reverse_loops", &|func| reverse_loops(func, gradients)),
        ("cse", &|func| cse(func, Aliasing::Written)),
        ("fuse", &fuse),
        ("dce", &dce),
        ("skip", &skip),
        ("drop_uncalled", &drop_uncalled),
        ("renumber", &renumber),
    ];
    run(func, &steps)
}

/// What a device is given that has no code of its own for searches: these are functions, and what else was a function is none.
///
/// # Errors
/// As [`front`], and what `body` says.
pub fn without_searches<'a>(func: &'a Verified, body: Body<'_>) -> Result<Cow<'a, Verified>, Bug> {
    if !has_searches(func) {
        return Ok(Cow::Borrowed(func));
    }
    let mut func = func.clone().into_func();
    if has_customs(&func) {
        splice(&mut func);
    }
    inline_all(&mut func);
    call_searches(&mut func, body)?;
    run(func, &[]).map(Cow::Owned)
}

/// What is lowered: no calls with derivatives of their own, no intrinsics that have an expansion. `stays`: whether a function is one
/// on the device; exact ones are anyway.
///
/// # Errors
/// As [`front`].
pub fn lower(func: &Verified, stays: fn(&Callee) -> bool) -> Result<Cow<'_, Verified>, Bug> {
    let goes = |callee: &Callee| !callee.exact && !stays(callee);
    let inlines = func.callees.iter().any(goes);
    if !has_customs(func) && !has_expansions(func) && !inlines {
        return Ok(Cow::Borrowed(func));
    }
    let splice = |func: &mut Func| {
        if has_customs(func) {
            splice(func);
        }
    };
    let inline = |func: &mut Func| {
        if inlines {
            inline_where(func, &goes);
        }
    };
    let steps: [Step<'_>; 3] = [
        ("inline", &inline),
        ("splice", &splice),
        ("expand", &expand),
    ];
    run((**func).clone(), &steps).map(Cow::Owned)
}
