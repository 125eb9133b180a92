//! Reverse mode: IR in, IR out.
//!
//! The passes, in order: `check` refuses what has no gradient, `normal` brings the kernel into the form that
//! the others expect, `classify` and `activity` say what has to be done, `record` emits the kernel's values
//! forward, `reverse` their adjoints backward, and the passes of [`crate::pass`] clean up.
//!
//! # Control flow
//!
//! A *sweep* runs a block forward and keeps its values in scope for the reverse code that follows
//! it in the same scope. An `if` in a sweep exports the values of its branches as results, with zeros from the
//! branch that was not taken. Where that costs more than to compute them once more (`branches`), the reverse sweeps the
//! branch again before it reverses it, as it does the iteration of a loop. A `while` counts its iterations; `normal` has moved effects of its condition into its body. A
//! loop in a sweep records its carried values at the start of each iteration and keeps nothing else; its
//! reverse replays them last iteration first, sweeps the body and reverses it. Loops inside a recording
//! loop do not record, they are swept again by the reverse of the iteration. So memory is the sum
//! of trip counts over nesting levels and time grows by one forward run per level.
//!
//! Record and Replay nest like brackets: let `S(b)` be the pushes of the sweep of block `b` and `R(b)` the pops of
//! its reverse. A sweep visits statements in order and a reverse in the opposite order, under the same conditions, so
//! it is enough that each statement's pops undo its own pushes. Only loops push: one record an iteration, nothing
//! inside the iteration. The reverse of the iteration first pops that record; then it sweeps and reverses the body, whose
//! pushes and pops cancel by induction over nesting depth. Both run the same number of iterations.
//!
//! Everything is emitted without asking whether it is needed; [`mod@crate::pass::dce`] then removes what no gradient depends
//! on, recorded values included: a Record and its Replay share a slot, so that it is known what each recorded value
//! becomes. A loop over `s += a[i] * b[i]` records nothing, and its reverse has no order: [`crate::pass::loop_reversal`] lets it run upwards.
//!
//! # Adjoints of adjoints
//!
//! What comes out of the above runs loops again and takes writes back with a log; neither has a reverse of its own that
//! is worth having. So there is a second way, [`Options::again`] and `keep`: everything runs once and is kept, nothing is
//! logged, and what comes out is made of statements that have reverses, slots included. It is used where the adjoint is
//! to be differentiated again, and where the source is itself an adjoint that records.
//!
//! The reverse of a Replay records the adjoints of what it gave, that of its Record replays them: on the stack of the
//! source's own slot, since forward code leaves that empty and reverse code does on it the opposite in the opposite order.
//! What the new adjoint keeps of its own goes on the first stack that the source leaves alone, for the iterations of both
//! forward sweep and source's reverse are still on it when the source's own pushes are popped. So the n-th derivative uses
//! n stacks, and all of them nest like brackets by the argument above. A thread has [`crate::ir::STACKS`]; a derivative that
//! needs more is refused by name. A stack for each slot would need none of this reasoning, but a thread would then hold as
//! many stacks as a kernel has loops.
//!
//! A first derivative that is only run is formed the first way. A kernel that is made of an adjoint
//! ([`crate::module::Compiled::derive`]) holds both.
//!
//! # Parts of kernels
//!
//! `part` forms the derivatives of some statements within a kernel, for `wp.grad`: a sweep and a reverse of them in place.
//!
//! # Derivatives that authors write
//!
//! A call of a function with `@wp.func_grad` or `@wp.func_replay` is one statement ([`Kind::Custom`](crate::ir::Kind)) with its
//! rules (`custom`). Where the adjoint runs forward, the body stands in its place, or the replay. Where the adjoint runs backward,
//! the code that its author wrote does, with all its effects: on the gradients, and on arrays as they are behind the call. A
//! replay without derivative gets that of the body first (`complete`). An array that a replaced body writes is read as the
//! launch left it, since that body does not run again.
//!
//! In an adjoint that is differentiated again the call stays a call with its rules, so that its derivative is what its author
//! wrote in every order; of the code of the derivative itself the derivative is formed as of any other. A body whose writes must
//! run again stands in the place of the call there, too: what they overwrite is kept, which a call could not give.
//!
//! # Arrays
//!
//! See [`Class`]. Where an array is loaded that the kernel also writes, the stores that such
//! loads depend on are run again in the sweeps, logged, and taken back before each iteration is swept and at the end.

