//! Random kernels and their adjoints as native code, against the interpreter.

use tests::generate::generate;
use tests::native::{Kernel, Layout};
use warp_core::adjoint::{Data, Options, reverse};
use warp_core::interp::{Arg, Memory, Num, run};
use warp_core::lower;

mod bvh;
mod commands;
mod hash_grid;
mod mesh;
mod searches;
mod support;
mod tape;

const KERNELS: u64 = 40;

/// Two tests, for two cores.
#[test]
fn even_random_kernels_run_as_the_interpreter_says() {
    check((0..KERNELS).step_by(2));
}

#[test]
fn odd_random_kernels_run_as_the_interpreter_says() {
    check((1..KERNELS).step_by(2));
}

fn check(seeds: impl Iterator<Item = u64>) {
    for seed in seeds {
        // Other seeds than the gradient tests have.
        let case = generate(seed + 5_000);
        let kernel = Kernel::of(case.func.clone(), &lower::Options::default());
        let forward = compare(&kernel, &case.dims, &case.args, &case.memory, seed);
        let grouped = Kernel::of(case.func.clone(), &in_groups(&lower::Options::default()));
        compare(&grouped, &case.dims, &case.args, &case.memory, seed);

        let adjoint = reverse(&case.func, &Options::default()).expect("has a gradient");
        let mut options = lower::Options::default();
        options.non_atomic.resize(adjoint.func.params.len(), false);
        let (mut args, mut memory) = (case.args.clone(), case.memory.clone());
        for array in &adjoint.report.arrays {
            let Arg::Array(at) = case.args[array.param.0 as usize] else {
                panic!("an array is given for each array parameter");
            };
            if array.data == Data::After {
                memory.buffers[at] = forward.buffers[at].clone();
            }
            if let Some(grad) = array.grad {
                options.non_atomic[grad.0 as usize] = array.non_atomic & 1 != 0;
                let source = memory.buffers[at].clone();
                let seeds: Vec<f64> = (0..source.data.len()).map(|k| 0.5 + k as f64).collect();
                args.push(memory.floats(source.elem, &source.shape, &seeds));
            }
        }
        let kernels = [options.clone(), in_groups(&options)];
        let kernels = kernels.map(|options| Kernel::of(adjoint.func.clone().into_func(), &options));
        for kernel in &kernels {
            compare(kernel, &case.dims, &args, &memory, seed);
        }
        // Without the gradient of the first array.
        args[case.args.len()] = Arg::Missing;
        for kernel in &kernels {
            compare(kernel, &case.dims, &args, &memory, seed);
        }
    }
}

/// Few threads fill a group of two.
fn in_groups(options: &lower::Options) -> lower::Options {
    lower::Options {
        lanes: lower::Lanes::Groups(2),
        ..options.clone()
    }
}

/// Runs a kernel both ways and gives the memory that the interpreter left.
fn compare(kernel: &Kernel, dims: &[i32], args: &[Arg], memory: &Memory, seed: u64) -> Memory {
    let mut wanted = memory.clone();
    run(&kernel.func, dims, args, &mut wanted).expect("the interpreter runs it");
    for layout in [Layout::Dense, Layout::Strided] {
        let mut found = memory.clone();
        kernel
            .run(dims, args, &mut found, layout, &[])
            .expect("no fault");
        for (b, (w, f)) in wanted.buffers.iter().zip(&found.buffers).enumerate() {
            for (at, (w, f)) in w.data.iter().zip(&f.data).enumerate() {
                assert!(
                    near(*w, *f),
                    "seed {seed}, {layout:?}, buffer {b}, element {at}: wanted {w:?}, found {f:?}\n{}",
                    kernel.func
                );
            }
        }
    }
    wanted
}

/// Transcendental functions may differ in the last digits.
fn near(wanted: Num, found: Num) -> bool {
    match (wanted, found) {
        (Num::Float(w), Num::Float(f)) => {
            w == f || (w.is_nan() && f.is_nan()) || (w - f).abs() <= 1e-9 * (1.0 + w.abs())
        }
        (w, f) => w.int() == f.int(),
    }
}
