//! Elements that all threads meet in.

use super::{XY, agrees, agrees_once, case};
use crate::second::{adjoint_case, ways_agree};
use tests::differences::gradients;
use warp_core::adjoint::{Class, Data, Options, reverse};
use warp_core::error::Code;
use warp_core::ir::read;

#[test]
fn a_sum_of_all_threads() {
    let body = "\
  %0:int32 = tid 0
  %1:int32 = const 0
  %2:float64 = load x[%0]
  %3:float64 = mul %2, %2
  atomic add y[%1], %3
";
    let case = case(XY, body, &[&[1.0, 2.0, 3.0], &[0.5]], None);
    agrees(&case);
    let adjoint = reverse(&case.func, &Options::default()).expect("has a gradient");
    let report = adjoint.report.arrays[1];
    assert_eq!((report.class, report.data), (Class::Added, Data::None));
}

#[test]
fn a_maximum_over_all_threads() {
    let body = "\
  %0:int32 = tid 0
  %1:int32 = const 0
  %2:float64 = load x[%0]
  %3:float64 = mul %2, %2
  atomic max y[%1], %3
";
    let case = case(XY, body, &[&[1.0, -4.0, 3.0], &[0.5]], None);
    agrees_once(&case);
    ways_agree(&case);
    // A difference loses the hit, so that the second derivative is checked by hand: that of x^2 at -4.
    let twice = adjoint_case(&case);
    let second = reverse(&twice.func, &Options::default()).expect("has a gradient");
    let found = gradients(&twice, &second, None);
    let seed = |param: f64, at: f64| 0.5 + (param * 7.0 + at * 3.0) % 11.0 / 11.0;
    let curved = seed(2.0, 1.0) * seed(1.0, 0.0) * 2.0;
    assert_eq!(
        found[0],
        [seed(0.0, 0.0), seed(0.0, 1.0) + curved, seed(0.0, 2.0)]
    );
    let adjoint = reverse(&case.func, &Options::default()).expect("has a gradient");
    assert_eq!(adjoint.report.arrays[1].data, Data::After);
}

/// A counter that hands out places: forward it may be used, but nothing may be differentiated through it.
#[test]
fn results_of_atomics_are_refused_by_name() {
    let params = "x: array<float64, 1>, y: array<float64, 1>, c: array<int32, 1>";
    let body = "\
  %0:int32 = tid 0
  %1:int32 = const 0
  %2:int32 = const 1
  %3:float64 = load x[%0]
  %4:int32 = atomic add c[%1], %2
  store y[%4], %3
";
    let text = format!("kernel k({params}) {{\n{body}}}\n");
    let func = read(&text).expect("reads");
    let error = reverse(&func, &Options::default()).expect_err("is refused");
    assert_eq!(error.code, Code::Gradient);
    assert!(
        error.message.contains("`c`") && error.hint.is_some(),
        "{error}"
    );

    let text = text.replace("y[%4]", "y[%0]");
    reverse(&read(&text).expect("reads"), &Options::default()).expect("unused: no harm");

    let text = "\
kernel k(x: array<float64, 1>, y: array<float64, 1>) {
  %0:int32 = tid 0
  %1:float64 = load x[%0]
  %2:float64 = atomic add y[%0], %1
  atomic max y[%0], %1
}
";
    let error = reverse(&read(text).expect("reads"), &Options::default()).expect_err("mixed");
    assert!(error.message.contains("`y`"), "{error}");
}
