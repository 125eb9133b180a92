//! Elements that are stored more than once, loaded again, or reached by two names.

use super::{F64, XY, XYN, agrees, case};
use tests::differences::gradients;
use warp_core::adjoint::{Class, Data, Options, reverse};
use warp_core::interp::Memory;

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
    let plain: Vec<u8> = adjoint.report.arrays.iter().map(|a| a.non_atomic).collect();
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
