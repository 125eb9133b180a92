//! Derivatives of derivatives.

use super::{SIN_LOOP, XYN, agrees, agrees_once, case};
use crate::second::{adjoint_case, repeatable};
use tests::differences::gradients;
use warp_core::adjoint::{Options, reverse};
use warp_core::error::Code;

const STORED_LOOP: &str = "\
  %0:int32 = tid 0
  %1:int32 = const 0
  %2:int32 = const 1
  %3:int32 = param n 0
  for %5:int32 in range(%1, %3, %2) with () -> () {
    %6:float64 = load y[%0]
    %7:float64 = sin %6
    %8:float64 = mul %7, %6
    store y[%0], %8
    yield 
  }
";

/// By hand: the loop body twice, differentiated twice.
#[test]
fn second_derivatives_of_a_loop() {
    let case = case(XYN, SIN_LOOP, &[&[1.2], &[0.0]], Some(2));
    let adjoint = adjoint_case(&case);
    let second = reverse(&adjoint.func, &Options::default()).expect("has a gradient");
    let text = second.func.to_string();
    assert!(
        text.contains("record 0:") && text.contains("record 1:"),
        "{text}"
    );

    // y = f(f(x)); the adjoint adds seed_y * y' to adj_x, whose own seed is `weight`.
    let found = gradients(&adjoint, &second, None);
    let names: Vec<&str> = second
        .report
        .arrays
        .iter()
        .map(|a| adjoint.func.param(a.param).name.as_str())
        .collect();
    assert_eq!(names, ["x", "y", "adj_x", "adj_y"]);
    let f = |v: f64| v.sin() * v;
    let d = |v: f64| v.cos() * v + v.sin();
    let dd = |v: f64| 2.0 * v.cos() - v.sin() * v;
    let (x, seed_y) = (1.2f64, 0.5 + 7.0 / 11.0);
    let first = d(f(x)) * d(x);
    let curved = dd(f(x)) * d(x) * d(x) + d(f(x)) * dd(x);
    // Seeds of `check`: by parameter, n being the third.
    let seed = |param: u32| 0.5 + f64::from(param * 7 % 11) / 11.0;
    assert!((found[0][0] - (seed(0) + seed(3) * seed_y * curved)).abs() < 1e-12);
    assert!((found[3][0] - (seed(4) + seed(3) * first)).abs() < 1e-12);
}

#[test]
fn third_derivatives() {
    let small = case(XYN, SIN_LOOP, &[&[0.8], &[0.3]], Some(2));
    let third = adjoint_case(&adjoint_case(&small));
    assert!(third.func.to_string().contains("record 1:"));
    agrees_once(&third);
}

/// A stack for each order; there are four.
#[test]
fn orders_beyond_the_stacks_are_refused_by_name() {
    let mut now = case(XYN, SIN_LOOP, &[&[0.8], &[0.3]], Some(1));
    for _ in 0..4 {
        now.func = repeatable(&now).func.into_func();
    }
    let error = reverse(&now.func, &Options::default()).expect_err("is refused");
    assert_eq!(error.code, Code::Gradient);
    assert!(
        error.message.contains("order 4") && error.hint.is_some(),
        "{error}"
    );
}

/// The form that runs loops again has a log, which has no reverse.
#[test]
fn a_log_is_refused_by_name() {
    let case = case(
        "y: array<float64, 1>, n: int32",
        STORED_LOOP,
        &[&[1.0]],
        Some(2),
    );
    let once = reverse(&case.func, &Options::default()).expect("has a gradient");
    assert!(once.func.to_string().contains("unwind"));
    let error = reverse(&once.func, &Options::default()).expect_err("is refused");
    assert!(
        error.message.contains("logs") && error.hint.is_some(),
        "{error}"
    );
    agrees(&case);
}
