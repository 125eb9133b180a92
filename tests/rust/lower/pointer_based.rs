//! Arrays that addresses lead to.

use tests::native::agree_dense;
use warp_core::dtype::Scalar;
use warp_core::interp::Memory;
use warp_core::ty::Elem;

const F32: Elem = Elem::Scalar(Scalar::F32);
const I32: Elem = Elem::Scalar(Scalar::I32);
const VEC2: Elem = Elem::Vec {
    len: 2,
    scalar: Scalar::F32,
};

/// `x` as rows of two from its address, from the second number on.
const TEXT: &str = "\
kernel k(x: array<float32, 1>, i: array<int32, 1>, y: array<vec<2, float32>, 1>, *x: pointer_based<vec<2, float32>, 2, 4>) {
  %0:int32 = tid 0
  %1:uint64 = address x
  %2:uint64 = const 0
  %3:int32 = const 2
  %4:int64 = stride x 0
  %5:int64 = const 4
  %6:int64 = mul %4, %5
  %7:int64 = const 8
  %8:int32 = load i[%0]
  %9:int32 = const 1
  %10:float32 = load *x[%1, %2, %3, %3, %6, %7, %8, %9].0
  %11:int32 = const 1
  %12:float32 = load *x[%1, %2, %3, %3, %6, %7, %8, %9].%11
  store y[%0].0, %10
  store y[%0].1, %12
  %13:float32 = atomic add *x[%1, %2, %3, %3, %6, %7, %3, %8].0, %10
  store *x[%1, %2, %3, %3, %6, %7, %8, %8].1, %13
}";

fn memory(indices: [i64; 1]) -> (Memory, [warp_core::interp::Arg; 3]) {
    let mut memory = Memory::default();
    let args = [
        memory.floats(F32, &[10], &[0., 1., 2., 3., 4., 5., 6., 7., 8., 9.]),
        memory.ints(I32, &[1], &indices),
        memory.floats(VEC2, &[1], &[0.0; 2]),
    ];
    (memory, args)
}

#[test]
fn native_code_finds_what_the_interpreter_finds() {
    let text = TEXT.replace("%7, %3, %8].0, %10", "%7, %8, %8].0, %10");
    for i in [0, 1, -1, -2] {
        let (memory, args) = memory([i]);
        // Rows of two are vectors only where elements follow each other.
        agree_dense(&text, &[1], &args, &memory);
    }
}

#[test]
fn every_index_is_checked() {
    let (memory, args) = memory([0]);
    // The index 2 of 2.
    let result = warp_core::interp::run(
        &warp_core::ir::read(TEXT).expect("reads"),
        &[1],
        &args,
        &mut memory.clone(),
    );
    let fault = result.expect_err("out of range").0;
    assert!(
        fault.contains("index 2 is out of range for size 2"),
        "{fault}"
    );
}

#[test]
fn what_describes_an_array_has_its_types() {
    for (what, with) in [
        ("%4:int64 = stride x 0", "%4:uint64 = stride x 0"),
        (
            "[%1, %2, %3, %3, %6, %7, %8, %9].0",
            "[%1, %2, %3, %3, %6, %8, %9].0",
        ),
        (
            "[%1, %2, %3, %3, %6, %7, %8, %9].0",
            "[%1, %3, %3, %3, %6, %7, %8, %9].0",
        ),
        ("address x", "address *x"),
    ] {
        let text = TEXT.replace(what, with);
        assert_ne!(text, TEXT);
        let func = warp_core::ir::read(&text).expect("reads");
        assert!(warp_core::verify::check(&func).is_err(), "{with}");
    }
}
