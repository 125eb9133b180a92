//! A few threads of a launch, run by the interpreter.

use super::compare::{describe, is_near, same, scale};
use super::memory::Snapshot;
use super::twin::{Checked, Twin, run_on_this_thread};
use crate::abi::{Entry, fault};
use crate::interp::{self, Arg, Memory, Num};
use crate::ir::{Block, Intrinsic, Kind, ParamType};

/// Numbers of arrays that the interpreter is given.
const MOST: usize = 1 << 16;
/// Statements that it executes for one thread.
const FUEL: u64 = 1 << 20;
/// What functions that are not exact may differ by, and what is computed of them.
const TOLERANCE: f64 = 1e-2;

/// What differs between the interpreter and the scalar body for single threads.
///
/// # Safety
/// As [`super::checked`].
pub unsafe fn differs(launch: Checked<'_>, entry: Entry, before: &Snapshot) -> Option<String> {
    let (twin, n) = (launch.twin, launch.total());
    let numbers: usize = before
        .arrays
        .iter()
        .map(|a| a.given.len() * a.elem.count())
        .sum();
    if n == 0 || numbers > MOST || before.overlaps() {
        return None;
    }
    let exact = is_exact(twin);
    // What a loop computes of a result that is nearly the interpreter's may be anything.
    if !exact && loops(&twin.func.body) {
        return None;
    }
    let threads = [0, n / 3, n - 1];
    for (k, thread) in threads.into_iter().enumerate() {
        if threads[..k].contains(&thread) {
            continue;
        }
        let mut alone = before.clone();
        // SAFETY: the copies are as large as the arrays.
        let code =
            unsafe { run_on_this_thread(entry, alone.block(), launch.flags, thread, thread + 1) };
        if let Some(text) = one(twin, &launch, thread, code, before, &alone, exact) {
            return Some(format!("thread {thread}: {text}"));
        }
    }
    None
}

fn one(
    twin: &Twin,
    launch: &Checked<'_>,
    thread: i64,
    code: i32,
    before: &Snapshot,
    found: &Snapshot,
    exact: bool,
) -> Option<String> {
    let mut memory = Memory::default();
    let mut args = Vec::new();
    let mut placed = Vec::new();
    for (k, param) in twin.func.arguments().iter().enumerate() {
        args.push(match param.ty {
            ParamType::Elem(elem) => Arg::Elem(before.value(twin, k, elem)),
            _ => match before.arrays.iter().find(|a| a.id.0 as usize == k) {
                None => Arg::Missing,
                Some(array) => {
                    let same = placed
                        .iter()
                        .find(|(given, elem, _)| (given, elem) == (&array.given, &array.elem));
                    let arg = match same {
                        Some((_, _, arg)) => Arg::clone(arg),
                        None => memory.push(array.elem, array.given.shape(), before.numbers(array)),
                    };
                    placed.push((array.given, array.elem, arg.clone()));
                    arg
                }
            },
        });
    }
    let threads = thread..thread + 1;
    let ran = interp::run_some(&twin.func, &launch.dims, threads, &args, &mut memory, FUEL);
    match (ran, code) {
        (Ok(_), fault::NONE) => {}
        // An array without elements or without data is no array of the interpreter's, and it does not do everything that runs.
        (Err(_), _) => return None,
        // It divides by zero, and does not wait.
        (Ok(_), fault::DIVISION | fault::CANCELLED) => return None,
        (Ok(_), code) => {
            return Some(format!(
                "it ends with fault {code}, which the interpreter has not"
            ));
        }
    }
    for array in &found.arrays {
        let Arg::Array(buffer) = args[array.id.0 as usize] else {
            continue;
        };
        let (now, right) = (found.numbers(array), &memory.buffers[buffer].data);
        let largest = scale(right.iter().copied());
        for (k, (a, b)) in now.iter().zip(right).enumerate() {
            let near = !exact
                && (is_near(*a, *b, TOLERANCE * largest.max(1.0)) || matches!(a, Num::Int(_)));
            if !same(*a, *b) && !near {
                return Some(describe(twin, array, k, *a, *b));
            }
        }
    }
    None
}

/// Whether there are loops.
fn loops(block: &Block) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.kind {
        Kind::For { .. } | Kind::While { .. } => true,
        kind => kind.blocks_run().into_iter().any(loops),
    })
}

/// Whether a kernel calls no function that is only nearly the interpreter's.
fn is_exact(twin: &Twin) -> bool {
    fn within(block: &Block) -> bool {
        block.stmts.iter().all(|stmt| {
            let exact = match &stmt.kind {
                Kind::Let { op, .. } => op.primitive().is_none_or(|row| row.library().is_none()),
                kind => !matches!(kind.intrinsic(), Some(Intrinsic::Factor(_))),
            };
            exact && stmt.kind.blocks_run().into_iter().all(within)
        })
    }
    within(&twin.func.body)
}
