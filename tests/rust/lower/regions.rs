//! Control flow, launch dimensions, recording.

use tests::native::{Kernel, Layout, agree, agree_on};
use warp_core::abi::fault;
use warp_core::dtype::Scalar;
use warp_core::interp::{Arg, Memory, Num};
use warp_core::lower::Options;
use warp_core::ty::Elem;

const F32: Elem = Elem::Scalar(Scalar::F32);
const I32: Elem = Elem::Scalar(Scalar::I32);

fn int(x: i64) -> Arg {
    Arg::Elem(vec![Num::Int(x)])
}

#[test]
fn threads_in_four_dimensions() {
    let text = "kernel k(y: array<int32, 4>) {
  %0:int32 = tid 0
  %1:int32 = tid 1
  %2:int32 = tid 2
  %3:int32 = tid 3
  %4:int32 = const 10
  %5:int32 = mul %0, %4
  %6:int32 = add %5, %1
  %7:int32 = mul %6, %4
  %8:int32 = add %7, %2
  %9:int32 = mul %8, %4
  %10:int32 = add %9, %3
  store y[%0, %1, %2, %3], %10
}";
    for dims in [[2, 3, 4, 5], [1, 1, 1, 1], [7, 1, 2, 1], [3, 2, 1, 6]] {
        let mut memory = Memory::default();
        let n = dims.iter().product::<i32>() as usize;
        let args = [memory.ints(I32, &dims, &vec![-1; n])];
        agree(text, &dims, &args, &memory);
    }
}

#[test]
fn every_split_of_a_launch_runs_each_thread_once() {
    let text = "kernel k(y: array<int32, 2>) {
  %0:int32 = tid 0
  %1:int32 = tid 1
  %2:int32 = load y[%0, %1]
  %3:int32 = const 1
  %4:int32 = add %2, %3
  store y[%0, %1], %4
}";
    let kernel = Kernel::new(text);
    let mut memory = Memory::default();
    let args = [memory.ints(I32, &[4, 5], &[0; 20])];
    for a in 0..=20 {
        for b in a..=20 {
            let mut memory = memory.clone();
            kernel
                .run(&[4, 5], &args, &mut memory, Layout::Dense, &[a, b])
                .expect("no fault");
            assert_eq!(memory.read(&args[0]), [1.0; 20], "cut at {a} and {b}");
        }
    }
}

#[test]
fn dimensions_that_the_kernel_does_not_ask_for_repeat_it() {
    let text = "kernel k(y: array<int32, 1>) {
  %0:int32 = tid 0
  %1:int32 = const 1
  atomic add y[%0], %1
}";
    let mut memory = Memory::default();
    let args = [memory.ints(I32, &[3], &[0, 0, 0])];
    agree(text, &[3, 5, 2], &args, &memory);
    // Not even one.
    let mut memory = Memory::default();
    let args = [memory.ints(I32, &[3], &[0, 0, 0])];
    let text = "kernel k(y: array<int32, 1>) {
  %0:int32 = const -1
  %1:int32 = const 1
  atomic add y[%0], %1
}";
    agree(text, &[3, 5], &args, &memory);
}

#[test]
fn loops_with_any_bounds() {
    for ty in ["int32", "int64", "int8", "uint8", "uint32"] {
        let signed = !ty.starts_with('u');
        let text = format!(
            "kernel k(a: array<{ty}, 1>, b: array<{ty}, 1>, c: array<{ty}, 1>, y: array<{ty}, 1>, z: array<int32, 1>) {{
  %0:int32 = tid 0
  %1:{ty} = load a[%0]
  %2:{ty} = load b[%0]
  %3:{ty} = load c[%0]
  %4:{ty} = const 0
  %5:int32 = const 0
  for %6:{ty} in range(%1, %2, %3) with (%7:{ty} = %4, %8:int32 = %5) -> (%9:{ty}, %10:int32) {{
    %11:{ty} = const 3
    %12:{ty} = mul %7, %11
    %13:{ty} = add %12, %6
    %14:int32 = const 1
    %15:int32 = add %8, %14
    yield %13, %15
  }}
  store y[%0], %9
  store z[%0], %10
}}"
        );
        let mut rows = vec![
            (0, 5, 1),
            (5, 0, 1),
            (0, 5, 2),
            (3, 100, 7),
            (0, 127, 100),
            (0, 4, 0),
            (7, 7, 1),
        ];
        if signed {
            rows.extend([
                (5, 0, -1),
                (5, 0, -2),
                (-5, 5, 3),
                (-128, 127, 50),
                (127, -128, -100),
                (-1, -9, -3),
            ]);
        } else {
            rows.extend([(200, 255, 50), (0, 255, 255)]);
        }
        let n = rows.len() as i32;
        let elem = Elem::Scalar(Scalar::from_name(ty).expect("a type"));
        let mut memory = Memory::default();
        let column = |f: fn(&(i64, i64, i64)) -> i64| rows.iter().map(f).collect::<Vec<_>>();
        let args = [
            memory.ints(elem, &[n], &column(|r| r.0)),
            memory.ints(elem, &[n], &column(|r| r.1)),
            memory.ints(elem, &[n], &column(|r| r.2)),
            memory.ints(elem, &[n], &vec![0; rows.len()]),
            memory.ints(I32, &[n], &vec![0; rows.len()]),
        ];
        agree(&text, &[n], &args, &memory);
        for (step, (start, stop)) in [
            (1, (120, 127)),
            (-1, (5, -3)),
            (3, (0, 127)),
            (-50, (100, -128)),
        ] {
            if signed || step > 0 {
                let text = text
                    .replace(
                        &format!("%1:{ty} = load a[%0]"),
                        &format!("%1:{ty} = const {start}"),
                    )
                    .replace(
                        &format!("%2:{ty} = load b[%0]"),
                        &format!("%2:{ty} = const {stop}"),
                    )
                    .replace(
                        &format!("%3:{ty} = load c[%0]"),
                        &format!("%3:{ty} = const {step}"),
                    );
                agree(&text, &[n], &args, &memory);
            }
        }
    }
}

