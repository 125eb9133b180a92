//! Regions of small kernels.

use super::{Arguments, Region, Regions, Which};
use crate::dtype::Scalar;
use crate::ir::{ParamId, read};

/// Launch dimensions, extents of all arrays, and the value of all parameters.
struct Given([i32; 4], i32, i64);

impl Arguments for Given {
    fn threads(&self, dim: u8) -> i32 {
        self.0[usize::from(dim)]
    }
    fn extent(&self, _: ParamId, _: u8) -> i32 {
        self.1
    }
    fn value(&self, _: ParamId, _: u32, _: Scalar) -> Option<i64> {
        Some(self.2)
    }
}

const LOADS: Which = Which {
    loads: true,
    stores: false,
};
const STORES: Which = Which {
    loads: false,
    stores: true,
};
const BOTH: Which = Which {
    loads: true,
    stores: true,
};

fn region(text: &str, given: &Given, shape: &[i32], which: Which) -> Option<Region> {
    let func = read(text).expect("reads");
    let regions = Regions::of(&[&func]);
    let found = regions.evaluate(given)?;
    found.region(std::iter::once(ParamId(0)), shape, which)
}

/// Starts, shape and steps of two dimensions.
fn parts(region: Option<Region>) -> [[i32; 2]; 3] {
    let region = region.expect("not all");
    [region.start, region.shape, region.step].map(|all| [all[0], all[1]])
}

const ROWS: &str = "kernel k(x: array<float32, 2>, k: int32) {
  %0:int32 = tid 0
  %1:int32 = param k 0
  %2:int32 = const 1
  %3:int32 = add %1, %2
  %4:float32 = load x[%1, %0]
  store x[%3, %0], %4
}";

#[test]
fn a_row_is_read_and_the_next_is_written() {
    let given = Given([5, 1, 1, 1], 10, 3);
    let shape = [10, 8];
    let loads = parts(region(ROWS, &given, &shape, LOADS));
    assert_eq!(loads, [[3, 0], [1, 5], [1, 1]]);
    let stores = parts(region(ROWS, &given, &shape, STORES));
    assert_eq!(stores, [[4, 0], [1, 5], [1, 1]]);
    let both = parts(region(ROWS, &given, &shape, BOTH));
    assert_eq!(both, [[3, 0], [2, 5], [1, 1]]);
}

#[test]
fn what_is_out_of_range_may_be_anywhere_along_its_dimension() {
    let shape = [10, 8];
    // The last row, and one that is not there.
    let stores = region(ROWS, &Given([5, 1, 1, 1], 10, 9), &shape, STORES);
    assert_eq!(parts(stores), [[0, 0], [10, 5], [1, 1]]);
    // A negative index counts from the end.
    let loads = region(ROWS, &Given([5, 1, 1, 1], 10, -2), &shape, LOADS);
    assert_eq!(parts(loads), [[0, 0], [10, 5], [1, 1]]);
    let more = region(ROWS, &Given([9, 1, 1, 1], 10, 3), &shape, LOADS);
    assert_eq!(parts(more), [[3, 0], [1, 8], [1, 1]]);
    // An index that wraps.
    let wraps = region(
        ROWS,
        &Given([5, 1, 1, 1], 10, i32::MAX.into()),
        &shape,
        STORES,
    );
    assert_eq!(parts(wraps), [[0, 0], [10, 5], [1, 1]]);
    // Both are the whole array.
    let given = Given([8, 1, 1, 1], 10, 3);
    assert_eq!(region(ROWS, &given, &[1, 8], LOADS), None);
}

#[test]
fn columns_of_a_flat_array_have_a_step() {
    let text = "kernel k(x: array<float32, 1>, k: int32) {
  %0:int32 = tid 0
  %1:int32 = const 10
  %2:int32 = mul %0, %1
  %3:int32 = param k 0
  %4:int32 = add %2, %3
  %5:float32 = load x[%4]
}";
    let found = region(text, &Given([6, 1, 1, 1], 60, 3), &[60], LOADS).expect("not all");
    assert_eq!((found.start[0], found.shape[0], found.step[0]), (3, 6, 10));
}

#[test]
fn loops_and_quotients_are_followed() {
    let text = "kernel k(x: array<float32, 2>, k: int32) {
  %0:int32 = tid 0
  %1:int32 = const 4
  %2:int32 = floordiv %0, %1
  %3:int32 = mod %0, %1
  %4:int32 = const 0
  %5:int32 = param k 0
  %6:int32 = const 2
  for %7:int32 in range(%4, %5, %6) with () -> () {
    %8:float32 = load x[%7, %2]
    yield
  }
  store x[%5, %3], %8
}";
    let text = text.replace(
        "  store x[%5, %3], %8\n",
        "  %9:float32 = const 0.0\n  store x[%5, %3], %9\n",
    );
    let given = Given([12, 1, 1, 1], 10, 7);
    let loads = parts(region(&text, &given, &[10, 10], LOADS));
    assert_eq!(loads, [[0, 0], [4, 3], [2, 1]]);
    let stores = parts(region(&text, &given, &[10, 10], STORES));
    assert_eq!(stores, [[7, 0], [1, 4], [1, 1]]);
    // A loop without iterations reads nothing.
    let none = region(&text, &Given([12, 1, 1, 1], 10, 0), &[10, 10], LOADS);
    assert!(none.expect("not all").is_empty());
}

#[test]
fn indices_from_memory_may_be_any() {
    let text = "kernel k(x: array<float32, 2>, i: array<int32, 1>, k: int32) {
  %0:int32 = tid 0
  %1:int32 = load i[%0]
  %2:int32 = param k 0
  %3:float32 = load x[%2, %1]
  store x[%1, %1], %3
}";
    let given = Given([6, 1, 1, 1], 60, 3);
    let loads = parts(region(text, &given, &[10, 10], LOADS));
    assert_eq!(loads, [[3, 0], [1, 10], [1, 1]]);
    assert_eq!(region(text, &given, &[10, 10], STORES), None);
    // A thread that reads the address of an array may reach all of it.
    let text = text.replace("  %2:int32", "  %4:uint64 = address x\n  %2:int32");
    assert_eq!(region(&text, &given, &[10, 10], LOADS), None);
}

#[test]
fn long_chains_end_soon() {
    let mut text = String::from("kernel k(x: array<float32, 1>) {\n  %0:int32 = tid 0\n");
    for i in 1..3000 {
        let (a, b) = (i - 1, i / 2);
        text += &format!("  %{i}:int32 = add %{a}, %{b}\n");
    }
    for i in 0..3000 {
        text += &format!("  %{}:float32 = load x[%{i}]\n", 3000 + i);
    }
    let func = read(&(text + "}")).expect("reads");
    let begun = std::time::Instant::now();
    assert!(
        Regions::of(&[&func])
            .evaluate(&Given([6, 1, 1, 1], 60, 3))
            .is_none()
    );
    // Milliseconds; without a bound on the work it would be years.
    assert!(begun.elapsed().as_secs() < 20);
}
