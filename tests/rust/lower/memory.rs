//! Addresses and atomic operations.

use tests::native::{Kernel, Layout, agree, agree_on};
use warp_core::abi::flag;
use warp_core::dtype::{Scalar, TABLE};
use warp_core::interp::{Memory, Num};
use warp_core::lower::Options;
use warp_core::ty::Elem;

#[test]
fn negative_indices_count_from_the_end() {
    let text = "kernel k(i: array<int32, 1>, j: array<int64, 1>, x: array<float32, 2>, y: array<float32, 1>) {
  %0:int32 = tid 0
  %1:int32 = load i[%0]
  %2:int64 = load j[%0]
  %3:float32 = load x[%1, %2]
  store y[%0], %3
}";
    let mut memory = Memory::default();
    let x: Vec<f64> = (0..15).map(f64::from).collect();
    let args = [
        memory.ints(Elem::Scalar(Scalar::I32), &[6], &[0, -1, 2, -3, 1, -2]),
        memory.ints(Elem::Scalar(Scalar::I64), &[6], &[0, -1, -5, 4, 2, -2]),
        memory.floats(Elem::Scalar(Scalar::F32), &[3, 5], &x),
        memory.floats(Elem::Scalar(Scalar::F32), &[6], &[0.0; 6]),
    ];
    agree(text, &[6], &args, &memory);
}

#[test]
fn a_neighbour_before_the_first_is_the_last() {
    let text = "kernel k(x: array<float64, 1>, y: array<float64, 1>) {
  %0:int32 = tid 0
  %1:int32 = const 1
  %2:int32 = sub %0, %1
  %3:float64 = load x[%2]
  store y[%0], %3
}";
    let mut memory = Memory::default();
    let x: Vec<f64> = (0..33).map(f64::from).collect();
    let f64s = Elem::Scalar(Scalar::F64);
    let args = [
        memory.floats(f64s, &[33], &x),
        memory.floats(f64s, &[33], &[0.0; 33]),
    ];
    agree(text, &[33], &args, &memory);
}

#[test]
fn components_of_elements() {
    for ty in TABLE
        .iter()
        .map(|row| row.scalar)
        .filter(|s| *s != Scalar::Bool)
    {
        let text = format!(
            "kernel k(m: mat<2, 3, {ty}>, x: array<mat<2, 3, {ty}>, 2>, y: array<vec<3, {ty}>, 1>) {{
  %0:int32 = tid 0
  %1:int32 = const 1
  %2:{ty} = load x[%0, %1].4
  %3:{ty} = param m 5
  %4:{ty} = add %2, %3
  store y[%0].2, %4
  %5:int32 = const 3
  %6:int32 = mod %0, %5
  %7:{ty} = load x[%0, %1].%6
  store y[%0].%1, %7
}}"
        );
        let number = |k: i64| match ty.is_float() {
            true => Num::Float(k as f64),
            false => Num::Int(k),
        };
        let mut memory = Memory::default();
        let mat = Elem::Mat {
            rows: 2,
            cols: 3,
            scalar: ty,
        };
        let vec = Elem::Vec { len: 3, scalar: ty };
        let args = [
            warp_core::interp::Arg::Elem((10..16).map(number).collect()),
            memory.push(mat, &[5, 2], (0..60).map(number).collect()),
            memory.push(vec, &[5], vec![number(0); 15]),
        ];
        agree(&text, &[5], &args, &memory);
    }
}

/// The operations that combine numbers of a type, and more.
fn operations(ty: Scalar, more: &[&'static str]) -> Vec<&'static str> {
    let bits: &[_] = if ty.is_int() {
        &["and", "or", "xor"]
    } else {
        &[]
    };
    [&["add", "min", "max"], bits, more].concat()
}

/// Atomic operations on all types; the results are used, so that none is reduced.
#[test]
fn atomics_in_memory() {
    for ty in TABLE
        .iter()
        .map(|row| row.scalar)
        .filter(|s| *s != Scalar::Bool)
    {
        for op in operations(ty, &["exchange", "compare(%2)"]) {
            let new = if op.starts_with("compare") { 4 } else { 2 };
            let seven = if ty.is_float() { "7.0" } else { "7" };
            let text = format!(
                "kernel k(i: array<int32, 1>, x: array<{ty}, 1>, y: array<{ty}, 1>, z: array<{ty}, 1>) {{
  %0:int32 = tid 0
  %1:int32 = load i[%0]
  %2:{ty} = load x[%0]
  %4:{ty} = const {seven}
  %3:{ty} = atomic {op} y[%1], %{new}
  store z[%0], %3
}}"
            );
            run_atomic(&text, ty, 4);
        }
    }
}

/// The same on one element with unused results: reductions in a register. Sums are of small integers, so
/// that their order does not show.
#[test]
fn atomics_collected_per_call() {
    for ty in TABLE
        .iter()
        .map(|row| row.scalar)
        .filter(|s| *s != Scalar::Bool)
    {
        for op in operations(ty, &[]) {
            let text = format!(
                "kernel k(i: array<int32, 1>, x: array<{ty}, 1>, y: array<{ty}, 1>, z: array<{ty}, 1>) {{
  %0:int32 = tid 0
  %1:int32 = load i[%0]
  %2:{ty} = load x[%0]
  %3:int32 = const -3
  %4:int32 = const 0
  %5:bool = gt %1, %4
  if %5 -> () {{
    atomic {op} y[%3], %2
    yield
  }} else {{
    yield
  }}
  atomic {op} y[%4], %2
}}"
            );
            let kernel = run_atomic(&text, ty, 0);
            assert!(
                kernel.text.contains("%sum1"),
                "not reduced in a register:\n{}",
                kernel.text
            );
        }
    }
}

