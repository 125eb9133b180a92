//! Adjoints of adjoints: random kernels differentiated twice, in the interpreter and as native code.

use crate::compiled::{agrees_natively, native_after};
use tests::differences::{Case, Outcome, check, gradients, prepare};
use tests::generate::generate;
use warp_core::adjoint::{Adjoint, Data, Options, reverse};
use warp_core::interp::Arg;

const KERNELS: u64 = 200;
/// LLVM is slow on the largest of them.
const NATIVE: u64 = 8;

/// An adjoint that can be differentiated again.
pub fn repeatable(case: &Case) -> Adjoint {
    let options = Options {
        again: true,
        ..Options::default()
    };
    match reverse(&case.func, &options) {
        Ok(adjoint) => adjoint,
        Err(error) => panic!("{error}\n{}", case.func),
    }
}

/// The adjoint as a case of its own: all gradients are given, and every array holds numbers.
pub fn adjoint_case(case: &Case) -> Case {
    let adjoint = repeatable(case);
    let mut prepared = prepare(case, &adjoint, None);
    // What the adjoint does not look at is junk there; differences of the objective need numbers.
    for (buffer, given) in prepared.memory.buffers.iter_mut().zip(&case.memory.buffers) {
        if buffer.data.iter().any(|n| n.float().is_nan()) {
            buffer.clone_from(given);
        }
    }
    Case {
        func: adjoint.func.into_func(),
        dims: case.dims.clone(),
        args: prepared.args,
        memory: prepared.memory,
    }
}

/// Both ways of forming the adjoint ask for the same and give the same gradients.
pub fn ways_agree(case: &Case) {
    let once = reverse(&case.func, &Options::default()).expect("has a gradient");
    let again = repeatable(case);
    assert_eq!(once.report, again.report, "{}\n{}", once.func, again.func);
    let pairs = gradients(case, &once, None);
    let pairs = pairs.iter().zip(gradients(case, &again, None));
    for (a, b) in pairs {
        for (a, b) in a.iter().zip(b) {
            assert!(
                (a - b).abs() <= 1e-12 * (1.0 + a.abs()),
                "{a} {b}\n{}",
                again.func
            );
        }
    }
}

#[test]
fn both_ways_agree() {
    for seed in KERNELS..5 * KERNELS {
        let case = generate(seed);
        ways_agree(&case);
    }
}

#[test]
fn random_kernels_twice() {
    let mut total = Outcome::default();
    let [mut stacks, mut restoring] = [0; 2];
    for seed in 0..KERNELS {
        let case = generate(seed);
        ways_agree(&case);
        let second = adjoint_case(&case);
        warp_core::verify::check(&second.func).expect("a valid kernel");
        let outcome = check(&second);
        let text = repeatable(&second).func.to_string();
        stacks += u32::from(text.contains("record 1:"));
        restoring += u32::from(text.contains("store q") || text.contains("store m"));
        total.agreed += outcome.agreed;
        total.kinks += outcome.kinks;
    }
    let counts = [stacks, restoring];
    assert!(counts.iter().all(|n| *n > KERNELS as u32 / 4), "{counts:?}");
    assert!(total.agreed > 30 * KERNELS as usize, "{total:?}");
    assert!(total.kinks * 25 < total.agreed, "{total:?}");
}

#[test]
fn random_kernels_three_times() {
    let mut total = Outcome::default();
    for seed in 0..KERNELS / 10 {
        let third = adjoint_case(&adjoint_case(&generate(seed)));
        let outcome = check(&third);
        total.agreed += outcome.agreed;
        total.kinks += outcome.kinks;
    }
    assert!(total.agreed > 50 * KERNELS as usize / 10, "{total:?}");
    assert!(total.kinks * 10 < total.agreed, "{total:?}");
}

#[test]
fn native_second_derivatives_agree_with_the_interpreter() {
    for seed in 0..NATIVE {
        let case = generate(seed);
        let after = native_after(&case);
        let arrays = repeatable(&case).report.arrays;
        let extrema = arrays.iter().filter(|a| a.data == Data::After);
        let extrema = extrema.filter_map(|array| match case.args[array.param.0 as usize] {
            Arg::Array(at) => Some((at, after.buffers[at].clone())),
            _ => None,
        });
        agrees_natively(&adjoint_case(&case), seed, &extrema.collect::<Vec<_>>());
    }
}
