//! Kernels on which others go wrong, one test each.

use crate::differences::{Case, check, gradients};
use crate::second::{adjoint_case, repeatable, ways_agree};
use warp_core::adjoint::{Class, Data, Options, reverse};
use warp_core::dtype::Scalar;
use warp_core::error::Code;
use warp_core::interp::{Arg, Memory, Num};
use warp_core::ir::read;
use warp_core::ty::Elem;

const F64: Elem = Elem::Scalar(Scalar::F64);
const I32: Elem = Elem::Scalar(Scalar::I32);

/// A kernel over `x`, `y` and, where the text has it, `n`, with as many threads as elements.
fn case(params: &str, body: &str, arrays: &[&[f64]], n: Option<i64>) -> Case {
    let text = format!("kernel k({params}) {{\n{body}}}\n");
    let func = read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    warp_core::verify::check(&func).expect("a valid kernel");
    let mut memory = Memory::default();
    let mut args: Vec<Arg> = arrays
        .iter()
        .map(|data| memory.floats(F64, &[data.len() as i32], data))
        .collect();
    args.extend(n.map(|n| Arg::Elem(vec![Num::Int(n)])));
    Case {
        func,
        dims: vec![arrays[0].len() as i32],
        args,
        memory,
    }
}

const XY: &str = "x: array<float64, 1>, y: array<float64, 1>";
const XYN: &str = "x: array<float64, 1>, y: array<float64, 1>, n: int32";

/// Everything that was checked agreed, and so does the adjoint of the adjoint.
fn agrees(case: &Case) {
    agrees_once(case);
    ways_agree(case);
    agrees_once(&adjoint_case(case));
}

fn agrees_once(case: &Case) {
    let outcome = check(case);
    assert!(outcome.agreed > 0 && outcome.kinks == 0, "{outcome:?}");
}

const SIN_LOOP: &str = "\
  %0:int32 = tid 0
  %1:int32 = const 0
  %2:int32 = const 1
  %3:int32 = param n 0
  %4:float64 = load x[%0]
  for %5:int32 in range(%1, %3, %2) with (%6:float64 = %4) -> (%7:float64) {
    %8:float64 = sin %6
    %9:float64 = mul %8, %6
    yield %9
  }
  store y[%0], %7
";

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
fn an_element_replaced_by_its_square() {
    let body = "\
  %0:int32 = tid 0
  %1:float64 = load y[%0]
  %2:float64 = mul %1, %1
  store y[%0], %2
";
    let case = case("y: array<float64, 1>", body, &[&[3.0]], None);
    agrees(&case);
    let adjoint = reverse(&case.func, &Options::default()).expect("has a gradient");
    assert_eq!(gradients(&case, &adjoint, None), [[0.5 * 6.0]]);
    let report = adjoint.report.arrays[0];
    assert_eq!((report.class, report.data), (Class::Mutable, Data::Before));
    assert!(report.consumes && report.adds && report.reads);
}

#[test]
fn a_store_over_a_store() {
    let body = "\
  %0:int32 = tid 0
  %1:float64 = load x[%0]
  store y[%0], %1
  %2:float64 = mul %1, %1
  store y[%0], %2
";
    let case = case(XY, body, &[&[3.0], &[0.0]], None);
    agrees(&case);
    let adjoint = reverse(&case.func, &Options::default()).expect("has a gradient");
    let seed_y = 0.5 + 7.0 / 11.0;
    let grads = gradients(&case, &adjoint, None);
    assert_eq!(grads, [[0.5 + 6.0 * seed_y], [0.0]]);
}

#[test]
fn neighbours() {
    let body = "\
  %0:int32 = tid 0
  %1:int32 = const 1
  %2:int32 = add %0, %1
  %3:float64 = load x[%0]
  %4:float64 = load x[%2]
  %5:float64 = mul %3, %4
  store y[%0], %5
";
    let mut case = case(XY, body, &[&[1.0, 2.0, 3.0, 4.0], &[0.0; 4]], None);
    case.dims = vec![3];
    agrees(&case);
    let adjoint = reverse(&case.func, &Options::default()).expect("has a gradient");
    let plain: Vec<u8> = adjoint.report.arrays.iter().map(|a| a.plain).collect();
    assert_eq!(plain, [0, 1], "elements of x are shared by threads");
}

#[test]
fn negative_indices_count_from_the_end() {
    let body = "\
  %0:int32 = tid 0
  %1:int32 = const -1
  %2:int32 = sub %1, %0
  %3:float64 = load x[%2]
  %4:float64 = mul %3, %3
  store y[%0], %4
";
    agrees(&case(XY, body, &[&[1.0, 2.0, 3.0], &[0.0; 3]], None));
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

#[test]
fn what_was_stored_is_loaded_again() {
    let body = "\
  %0:int32 = tid 0
  %1:int32 = const 0
  %2:int32 = const 1
  %3:int32 = param n 0
  %4:float64 = load x[%0]
  store y[%0], %4
  for %5:int32 in range(%1, %3, %2) with () -> () {
    %6:float64 = load y[%0]
    %7:float64 = sin %6
    %8:float64 = mul %7, %4
    store y[%0], %8
    atomic add y[%0], %4
    yield 
  }
";
    let case = case(XYN, body, &[&[1.0, -0.6], &[0.3, 0.4]], Some(3));
    agrees(&case);
    let adjoint = reverse(&case.func, &Options::default()).expect("has a gradient");
    assert_eq!(adjoint.report.arrays[1].data, Data::Scratch);
}

#[test]
fn rows_are_accumulated() {
    let body = "\
  %0:int32 = tid 0
  %1:int32 = const 0
  %2:int32 = const 1
  %3:int32 = param n 0
  %4:float64 = const 0.0
  store y[%0], %4
  for %5:int32 in range(%1, %3, %2) with () -> () {
    %6:float64 = load x[%5]
    %7:float64 = mul %6, %6
    atomic add y[%0], %7
    yield 
  }
";
    let case = case(XYN, body, &[&[1.0, -0.6, 2.0], &[0.3, 0.4, 0.5]], Some(3));
    agrees(&case);
    let adjoint = reverse(&case.func, &Options::default()).expect("has a gradient");
    let report = adjoint.report.arrays[1];
    assert_eq!(report.data, Data::None, "nothing loads what is accumulated");
    assert!(report.consumes);
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

/// One array passed for both parameters: right if the launch consumes, since each access comes in order.
#[test]
fn one_array_passed_twice() {
    let body = "\
  %0:int32 = tid 0
  %1:float64 = load x[%0]
  %2:float64 = mul %1, %1
  store y[%0], %2
";
    let case = case(XY, body, &[&[3.0], &[0.0]], None);
    let options = Options {
        consume: vec![warp_core::ir::ParamId(1)],
        ..Options::default()
    };
    let adjoint = reverse(&case.func, &options).expect("has a gradient");
    let mut memory = Memory::default();
    let data = memory.floats(F64, &[1], &[3.0]);
    let grad = memory.floats(F64, &[1], &[1.0]);
    let args = [data.clone(), data, grad.clone(), grad.clone()];
    warp_core::interp::run(&adjoint.func, &[1], &args, &mut memory).expect("runs");
    assert_eq!(memory.read(&grad), [6.0]);
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
        now.func = repeatable(&now).func;
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
