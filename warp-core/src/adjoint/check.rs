//! Refuses kernels whose gradient cannot be formed, by name.

use crate::adjoint::classify::{Class, ReversePlan, forward_body, is_float};
use crate::adjoint::emit::Emitted;
use crate::adjoint::runs::Runs;
use crate::error::{Code, Error, Result};
use crate::ir::{AtomicOp, Block, Func, Intrinsic, Kind, ParamId, STACKS, Value};
use crate::pass::dce::Live;
use crate::pass::slots::replays;
use crate::span::Span;
use std::collections::HashSet;

fn refuse(func: &Func, span: Span, what: String, hint: &str) -> Error {
    let message = format!("the gradient of `{}` cannot be formed: {what}", func.name);
    let error = if span == Span::default() {
        Error::new(Code::Gradient, message)
    } else {
        Error::at(Code::Gradient, span, message)
    };
    error.hint(hint)
}

/// Refuses adjoints that were not made to be differentiated again, and such of too high an order.
pub(super) fn repeatable(func: &Func) -> Result<()> {
    if let Some(threads) = func.threads {
        let what = format!("its threads work together in blocks of {threads}");
        let hint = "only kernels whose threads are for themselves have one";
        return Err(refuse(func, Span::default(), what, hint));
    }
    let logs = |kind: &Kind| match kind {
        Kind::Store { log, .. } | Kind::Atomic { log, .. } => *log,
        kind => matches!(kind.intrinsic(), Some(Intrinsic::Mark | Intrinsic::Unwind)),
    };
    if func.any(&logs) {
        let what = "it is itself an adjoint that logs what it overwrites".into();
        let hint = "differentiate the adjoint that was made to be differentiated again";
        return Err(refuse(func, Span::default(), what, hint));
    }
    if replays(func).keys().any(|slot| slot.stack + 1 >= STACKS) {
        let what = format!(
            "its derivatives of order {STACKS} record already, and there is no stack for more"
        );
        let hint = "derivatives of higher orders exist for kernels whose loops keep nothing from iteration to iteration";
        return Err(refuse(func, Span::default(), what, hint));
    }
    Ok(())
}

/// Refuses second derivatives of kernels whose gradients lie where addresses lead: a description has room for one gradient.
pub(super) fn pointer_based_again(func: &Func, plan: &ReversePlan) -> Result<()> {
    match accessed(func, plan) {
        None => Ok(()),
        Some(id) => {
            let what = format!(
                "`{}` lies in an array of structs, and second derivatives do not go through those",
                name_of(func, id)
            );
            let hint = "pass the array to the kernel by itself";
            Err(refuse(func, Span::default(), what, hint))
        }
    }
}

/// An array of floats that addresses lead to and that the kernel accesses.
fn accessed(func: &Func, plan: &ReversePlan) -> Option<ParamId> {
    let mut ids = (0..func.params.len() as u32).map(ParamId);
    ids.find(|id| {
        func.is_pointer_based(*id)
            && is_float(func, *id)
            && plan.class[id.0 as usize] != Class::Unused
    })
}

/// Refuses derivatives that need what a kernel overwrites where addresses lead: nobody keeps that.
pub(super) fn contents(
    func: &Func,
    plan: &ReversePlan,
    runs: &Runs,
    loads: &HashSet<Value>,
) -> Result<()> {
    let loaded = |id: ParamId| {
        let class = plan.class[id.0 as usize];
        !matches!(class, Class::Loaded | Class::Unused) && needs(&func.body, id, loads)
    };
    let mut ids = (0..func.params.len() as u32).map(ParamId);
    let found = ids.find(|id| {
        let extremum = plan.class[id.0 as usize] == Class::Extremum && is_float(func, *id);
        let live = plan.live[id.0 as usize];
        func.is_pointer_based(*id) && !live && (extremum || runs.writes(*id) || loaded(*id))
    });
    match found {
        None => Ok(()),
        Some(id) => {
            let what = format!(
                "it needs what `{}` holds, which the kernel changes: of arrays in arrays of structs nothing is kept",
                name_of(func, id)
            );
            let hint = "pass the array to the kernel by itself, or write to another one";
            Err(refuse(func, Span::default(), what, hint))
        }
    }
}

