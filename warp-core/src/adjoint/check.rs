//! Refuses kernels whose gradient cannot be formed, by name.

use crate::adjoint::classify::{Class, ReversePlan, is_float};
use crate::adjoint::emit::Emitted;
use crate::error::{Code, Error, Result};
use crate::ir::{AtomicOp, Block, Func, Kind, ParamId, STACKS};
use crate::pass::dce::Live;
use crate::pass::slots::replays;
use crate::span::Span;

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
    fn logs(block: &Block) -> bool {
        block.stmts.iter().any(|stmt| {
            let own = matches!(
                stmt.kind,
                Kind::Mark { .. }
                    | Kind::Unwind { .. }
                    | Kind::Store { log: true, .. }
                    | Kind::Atomic { log: true, .. }
            );
            own || stmt.kind.blocks().into_iter().any(logs)
        })
    }
    if logs(&func.body) {
        let what = "it is itself an adjoint that logs what it overwrites".into();
        let hint = "differentiate the adjoint that was made to be differentiated again";
        return Err(refuse(func, Span::default(), what, hint));
    }
    if replays(func).keys().any(|slot| slot.stack + 1 >= STACKS) {
        let what = format!(
            "its derivatives of order {STACKS} record already, and there is no stack for more"
        );
        let hint = "derivatives of higher orders exist for kernels whose loops keep nothing from round to round";
        return Err(refuse(func, Span::default(), what, hint));
    }
    Ok(())
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
        for inner in stmt.kind.blocks() {
            visit(func, plan, inner)?;
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
    let hint = "compute such results in a kernel of their own with enable_backward=False, keep them \
                in an array and load them here";
    refuse(func, span, what, hint)
}