#[test]
fn while_loops_carry_values() {
    // Collatz: rounds until 1.
    let text = "kernel k(y: array<int32, 1>) {
  %0:int32 = tid 0
  %1:int32 = const 1
  %2:int32 = add %0, %1
  %3:int32 = const 0
  while with (%4:int32 = %2, %5:int32 = %3) -> (%6:int32, %7:int32) {
    %8:bool = ne %4, %1
    yield %8
  } do (%9:int32, %10:int32) {
    %11:int32 = const 2
    %12:int32 = mod %9, %11
    %13:bool = eq %12, %3
    if %13 -> (%14:int32) {
      %15:int32 = floordiv %9, %11
      yield %15
    } else {
      %16:int32 = const 3
      %17:int32 = mul %9, %16
      %18:int32 = add %17, %1
      yield %18
    }
    %19:int32 = add %10, %1
    yield %14, %19
  }
  store y[%0], %7
}";
    let mut memory = Memory::default();
    let args = [memory.ints(I32, &[50], &[0; 50])];
    agree(text, &[50], &args, &memory);
}

#[test]
fn records_come_back_in_reverse() {
    // y = the last values first: 3 values of 3 sizes per round, on a stack that grows.
    let text = "kernel k(n: int32, x: array<float32, 1>, y: array<float64, 1>) {
  %0:int32 = tid 0
  %1:int32 = param n 0
  %2:int32 = const 0
  %3:int32 = const 1
  %4:float32 = load x[%0]
  for %5:int32 in range(%2, %1, %3) with (%6:float32 = %4) -> (%7:float32) {
    %8:bool = gt %6, %4
    %9:float64 = cast %6
    record 0:0 %8, %6, %9, %5
    %10:float32 = const 1.25
    %11:float32 = mul %6, %10
    %12:float32 = const 3.0
    %13:float32 = mod %11, %12
    yield %13
  }
  %14:float64 = const 0.0
  for %15:int32 in range(%2, %1, %3) with (%16:float64 = %14) -> (%17:float64) {
    %18:bool, %19:float32, %20:float64, %21:int32 = replay 0:0
    %22:float64 = cast %18
    %23:float64 = cast %19
    %24:float64 = cast %21
    %25:float64 = const 0.5
    %26:float64 = mul %16, %25
    %27:float64 = add %26, %22
    %28:float64 = mul %23, %24
    %29:float64 = add %27, %28
    %30:float64 = sub %29, %20
    yield %30
  }
  store y[%0], %17
}";
    let mut memory = Memory::default();
    let x: Vec<f64> = (0..13).map(f64::from).collect();
    let x = memory.floats(F32, &[13], &x);
    let y = memory.floats(Elem::Scalar(Scalar::F64), &[13], &[0.0; 13]);
    for n in [0, 1, 7, 20_000] {
        agree(text, &[13], &[int(n), x.clone(), y.clone()], &memory);
    }
}

