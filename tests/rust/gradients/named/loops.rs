//! Loops: what they overwrite, nest, leave early and record.

use super::{F64, I32, SIN_LOOP, XY, XYN, agrees, case};
use tests::differences::{Case, gradients};
use warp_core::adjoint::{Options, reverse};
use warp_core::dtype::Scalar;
use warp_core::interp::Memory;
use warp_core::ir::read;
use warp_core::ty::Elem;

#[test]
fn a_variable_that_a_loop_overwrites() {
    let case = case(XYN, SIN_LOOP, &[&[1.2, -0.7], &[0.0, 0.0]], Some(3));
    agrees(&case);
    // By the chain rule, with v of each round.
    let adjoint = reverse(&case.func, &Options::default()).expect("has a gradient");
    let found = gradients(&case, &adjoint, None)[0][0];
    let (mut v, mut d) = (1.2f64, 1.0);
    for _ in 0..3 {
        (v, d) = (v.sin() * v, d * (v.cos() * v + v.sin()));
    }
    let [seed_x, seed_y] = [0.5, 0.5 + 7.0 / 11.0];
    assert!((found - (seed_x + seed_y * d)).abs() < 1e-12);
}

#[test]
fn a_loop_that_runs_no_round() {
    agrees(&case(XYN, SIN_LOOP, &[&[1.2], &[0.0]], Some(0)));
    agrees(&case(XYN, SIN_LOOP, &[&[1.2], &[0.0]], Some(-4)));
}

#[test]
fn a_while_loop() {
    let body = "\
  %0:int32 = tid 0
  %1:float64 = load x[%0]
  %2:float64 = const 0.1
  while with (%3:float64 = %1) -> (%4:float64) {
    %5:bool = gt %3, %2
    yield %5
  } do (%6:float64) {
    %7:float64 = sin %6
    %8:float64 = mul %7, %6
    yield %8
  }
  store y[%0], %4
";
    agrees(&case(XY, body, &[&[1.2, 0.9, 0.05], &[0.0; 3]], None));
}

#[test]
fn nested_loops_with_bounds_known_at_run_time() {
    let body = "\
  %0:int32 = tid 0
  %1:int32 = const 0
  %2:int32 = const 1
  %3:int32 = param n 0
  %4:float64 = load x[%0]
  %30:float64 = const 0.3
  for %5:int32 in range(%1, %3, %2) with (%6:float64 = %4, %7:float64 = %30) -> (%8:float64, %9:float64) {
    for %10:int32 in range(%5, %3, %2) with (%11:float64 = %7, %12:float64 = %6) -> (%13:float64, %14:float64) {
      %15:float64 = sin %11
      %16:float64 = mul %15, %12
      %17:float64 = cast %10
      %18:float64 = mul %17, %30
      %19:float64 = add %16, %18
      %20:float64 = tanh %19
      yield %20, %11
    }
    %21:float64 = mul %13, %14
    yield %21, %13
  }
  %22:float64 = add %8, %9
  store y[%0], %22
";
    agrees(&case(XYN, body, &[&[1.2, -0.4], &[0.0; 2]], Some(4)));
}

#[test]
fn branches_in_loops() {
    let body = "\
  %0:int32 = tid 0
  %1:int32 = const 0
  %2:int32 = const 1
  %3:int32 = const 5
  %31:int32 = const 2
  %4:float64 = load x[%0]
  for %5:int32 in range(%3, %1, %31) with (%6:float64 = %4) -> (%7:float64) {
    yield %4
  }
  for %8:int32 in range(%1, %3, %2) with (%9:float64 = %7) -> (%10:float64) {
    %11:int32 = mod %8, %31
    %12:bool = eq %11, %1
    if %12 -> (%13:float64) {
      %14:float64 = sin %9
      %15:float64 = mul %14, %9
      if %12 -> (%16:float64) {
        %17:float64 = exp %15
        %18:float64 = mul %17, %15
        yield %18
      } else {
        yield %9
      }
      yield %16
    } else {
      %19:float64 = cos %9
      yield %19
    }
    yield %13
  }
  store y[%0], %10
";
    agrees(&case(XY, body, &[&[0.8, -0.4], &[0.0; 2]], None));
}