mod activity;
mod branches;
mod check;
mod classify;
mod complete;
mod custom;
mod emit;
mod functions;
mod keep;
mod normal;
mod options;
mod part;
mod private_dims;
mod record;
mod report;
mod reverse;
mod runs;

pub use classify::Class;
pub use options::Options;
pub use part::{Part, partials};
pub use report::{ArrayReport, Data, Report};

use crate::error::Result;
use crate::ir::{Func, Value};
use crate::pass::dce::Live;
use crate::pass::inline::CanBeCalled;
use crate::pass::{self, slots};
use crate::verify::Verified;
use std::collections::HashSet;

/// A kernel's adjoint.
#[derive(Clone, PartialEq, Debug)]
pub struct Adjoint {
    /// The kernel's parameters, then one array `adj_NAME` per float array parameter, in order.
    pub func: Verified,
    /// What the runtime has to know about each array.
    pub report: Report,
}

/// Differentiates a verified kernel.
///
/// # Errors
/// [`crate::error::Code::Gradient`] if the derivative would depend on the order of threads.
pub fn reverse(func: &Func, options: &Options) -> Result<Adjoint> {
    let keeps = options.again || !slots::replays(func).is_empty();
    check::repeatable(func)?;
    // Functions that turn out to be none in the adjoint.
    let mut excluded = HashSet::new();
    loop {
        let mut func = func.clone();
        functions::inline_others(&mut func, options.limits, &excluded);
        match differentiate(&func, options, keeps)? {
            Attempt::Adjoint(adjoint) => return Ok(*adjoint),
            Attempt::Excluded(names) => excluded.extend(names),
        }
    }
}

/// What came of differentiating.
enum Attempt {
    Adjoint(Box<Adjoint>),
    /// Names of functions that cannot be functions.
    Excluded(Vec<String>),
}

fn differentiate(func: &Func, options: &Options, keeps: bool) -> Result<Attempt> {
    let source = normal::normalise(&*complete::complete(func, keeps)?)?;
    let plan = classify::ReversePlan::of(&source, &[], options);
    check::atomics(&source, &plan)?;
    if keeps {
        check::pointer_based_again(&source, &plan)?;
    }

    // Which stores must run again depends on which loads are needed, and these on the stores:
    // start with none and add. Each turn adds a store or a branch, or is the last.
    let mut runs = runs::Runs::default();
    let (mut out, live, loads) = loop {
        let out = emit::emit(&source, &plan, &runs, keeps);
        let live = Live::of(&out.func);
        let loads: HashSet<Value> = out
            .loads
            .iter()
            .filter(|(copy, _)| live.has(**copy))
            .map(|(_, original)| *original)
            .collect();
        let mut next = runs::Runs::of(&source, &plan, &loads, keeps);
        if next.is_empty() {
            next.branches = runs.branches.clone();
            next.branches.choose(&source, &out.exported, &live);
        }
        if next == runs {
            break (out, live, loads);
        }
        runs = next;
    };
    check::order(&source, &out, &live)?;
    check::live(&source, &plan, &loads)?;
    check::contents(&source, &plan, &runs, &loads)?;

    live.drop_dead(&mut out.func);
    let can = CanBeCalled::of(&out.func);
    let excluded: Vec<String> = (out.derivatives.iter())
        .filter(|(id, _)| !can.be(&out.func.callee(*id).block))
        .map(|(_, of)| source.callee(*of).name.clone())
        .collect();
    if !excluded.is_empty() {
        return Ok(Attempt::Excluded(excluded));
    }
    // Calls are spliced there and not sooner: what is needed is the same whether they stay calls or not, and so is the report.
    let func = pass::adjoint(out.func, &out.gradients, options.again)?;
    let report = Report::of(&source, &plan, &runs, &loads);
    let adjoint = Adjoint { func, report };
    Ok(Attempt::Adjoint(Box::new(adjoint)))
}