#[test]
fn a_full_recording_stack_is_a_fault() {
    let text = "kernel k(n: int64) {
  %0:int64 = param n 0
  %1:int64 = const 0
  %2:int64 = const 1
  for %3:int64 in range(%1, %0, %2) with () -> () {
    record 0:0 %3
    yield
  }
  for %4:int64 in range(%1, %0, %2) with () -> () {
    %5:int64 = replay 0:0
    yield
  }
}";
    let kernel = Kernel::new(text);
    warp_core::backend::cpu::arena::set_limit(64 << 20);
    let end = kernel.run(
        &[4],
        &[int(1 << 40)],
        &mut Memory::default(),
        Layout::Dense,
        &[],
    );
    warp_core::backend::cpu::arena::set_limit(4 << 30);
    assert_eq!(
        end.expect_err("the stack has a limit").code,
        fault::RECORD_LIMIT
    );
}

#[test]
fn the_undo_log_takes_writes_back() {
    for types in [("float32", "float32"), ("float16", "int64")] {
        let text = "kernel k(n: int32, x: array<A, 1>, z: array<B, 1>, y: array<A, 1>) {
  %0:int32 = tid 0
  %1:int32 = param n 0
  %2:int32 = const 0
  %3:int32 = const 1
  %4:int64 = mark
  for %5:int32 in range(%2, %1, %3) with () -> () {
    %6:A = cast %5
    %7:A = load x[%0]
    %8:A = add %6, %7
    logged store x[%0], %8
    %9:B = cast %5
    %10:B = logged atomic max z[%0], %9
    yield
  }
  %11:A = load x[%0]
  store y[%0], %11
  unwind %4
}"
        .replace('A', types.0)
        .replace('B', types.1);
        let mut memory = Memory::default();
        let [a, b] =
            [types.0, types.1].map(|t| Elem::Scalar(Scalar::from_name(t).expect("a type")));
        let content = |elem: Elem, k: i64| match elem.scalar().is_float() {
            true => Num::Float(k as f64),
            false => Num::Int(k),
        };
        let x = memory.push(a, &[5], (0..5).map(|k| content(a, k)).collect());
        let z = memory.push(b, &[5], (0..5).map(|k| content(b, 2 - k)).collect());
        let y = memory.push(a, &[5], vec![content(a, 0); 5]);
        for n in [0, 1, 30] {
            let args = [int(n), x.clone(), z.clone(), y.clone()];
            agree(&text, &[5], &args, &memory);
        }
    }
}

#[test]
fn checks_name_place_index_and_size() {
    let text = "kernel k(i: int32, y: array<vec<3, float32>, 2>, d: int32) {
  %0:int32 = param i 0
  %1:int32 = const 1
  %2:float32 = load y[%1, %0].2
  %3:int32 = param d 0
  %4:int32 = const 7
  %5:int32 = div %4, %3
  %6:float32 = cast %5
  store y[%1, %0].%3, %6
}";
    let options = Options {
        check_bounds: true,
        check_division: true,
        ..Options::default()
    };
    let kernel = Kernel::with(text, &options);
    let mut memory = Memory::default();
    let vec3 = Elem::Vec {
        len: 3,
        scalar: Scalar::F32,
    };
    let y = memory.floats(vec3, &[2, 4], &[0.0; 24]);
    let mut run = |i, d| {
        let end = kernel.run(
            &[1],
            &[int(i), y.clone(), int(d)],
            &mut memory,
            Layout::Dense,
            &[],
        );
        end.map_err(|e| (e.code, e.a, e.b))
    };
    assert_eq!(run(3, 1), Ok(()));
    assert_eq!(run(-4, 2), Ok(()));
    assert_eq!(run(4, 1), Err((fault::INDEX, 4, 4)));
    assert_eq!(run(-5, 1), Err((fault::INDEX, -5, 4)));
    assert_eq!(run(0, 0), Err((fault::DIVISION, 0, 0)));
    assert_eq!(run(0, 3), Err((fault::INDEX, 3, 3)));
}

#[test]
fn missing_arrays_are_not_touched() {
    let text = "kernel k(x: array<float32, 1>, g: array<float32, 1>) {
  %0:int32 = tid 0
  %1:float32 = load x[%0]
  %2:bool = present g
  if %2 -> () {
    atomic add g[%0], %1
    yield
  } else {
    yield
  }
  %3:float32 = add %1, %1
  store x[%0], %3
}";
    let plain = Options {
        non_atomic: vec![false, true],
        ..Options::default()
    };
    for options in [Options::default(), plain] {
        let kernel = Kernel::with(text, &options);
        let mut memory = Memory::default();
        let x: Vec<f64> = (0..40).map(f64::from).collect();
        let x = memory.floats(F32, &[40], &x);
        let g = memory.floats(F32, &[40], &[1.0; 40]);
        agree_on(&kernel, &[40], &[x.clone(), Arg::Missing], &memory);
        agree_on(&kernel, &[40], &[x, g], &memory);
    }
}