fn run_atomic(text: &str, ty: Scalar, nans: usize) -> Kernel {
    let number = |k: i64| match ty.is_float() {
        true => Num::Float(k as f64),
        false if ty.is_signed() => Num::Int(k),
        false => Num::Int(k.abs()),
    };
    let n = 41;
    let mut memory = Memory::default();
    let mut x: Vec<Num> = (0..n).map(|k| number(k * 7 % 11 - 5)).collect();
    if ty.is_float() {
        for k in 0..nans {
            x[k * 5 + 20] = Num::Float([f64::NAN, -0.0, 0.0, f64::INFINITY][k % 4]);
        }
    }
    let shape = [n as i32];
    let index: Vec<i64> = (0..n).map(|k| k * k % 4).collect();
    let elem = Elem::Scalar(ty);
    let args = [
        memory.ints(Elem::Scalar(Scalar::I32), &shape, &index),
        memory.push(elem, &shape, x),
        memory.push(elem, &[4], (0..4).map(number).collect()),
        memory.push(elem, &shape, vec![number(0); n as usize]),
    ];
    let kernel = Kernel::new(text);
    agree_on(&kernel, &shape, &args, &memory);
    kernel
}

#[test]
fn sums_over_threads_of_one_call_are_one_operation() {
    let text = "kernel k(x: array<float32, 1>, y: array<float32, 1>) {
  %0:int32 = tid 0
  %1:float32 = load x[%0]
  %2:int32 = const 0
  atomic add y[%2], %1
}";
    let mut memory = Memory::default();
    let x: Vec<f64> = (0..1000).map(f64::from).collect();
    let f32s = Elem::Scalar(Scalar::F32);
    let args = [
        memory.floats(f32s, &[1000], &x),
        memory.floats(f32s, &[1], &[0.5]),
    ];
    let kernel = Kernel::new(text);
    agree_on(&kernel, &[1000], &args, &memory);
    // A launch without a thread leaves the element alone: -0.0 stays what it is.
    let mut memory = Memory::default();
    let args = [
        memory.floats(f32s, &[0], &[]),
        memory.floats(f32s, &[1], &[-0.0]),
    ];
    kernel
        .run(&[0], &args, &mut memory, Layout::Dense, &[])
        .expect("no fault");
    assert!(memory.read(&args[1])[0].is_sign_negative());
}

#[test]
fn owned_elements_are_changed_without_atomics_unless_buffers_overlap() {
    let text = "kernel k(x: array<float32, 1>, y: array<float32, 1>) {
  %0:int32 = tid 0
  %1:float32 = load x[%0]
  atomic add y[%0], %1
}";
    let mut memory = Memory::default();
    let x: Vec<f64> = (0..100).map(f64::from).collect();
    let f32s = Elem::Scalar(Scalar::F32);
    let args = [
        memory.floats(f32s, &[100], &x),
        memory.floats(f32s, &[100], &x),
    ];
    agree(text, &[100], &args, &memory);
    // One array for both parameters.
    agree(text, &[100], &[args[0].clone(), args[0].clone()], &memory);
    let inner = Kernel::new(text).text;
    let mut bodies = inner.split("define internal void @kernel.");
    let plain = bodies
        .find(|b| b.starts_with("inner("))
        .expect("the first body");
    assert!(!plain.contains("atomicrmw"), "{plain}");
}

#[test]
fn the_caller_s_plain_arrays_heed_the_overlap_flag() {
    let text = "kernel k(i: array<int32, 1>, y: array<float32, 1>) {
  %0:int32 = tid 0
  %1:int32 = load i[%0]
  %2:float32 = const 1.0
  atomic add y[%1], %2
}";
    let options = Options {
        non_atomic: vec![false, true],
        ..Options::default()
    };
    let kernel = Kernel::with(text, &options);
    let index: Vec<i64> = (0..64).map(|k| k / 32).collect();
    for layout in [Layout::Dense, Layout::Strided] {
        let mut memory = Memory::default();
        let args = [
            memory.ints(Elem::Scalar(Scalar::I32), &[64], &index),
            memory.floats(Elem::Scalar(Scalar::F32), &[2], &[0.0; 2]),
        ];
        kernel
            .launch(&[64], &args, &mut memory, layout, &[], flag::OVERLAP)
            .expect("no fault");
        assert_eq!(memory.read(&args[1]), [32.0, 32.0]);
    }
    // The body for any strides asks; with run-time strides and without the flag nothing is atomic.
    let any = kernel.text.split("@kernel.any(").last().expect("a body");
    let [alone, shared] =
        ["alone", "shared"].map(|l| any.find(&format!("\n{l}")).expect("a label"));
    let atomic = any.find("atomicrmw").expect("an atomic add");
    assert!(alone < shared && shared < atomic, "{any}");
    assert_eq!(any.matches("atomicrmw").count(), 1);

    let text = "kernel k(x: array<float32, 1>, y: array<float32, 1>) {
  %0:int32 = tid 0
  %1:float32 = load x[%0]
  %2:float32 = atomic add y[%0], %1
  atomic add y[%0], %2
}";
    let kernel = Kernel::with(text, &options);
    let mut memory = Memory::default();
    let data: Vec<f64> = (0..50).map(f64::from).collect();
    let args = [(); 2].map(|()| memory.floats(Elem::Scalar(Scalar::F32), &[50], &data));
    agree_on(&kernel, &[50], &args, &memory);
}
