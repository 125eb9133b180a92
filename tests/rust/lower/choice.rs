//! How many threads of a kernel run at once in the lanes of vectors, by the size of the processor's registers.

use warp_core::ir::read;
use warp_core::lower::{Options, host};
use warp_core::verify::verify;

/// The lanes of a group, or why threads run one at a time.
fn chosen(text: &str, vector: usize) -> Result<usize, &'static str> {
    let func = read(text).expect("a kernel");
    let func = verify(func).expect("verifies");
    let options = Options {
        vector,
        ..Options::default()
    };
    let lowered = host::lower(&func, &options).expect("lowers");
    let body = &lowered.report[0];
    assert_eq!(lowered.gang as usize, body.lanes.unwrap_or(1));
    body.lanes.ok_or(body.why)
}

/// Reads and writes elements of three numbers, with `times` products for each number.
fn powers(times: usize) -> String {
    let mut text = String::from(
        "kernel k(x: array<vec<3, float32>, 1>, out: array<vec<3, float32>, 1>) {
  %0:int32 = tid 0
  %1:float32 = load x[%0].0
  %2:float32 = load x[%0].1
  %3:float32 = load x[%0].2
",
    );
    let count = 3 * times;
    for k in 4..4 + count {
        text += &format!("  %{k}:float32 = mul %{}, %{}\n", k - 3, k - 1);
    }
    for comp in 0..3 {
        text += &format!("  store out[%0].{comp}, %{}\n", 1 + count + comp);
    }
    text + "}"
}

#[test]
fn elements_are_shuffled_in_lanes_of_the_largest_registers() {
    let by_itself = Err("LLVM finds the vectors of straight code by itself");
    // Products for each of six numbers in memory: 1, 4 and 9.
    assert_eq!(chosen(&powers(2), 64), by_itself);
    assert_eq!(chosen(&powers(8), 64), Ok(16));
    assert_eq!(chosen(&powers(18), 64), Ok(32));
    assert_eq!(chosen(&powers(8), 32), by_itself);
    assert_eq!(chosen(&powers(18), 32), Ok(16));
}

#[test]
fn short_loops_fill_four_of_the_largest_registers() {
    let repeated = |round: &str| {
        format!(
            "kernel k(x: array<float32, 1>, n: array<int32, 1>, out: array<float32, 1>) {{
  %0:int32 = tid 0
  %1:float32 = load x[%0]
  %2:int32 = load n[%0]
  %3:int32 = const 0
  %4:int32 = const 1
  for %5:int32 in range(%3, %2, %4) with (%6:float32 = %1) -> (%7:float32) {{
    {round}
    yield %8
  }}
  store out[%0], %7
}}"
        )
    };
    let short = repeated("%8:float32 = mul %6, %6");
    assert_eq!(chosen(&short, 64), Ok(64));
    assert_eq!(chosen(&short, 32), Ok(16));
    let long = repeated("%8:float32 = sin %6");
    assert_eq!(chosen(&long, 64), Ok(32));
    assert_eq!(chosen(&long, 32), Ok(16));
}

/// Reads and writes numbers, with so many operations in between: `each` by the number of its value, from 2 on.
fn straight(count: usize, each: impl Fn(usize) -> String) -> String {
    let mut text = String::from(
        "kernel k(x: array<float32, 1>, out: array<float32, 1>) {
  %0:int32 = tid 0
  %1:float32 = load x[%0]
",
    );
    for k in 2..2 + count {
        text += &format!("  %{k}:float32 = {}\n", each(k));
    }
    text + &format!("  store out[%0], %{}\n}}", count + 1)
}

/// A chain of so many sines.
fn sines(count: usize) -> String {
    straight(count, |k| format!("sin %{}", k - 1))
}