#[test]
fn a_loop_that_ends_early() {
    let body = "\
  %0:int32 = tid 0
  %1:int32 = const 0
  %2:int32 = const 1
  %3:int32 = param n 0
  %4:float64 = load x[%0]
  %5:bool = const false
  %6:float64 = const 2.0
  while with (%7:int32 = %1, %8:float64 = %4, %9:bool = %5) -> (%10:int32, %11:float64, %12:bool) {
    %13:bool = lt %7, %3
    %14:bool = not %9
    %15:bool = and %13, %14
    yield %15
  } do (%16:int32, %17:float64, %18:bool) {
    %19:float64 = mul %17, %17
    %20:bool = gt %19, %6
    if %20 -> (%21:float64, %22:bool) {
      yield %17, %20
    } else {
      %23:float64 = cast %16
      %24:float64 = add %19, %23
      yield %24, %18
    }
    %25:int32 = add %16, %2
    yield %25, %21, %22
  }
  store y[%0], %11
";
    agrees(&case(XYN, body, &[&[0.7, 1.3, 1.9], &[0.0; 3]], Some(6)));
}

/// A component chosen at run time, of vectors that a loop overwrites.
#[test]
fn components_chosen_at_run_time() {
    let params = "v: array<vec<3, float64>, 1>, c: array<int32, 1>, y: array<float64, 1>";
    let body = "\
  %0:int32 = tid 0
  %1:int32 = load c[%0]
  %2:float64 = load v[%0].%1
  %3:float64 = load v[%0].1
  %4:float64 = mul %2, %3
  store v[%0].%1, %4
  %5:float64 = load v[%0].2
  %6:float64 = load v[%0].0
  %7:float64 = mul %5, %6
  store y[%0], %7
";
    let text = format!("kernel k({params}) {{\n{body}}}\n");
    let func = read(&text).expect("reads");
    let elem = Elem::Vec {
        len: 3,
        scalar: Scalar::F64,
    };
    let mut memory = Memory::default();
    let data: Vec<f64> = (0..9).map(|k| 0.3 + f64::from(k) / 4.0).collect();
    let args = vec![
        memory.floats(elem, &[3], &data),
        memory.ints(I32, &[3], &[0, 1, 2]),
        memory.floats(F64, &[3], &[0.0; 3]),
    ];
    agrees(&Case {
        func,
        dims: vec![3],
        args,
        memory,
    });
}

/// Products are summed without keeping anything: only the reversed loop is left.
#[test]
fn linear_loops_record_nothing() {
    let body = "\
  %0:int32 = tid 0
  %1:int32 = const 0
  %2:int32 = const 1
  %3:int32 = param n 0
  %4:float64 = const 0.0
  for %5:int32 in range(%1, %3, %2) with (%6:float64 = %4) -> (%7:float64) {
    %8:float64 = load x[%5]
    %9:float64 = mul %8, %8
    %10:float64 = add %6, %9
    yield %10
  }
  store y[%0], %7
";
    let case = case(XYN, body, &[&[1.0, 2.0], &[0.0; 2]], Some(2));
    agrees(&case);
    let adjoint = reverse(&case.func, &Options::default()).expect("has a gradient");
    let text = adjoint.func.to_string();
    assert!(
        !text.contains("record") && text.matches("for ").count() == 1,
        "{text}"
    );
}

/// Integers that a kernel overwrites and uses as indices again, in loops that have nothing else to reverse.
#[test]
fn indices_that_are_overwritten() {
    let params = "x: array<float64, 1>, q: array<int32, 1>, y: array<float64, 1>";
    let body = "\
  %0:int32 = tid 0
  %1:int32 = const 0
  %2:int32 = const 1
  %3:int32 = const 3
  for %4:int32 in range(%1, %3, %2) with () -> () {
    %5:int32 = load q[%0]
    %6:int32 = add %5, %4
    %7:int32 = mod %6, %3
    store q[%0], %7
    yield 
  }
  %8:int32 = load q[%0]
  %9:float64 = load x[%8]
  %10:float64 = mul %9, %9
  %11:float64 = mul %10, %9
  store y[%0], %11
  store q[%0], %1
";
    let text = format!("kernel k({params}) {{\n{body}}}\n");
    let func = read(&text).expect("reads");
    let mut memory = Memory::default();
    let args = vec![
        memory.floats(F64, &[3], &[0.5, 1.5, 2.5]),
        memory.ints(I32, &[3], &[0, 1, 2]),
        memory.floats(F64, &[3], &[0.0; 3]),
    ];
    agrees(&Case {
        func,
        dims: vec![3],
        args,
        memory,
    });
}
