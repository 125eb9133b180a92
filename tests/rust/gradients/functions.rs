//! Random kernels with functions: their adjoints give what those of the same kernels without functions give, and keep functions
//! where they can.

use crate::compiled::adjoint_agrees;
use tests::differences::{Case, gradients};
use tests::generate::generate;
use tests::outline::outline;
use tests::program::Program;
use warp_core::adjoint::{Adjoint, Options, reverse};
use warp_core::front::{Reading, build};
use warp_core::ir::{Func, Kind};
use warp_core::pass::inline::Limits;
use warp_core::verify::check;

const KERNELS: u64 = 300;
/// LLVM is slow on the largest of them.
const NATIVE: u64 = 15;

fn adjoint(func: &Func, again: bool) -> Adjoint {
    let options = Options {
        again,
        limits: Limits::NONE,
        ..Options::default()
    };
    match reverse(func, &options) {
        Ok(adjoint) => adjoint,
        Err(error) => panic!("{error}\n{func}"),
    }
}

/// Statements that compute with floats alone.
fn computes(func: &Func, kind: &Kind) -> bool {
    match kind {
        Kind::If { .. } | Kind::For { .. } | Kind::While { .. } => true,
        Kind::Let { out, .. } => func.ty(*out).is_float(),
        _ => false,
    }
}

/// Statements that compute, load and call.
fn loads_and_calls(func: &Func, kind: &Kind) -> bool {
    matches!(kind, Kind::Load { .. } | Kind::Call { .. }) || computes(func, kind)
}

/// Statements that find indices, besides.
fn all_but_writes(_: &Func, kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Let { .. }
            | Kind::Load { .. }
            | Kind::Call { .. }
            | Kind::If { .. }
            | Kind::For { .. }
            | Kind::While { .. }
    )
}

/// How many functions of an adjoint add to gradients.
fn adding(adjoint: &Adjoint) -> usize {
    let adds = |kind: &Kind| matches!(kind, Kind::Atomic { .. });
    let functions = adjoint.func.callees.iter();
    functions.filter(|f| f.block.any(&adds)).count()
}

/// The adjoints of a kernel and of the same kernel with functions give the same. How many functions of the latter are derivatives,
/// and how many add to gradients.
fn agrees(case: &Case, outlined: &Func, again: bool) -> [usize; 2] {
    check(outlined).expect("still valid");
    let [want, found] = [&case.func, outlined].map(|func| adjoint(func, again));
    let pairs = [&want, &found].map(|adjoint| gradients(case, adjoint, None));
    for (want, found_) in pairs[0].iter().zip(&pairs[1]) {
        for (a, b) in want.iter().zip(found_) {
            assert!(
                (a - b).abs() <= 1e-12 * (1.0 + a.abs()),
                "{a} {b}\n{outlined}\n{}",
                found.func
            );
        }
    }
    let derivatives = found.func.callees.iter();
    let derivatives = derivatives.filter(|f| f.name.starts_with("adj_")).count();
    [derivatives, adding(&found)]
}

#[test]
fn random_functions_are_differentiated() {
    let [mut derivatives, mut again, mut adding] = [0; 3];
    for seed in 0..KERNELS {
        let case = generate(seed);
        let report = |func: &Func| adjoint(func, false).report;
        let flat = outline(&case.func, 2, &computes);
        derivatives += agrees(&case, &flat, false)[0];
        again += agrees(&case, &flat, true)[0];
        // Functions that load and call others.
        let nested = outline(&flat, 3, &loads_and_calls);
        derivatives += agrees(&case, &nested, false)[0];
        let reports = [&case.func, &flat, &nested].map(report);
        assert!(reports.iter().all(|found| *found == reports[0]), "{nested}");
        let whole = outline(&case.func, 3, &all_but_writes);
        adding += agrees(&case, &whole, false)[1];
        again += agrees(&case, &whole, true)[0];
    }
    let counts = [derivatives, again, adding];
    assert!(
        counts.iter().all(|count| *count > KERNELS as usize),
        "{counts:?}"
    );
}

#[test]
fn native_functions_agree_with_the_interpreter() {
    let mut adds = 0;
    for seed in 0..NATIVE {
        let case = generate(seed);
        for fits in [computes, all_but_writes] {
            let func = outline(&case.func, 2, &fits);
            let case = Case {
                func,
                ..case.clone()
            };
            let adjoint = adjoint(&case.func, false);
            adds += adding(&adjoint);
            adjoint_agrees(&case, &adjoint, seed, &[]);
        }
    }
    assert!(adds > NATIVE as usize, "{adds}");
}

/// The adjoint of a kernel that calls a long function often is about as long as that of one that calls it a few times.
#[test]
fn adjoints_grow_by_calls() {
    let sizes = [5, 50].map(|calls| {
        let program = Program::read("calls.py", &calls_of_a_long_function(calls)).expect("reads");
        let kernel = program.0.kernels[0].clone();
        let built = build(kernel, &program, Reading::default());
        let func = built
            .unwrap_or_else(|failure| panic!("{}", failure.render()))
            .func;
        let adjoint = reverse(&func, &Options::default()).expect("has a gradient");
        assert_eq!(adjoint.func.callees.len(), 2, "{}", adjoint.func);
        adjoint.func.values.len()
    });
    // An argument, a result and an adjoint of each call, and the sines that all calls keep.
    assert!(sizes[1] - sizes[0] < 3 * 45 + 1000, "{sizes:?}");
}

fn calls_of_a_long_function(calls: usize) -> String {
    let lines: String = (0..60)
        .map(|n| format!("    a = a * 0.9 + wp.sin(b) * 0.1\n    b = b * 0.8 + a * 0.{n}\n"))
        .collect();
    let called: String = (0..calls)
        .map(|n| format!("    s = f(s, {n}.0)\n"))
        .collect();
    format!(
        "@wp.func\ndef f(x: float, y: float):\n    a = x\n    b = y\n{lines}    return a + b\n\
         @wp.kernel\ndef k(x: wp.array(dtype=float), y: wp.array(dtype=float)):\n    i = wp.tid()\n    s = x[i]\n{called}    y[i] = s\n"
    )
}
