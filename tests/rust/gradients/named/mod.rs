//! Kernels on which others go wrong, one test each.

mod atomics;
mod loops;
mod orders;
mod stores;

use crate::second::{adjoint_case, ways_agree};
use tests::differences::{Case, check};
use warp_core::dtype::Scalar;
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
