//! Functions of a kernel that are not inlined: against the interpreter, one thread at a time and in lanes.

use tests::native::{Kernel, Layout, agree_on};
use warp_core::abi::fault;
use warp_core::dtype::Scalar;
use warp_core::interp::{Arg, Memory, Num};
use warp_core::lower::{Lanes, Options};
use warp_core::ty::Elem;

const F32: Elem = Elem::Scalar(Scalar::F32);

/// Options for single threads, and for lanes of two widths.
fn ways() -> [Options; 3] {
    [Lanes::Never, Lanes::Groups(8), Lanes::Groups(32)].map(|lanes| Options {
        lanes,
        check_bounds: true,
        ..Options::default()
    })
}

/// Loops, calls of calls, loads, indices of the thread, constants and parameters within functions; results that lanes share and such
/// that they do not.
const NESTED: &str = "kernel k(x: array<float32, 2>, y: array<float32, 2>, n: int32) {
  %0:int32 = tid 0
  %1:int32 = tid 1
  %2:float32 = load x[%0, %1]
  %3:int32 = param n 0
  %4:float32, %5:int32 = call f %2, %1, %3
  %6:bool = lt %5, %3
  if %6 -> (%9:float32) {
    %7:float32, %8:int32 = call f %4, %3, %5
    yield %7
  } else {
    yield %2
  }
  store y[%0, %1], %9
}
function g(%10:float32, %11:float32) {
  %12:float32 = mul %10, %11
  %13:float32 = sin %12
  yield %13
}
function f(%14:float32, %15:int32, %16:int32) {
  %17:int32 = const 0
  %18:int32 = const 1
  %19:int32 = tid 0
  for %20:int32 in range(%17, %15, %18) with (%21:float32 = %14) -> (%27:float32) {
    %22:int32 = mod %20, %16
    %23:float32 = load x[%19, %22]
    %24:float32 = call g %23, %21
    %25:float32 = cast %20
    %26:float32 = add %24, %25
    yield %26
  }
  %28:int32 = add %16, %18
  yield %27, %28
}";

#[test]
fn functions_do_what_the_interpreter_does() {
    for options in ways() {
        let kernel = Kernel::with(NESTED, &options);
        let defines = kernel
            .text
            .lines()
            .filter(|line| line.starts_with("define"));
        let functions = defines.filter(|line| line.contains(".f0(") || line.contains(".f1("));
        assert!(functions.count() >= 2, "{}", kernel.text);
        let mut memory = Memory::default();
        let content: Vec<f64> = (0..3 * 37).map(|k| f64::from(k % 11) / 8.0).collect();
        let args = [
            memory.floats(F32, &[3, 37], &content),
            memory.floats(F32, &[3, 37], &[0.0; 3 * 37]),
            Arg::Elem(vec![Num::Int(37)]),
        ];
        agree_on(&kernel, &[3, 37], &args, &memory);
    }
}

/// A fault in a function ends the kernel, in lanes that run alone.
#[test]
fn faults_of_functions_end_the_kernel() {
    let text = "kernel k(x: array<float32, 1>, n: int32) {
  %0:int32 = tid 0
  %1:int32 = param n 0
  %2:bool = lt %0, %1
  if %2 -> (%4:float32) {
    %3:float32 = call f %0
    yield %3
  } else {
    %5:float32 = const 1.0
    yield %5
  }
  store x[%0], %4
}
function f(%6:int32) {
  %7:int32 = const 2
  %8:int32 = mul %6, %7
  check 8 %8, %6
  %9:float32 = load x[%8]
  yield %9
}";
    for options in ways() {
        let kernel = Kernel::with(text, &options);
        for (n, fails) in [(4, false), (5, true)] {
            let mut memory = Memory::default();
            let args = [
                memory.floats(F32, &[40], &[0.5; 40]),
                Arg::Elem(vec![Num::Int(n)]),
            ];
            let outcome = kernel.run(&[40], &args, &mut memory, Layout::Dense, &[]);
            match outcome {
                Ok(()) => assert!(!fails),
                Err(slot) => {
                    assert!(fails);
                    assert_eq!((slot.code, slot.a, slot.b), (fault::INDEX, 4, 8));
                }
            }
        }
    }
}

/// A function that some lanes call: it adds to an array, and replays what its loop records, whose length `LAST` says.
const ADDS: &str = "kernel k(x: array<float32, 1>, s: array<float32, 1>, n: int32) {
  %0:int32 = tid 0
  %1:int32 = param n 0
  %2:float32 = load x[%0]
  %3:int32 = mod %0, %1
  %4:int32 = const 1
  %5:bool = gt %3, %4
  if %5 -> (%7:float32) {
    %6:float32 = call f %2, %3, %1
    yield %6
  } else {
    yield %2
  }
  store x[%0], %7
}
function f(%8:float32, %9:int32, %10:int32) {
  %11:int32 = const 0
  %12:int32 = const 1
  for %13:int32 in range(%11, %LAST, %12) with (%14:float32 = %8) -> (%16:float32) {
    record 0:0 %14
    %15:float32 = add %14, %8
    yield %15
  }
  atomic add s[%9], %16
  for %17:int32 in range(%11, %LAST, %12) with (%18:float32 = %16) -> (%21:float32) {
    %19:float32 = replay 0:0
    %20:float32 = add %18, %19
    yield %20
  }
  yield %21
}";

#[test]
fn functions_add_and_record() {
    // As often in all lanes, and not.
    for last in ["10", "9"] {
        let text = ADDS.replace("%LAST", &format!("%{last}"));
        for options in ways() {
            let kernel = Kernel::with(&text, &options);
            assert!(kernel.text.contains(".f0("), "{}", kernel.text);
            let lanes = options.lanes != Lanes::Never;
            assert_eq!(kernel.text.contains("inner.lanes.f0("), lanes);
            let mut memory = Memory::default();
            let content: Vec<f64> = (0..100).map(|k| f64::from(k % 5)).collect();
            let args = [
                memory.floats(F32, &[100], &content),
                memory.floats(F32, &[7], &[0.0; 7]),
                Arg::Elem(vec![Num::Int(7)]),
            ];
            agree_on(&kernel, &[100], &args, &memory);
        }
    }
}
