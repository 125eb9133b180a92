//! Adjoints as native code do what they do in the interpreter: records, undo log, missing gradients,
//! adds without atomics where the report allows them.

use tests::differences::{Case, prepare};
use tests::generate::generate;
use tests::native::{Kernel, Layout};
use warp_core::adjoint::{Adjoint, Data, Options, reverse};
use warp_core::interp::{Arg, Buffer, Memory, Num, run};
use warp_core::ir::ParamId;
use warp_core::lower;

const KERNELS: u64 = 15;

#[test]
fn native_adjoints_agree_with_the_interpreter() {
    for seed in 0..KERNELS {
        agrees_natively(&generate(seed), seed, &[]);
    }
}

/// The adjoint of a case does natively what it does in the interpreter, also with a gradient missing. `extrema` are
/// buffers that are compared bit for bit with what the same machine computes.
pub fn agrees_natively(case: &Case, seed: u64, extrema: &[(usize, Buffer)]) {
    let adjoint = reverse(&case.func, &Options::default()).expect("has a gradient");
    adjoint_agrees(case, &adjoint, seed, extrema);
}

/// As [`agrees_natively`], for an adjoint that is there.
pub fn adjoint_agrees(case: &Case, adjoint: &Adjoint, seed: u64, extrema: &[(usize, Buffer)]) {
    let mut non_atomic = vec![false; adjoint.func.params.len()];
    for array in &adjoint.report.arrays {
        if let Some(grad) = array.grad {
            non_atomic[grad.0 as usize] = array.non_atomic & 1 != 0;
        }
    }
    let options = lower::Options {
        non_atomic,
        ..lower::Options::default()
    };
    let kernel = Kernel::of(adjoint.func.clone().into_func(), &options);
    let after = native_after(case);
    let left = adjoint.report.arrays.iter().filter_map(|array| {
        match (array.data, &case.args[array.param.0 as usize]) {
            (Data::After, Arg::Array(at)) => Some((*at, after.buffers[*at].clone())),
            _ => None,
        }
    });
    let extrema: Vec<(usize, Buffer)> = left.chain(extrema.iter().cloned()).collect();
    agree(case, adjoint, (&kernel, &extrema), None);
    agree(
        case,
        adjoint,
        (&kernel, &extrema),
        Some(ParamId(seed as u32 % 5)),
    );
}

/// Memory after the kernel as native code, which may round functions differently.
pub fn native_after(case: &Case) -> Memory {
    let mut after = case.memory.clone();
    Kernel::of(case.func.clone(), &lower::Options::default())
        .run(&case.dims, &case.args, &mut after, Layout::Dense, &[])
        .expect("no fault");
    after
}

fn agree(
    case: &Case,
    adjoint: &Adjoint,
    (kernel, extrema): (&Kernel, &[(usize, Buffer)]),
    missing: Option<ParamId>,
) {
    let mut prepared = prepare(case, adjoint, missing);
    let mut wanted = prepared.memory.clone();
    run(&adjoint.func, &case.dims, &prepared.args, &mut wanted).expect("runs");
    for (at, buffer) in extrema {
        prepared.memory.buffers[*at] = buffer.clone();
    }
    for layout in [Layout::Dense, Layout::Strided] {
        let mut found = prepared.memory.clone();
        kernel
            .run(&case.dims, &prepared.args, &mut found, layout, &[1])
            .unwrap_or_else(|slot| panic!("{slot:?}\n{}", adjoint.func));
        for (b, (wanted, found)) in wanted.buffers.iter().zip(&found.buffers).enumerate() {
            for (wanted, found) in wanted.data.iter().zip(&found.data) {
                assert!(
                    close(*wanted, *found),
                    "buffer {b}: {wanted:?}, found {found:?}\n{}",
                    adjoint.func
                );
            }
        }
    }
}

/// Equal up to the rounding of functions; junk that stands where nothing may look is NaN.
fn close(wanted: Num, found: Num) -> bool {
    let [a, b] = [wanted.float(), found.float()];
    (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-9 * (1.0 + a.abs())
}