#[test]
fn long_kernels_run_all_threads_in_lanes() {
    let bodies = |count: usize| {
        let func = verify(read(&sines(count)).expect("a kernel")).expect("verifies");
        let lowered = host::lower(&func, &Options::default()).expect("lowers");
        let names = lowered.report.iter().map(|body| body.name.clone());
        names.collect::<Vec<_>>()
    };
    assert_eq!(bodies(300), ["any.lanes", "any"]);
    assert_eq!(bodies(500), ["any.lanes"]);
    // Groups of statements, which LLVM runs in vectors.
    assert_eq!(bodies(1000), ["any"]);
}

#[test]
fn one_register_is_enough_where_it_keeps_the_processor_busy() {
    // Sines one after the other, and beside each other.
    assert_eq!(chosen(&sines(16), 64), Ok(32));
    assert_eq!(chosen(&sines(16), 32), Ok(16));
    let beside = straight(16, |k| match k {
        ..10 => "sin %1".into(),
        10 => "add %2, %3".into(),
        _ => format!("add %{}, %{}", k - 1, k - 7),
    });
    assert_eq!(chosen(&beside, 64), Ok(16));
    assert_eq!(chosen(&beside, 32), Ok(16));
}

/// Adds to a sum that `at[i]` chooses, in a loop of run-time length or at once, and so many times.
fn scattered(looped: bool, times: usize) -> String {
    let adds = "    atomic add sum[%3], %8\n".repeat(times);
    let head = "kernel k(x: array<float32, 1>, n: array<int32, 1>, at: array<int32, 1>, sum: array<float32, 1>) {
  %0:int32 = tid 0
  %1:float32 = load x[%0]
  %2:int32 = load n[%0]
  %3:int32 = load at[%0]
  %4:int32 = const 0
  %5:int32 = const 1
  for %6:int32 in range(%4, %2, %5) with (%7:float32 = %1) -> (%9:float32) {
    %8:float32 = sin %7
    %10:float32 = sin %8
    %11:float32 = sin %10
";
    match looped {
        true => format!("{head}{adds}    yield %11\n  }}\n}}"),
        false => format!(
            "{head}    yield %11\n  }}\n{}}}",
            adds.replace("%8", "%9").replace("    ", "  ")
        ),
    }
}

#[test]
fn launches_in_order_run_single_threads_where_the_order_of_sums_shows() {
    let asks = |looped: bool, times: usize| {
        let func = verify(read(&scattered(looped, times)).expect("a kernel")).expect("verifies");
        let text = host::lower(&func, &Options::default())
            .expect("lowers")
            .text;
        let entry = text.split("define ").nth(1).expect("an entry point");
        assert!(entry.contains(".lanes("));
        entry.contains("and i32")
    };
    assert!(asks(true, 1));
    assert!(asks(false, 2));
    // One add of each thread comes in the order of threads, however many there are in a group.
    assert!(!asks(false, 1));
}

#[test]
fn rows_of_numbers_end_in_a_vector_with_a_mask() {
    let masked = |text: &str, vector: usize| {
        let func = verify(read(text).expect("a kernel")).expect("verifies");
        let options = Options {
            vector,
            ..Options::default()
        };
        let text = host::lower(&func, &options).expect("lowers").text;
        text.contains("\"llvm.loop.vectorize.predicate.enable\", i1 true")
    };
    let rows = |ty: &str, comp: &str, last: &str| {
        format!(
            "kernel k(x: array<{ty}, 2>, out: array<{ty}, 2>) {{
  %0:int32 = tid 0
  %1:int32 = tid 1
  %2:int32 = const {last}
  %3:int32 = mul %1, %2
  %4:float32 = load x[%0, %3]{comp}
  store out[%0, %3]{comp}, %4
}}"
        )
    };
    let numbers = rows("float32", "", "1");
    assert!(masked(&numbers, 64));
    assert!(!masked(&numbers, 32));
    // Elements of vectors, those that lie far apart, and one row.
    assert!(!masked(&rows("vec<3, float32>", ".0", "1"), 64));
    assert!(!masked(&rows("float32", "", "9"), 64));
    let one = straight(1, |_| "add %1, %1".into());
    assert!(!masked(&one, 64));
}
