//! Every row and its gradient as native code against the interpreter, in float64 and float32.

use crate::rows::{Choice, Random, Shape, arguments, close, each_overload, given, sample};
use crate::rows::{Program, finish, gradient, program};
use tests::native::{Kernel, Layout};
use warp_core::builtins::{Overload, Row};
use warp_core::dtype::Scalar;
use warp_core::interp;
use warp_core::lower::Options;
use warp_core::ty::Elem;

/// The gradient of a call and its results, by one kernel.
pub fn with_slopes(row: &Row, args: &[Elem]) -> Program {
    let (b, inputs, results) = program(row, args);
    let value = finish(b, &results);
    let (b, slopes) = gradient(&value.func, &inputs, &results);
    finish(b, &[slopes, results].concat())
}

fn check(row: &Row, overload: &Overload, args: &[Elem], tolerance: f64) {
    let program = with_slopes(row, args);
    let mut random = Random(23);
    let kernel = Kernel::of(program.func, &Options::default());
    for _ in 0..5 {
        let x = sample(&mut random, overload, args);
        let (mut expected, all) = given(program.results, args, &x);
        let mut found = expected.clone();
        interp::run(&kernel.func, &[1], &all, &mut expected).expect("interpreted");
        kernel
            .run(&[1], &all, &mut found, Layout::Dense, &[])
            .expect("run");
        let (found, expected) = (found.read(&all[0]), expected.read(&all[0]));
        let mut pairs = found.iter().zip(&expected);
        assert!(
            pairs.all(|(f, e)| close(*f, *e, tolerance)),
            "{}{args:?} at {x:?}: native {found:?}, interpreted {expected:?}",
            row.name
        );
    }
}

/// One shape of each overload: shapes differ in how often the same operations stand there.
fn check_all(float: Scalar, tolerance: f64) {
    each_overload(|row, overload| {
        let shape = if overload.sig.contains(": E(I)") {
            Shape::One
        } else {
            Shape::Three
        };
        let choice = Choice {
            float,
            number: float,
            elem: shape,
        };
        check(row, overload, &arguments(overload, choice), tolerance);
    });
}

#[test]
fn rows_in_float64_are_as_interpreted() {
    check_all(Scalar::F64, 1e-12);
}

#[test]
fn rows_in_float32_are_as_interpreted() {
    check_all(Scalar::F32, 1e-4);
}