/// Refuses derivatives that need what the kernel overwrites in an array that a derivative of its author writes: that one sees the
/// array itself, so nothing older can be put there.
pub(super) fn live(func: &Func, plan: &ReversePlan, loads: &HashSet<Value>) -> Result<()> {
    let mut ids = (0..func.params.len() as u32).map(ParamId);
    let found = ids.find(|id| {
        let live = plan.live[id.0 as usize];
        live && plan.overwritten[id.0 as usize] && needed_outside(&func.body, *id, loads)
    });
    match found {
        None => Ok(()),
        Some(id) => {
            let what = format!(
                "it needs elements of `{}` that the kernel overwrites, and a function given to wp.func_grad writes that array too",
                name_of(func, id)
            );
            let hint =
                "let the derivative write to an array that the kernel does not use otherwise";
            Err(refuse(func, Span::default(), what, hint))
        }
    }
}

/// As [`needs`], without the derivatives that authors wrote.
fn needed_outside(block: &Block, array: ParamId, loads: &HashSet<Value>) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.kind {
        Kind::Load { out, place } => place.array == array && loads.contains(out),
        kind @ Kind::Custom { .. } => needed_outside(forward_body(kind), array, loads),
        kind => (kind.blocks().into_iter()).any(|inner| needed_outside(inner, array, loads)),
    })
}

fn needs(block: &Block, array: ParamId, loads: &HashSet<Value>) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.kind {
        Kind::Load { out, place } => place.array == array && loads.contains(out),
        kind => (kind.blocks().into_iter()).any(|inner| needs(inner, array, loads)),
    })
}

fn name_of(func: &Func, id: ParamId) -> &str {
    func.param(id).name.trim_start_matches('*')
}

/// Refuses atomics whose effect on the derivative depends on the order of threads.
pub(super) fn atomics(func: &Func, plan: &ReversePlan) -> Result<()> {
    visit(func, plan, &func.body)
}

fn visit(func: &Func, plan: &ReversePlan, block: &Block) -> Result<()> {
    for stmt in &block.stmts {
        if let Kind::Atomic { out, op, place, .. } = &stmt.kind
            && is_float(func, place.array)
        {
            if out.is_some_and(|o| plan.is_active(o)) {
                return Err(used(func, stmt.span, place.array));
            }
            if op.replaces() {
                let name = &func.param(place.array).name;
                let what = format!(
                    "elements of `{name}` are exchanged atomically: the derivative depends on the order of threads"
                );
                let hint = "exchange integers, or launch the kernel without a tape (enable_backward=False)";
                return Err(refuse(func, stmt.span, what, hint));
            }
            let mixed = plan.class[place.array.0 as usize] == Class::Mutable;
            if mixed && *op != AtomicOp::Add {
                let name = &func.param(place.array).name;
                let what = format!(
                    "`{name}` takes an atomic minimum or maximum and is read or written in another way too"
                );
                let hint = "write the minimum or maximum to an array that this kernel does not use otherwise";
                return Err(refuse(func, stmt.span, what, hint));
            }
        }
        // The derivative of a call is what its author says.
        if !matches!(stmt.kind, Kind::Custom { .. }) {
            for inner in stmt.kind.blocks() {
                visit(func, plan, inner)?;
            }
        }
    }
    Ok(())
}

/// Refuses adjoints that need the result of an atomic, be it as an index or in a condition.
pub(super) fn order(func: &Func, out: &Emitted, live: &Live) -> Result<()> {
    match out.ordered.iter().find(|o| live.has(o.value)) {
        Some(ordered) => Err(used(func, ordered.span, ordered.array)),
        None => Ok(()),
    }
}

fn used(func: &Func, span: Span, array: ParamId) -> Error {
    let name = &func.param(array).name;
    let what = format!(
        "it depends on the result of an atomic operation on `{name}`, which depends on the order of threads"
    );
    let hint = "compute such results in a kernel of their own with enable_backward=False, keep them in an array and load them \
                here; or in a function whose @wp.func_replay reads them from an array";
    refuse(func, span, what, hint)
}
