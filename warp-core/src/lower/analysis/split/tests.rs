use super::{End, Held, Level, Split, split};
use crate::ir::{Func, Value, read};
use crate::lower::options::Options;
use crate::verify::check;

/// The interior of a kernel with these statements.
fn interior(level: Level, stmts: &str) -> Option<(Func, Split)> {
    let text = format!(
        "kernel k(n: int32, x: array<float32, 1>) {{\n  %0:int32 = tid 0\n  %1:int32 = param n 0\n{stmts}}}"
    );
    let func = read(&text).expect("reads");
    let (interior, split) = split(&func, &Options::default(), level).ok()?;
    check(&interior).expect("verifies");
    Some((interior, split))
}

const ENDS: &str = "  %2:int32 = const 1
  %3:int32 = sub %1, %2
  %4:bool = lt %0, %3
";

/// A store under a condition, with nothing else where it does not hold.
fn guarded(before: &str, cond: u32) -> String {
    format!(
        "{before}  if %{cond} -> () {{
    %90:float32 = const 2.0
    store x[%0], %90
    yield
  }} else {{
    yield
  }}
"
    )
}

#[test]
fn threads_that_do_nothing_are_left_out() {
    let (interior, split) = interior(Level::Idle, &guarded(ENDS, 4)).expect("is split");

    assert!(!interior.to_string().contains("if "), "{interior}");

    assert_eq!(split.works, Some(Value(4)));

    assert!(!split.has_border());

    let sides = [Value(0), Value(3)];
    let op = crate::ir::Op::Lt;
    assert_eq!(split.begin.ends, [End::Compare { op, sides, rise: 1 }]);
}

#[test]
fn both_sides_are_split_where_a_border_is_recognised() {
    let both = |before: &str, cond: u32| {
        guarded(before, cond).replace("else {\n", "else {\n    store x[%0], %91\n")
    };
    let both = |before: &str, cond| format!("  %91:float32 = const 3.0\n{}", both(before, cond));

    let (interior_, split) = interior(Level::Borders, &both(ENDS, 4)).expect("is split");

    assert!(!interior_.to_string().contains("%91\n"), "{interior_}");

    assert_eq!(split.assumed, [(Value(4), true)]);

    assert!(split.has_border());

    // Lanes run both sides under masks, and a parameter may stand anywhere.
    assert!(interior(Level::Idle, &both(ENDS, 4)).is_none());

    assert!(interior(Level::Borders, &both("  %4:bool = lt %0, %1\n", 4)).is_none());
}

#[test]
fn rows_of_a_flat_index_are_subranges() {
    let flat = "  %2:int32 = floordiv %0, %1
  %3:int32 = mul %2, %1
  %4:int32 = sub %0, %3
  %5:float32 = load x[%4]
  store x[%2], %5
";

    let (interior, split) = interior(Level::Borders, flat).expect("is split");

    assert_eq!(split.held(Value(2)), Some(Held::Fixed));

    assert_eq!(split.held(Value(4)), Some(Held::Along(1)));

    assert!(
        interior.to_string().contains("%4:int32 = mod %0, %1"),
        "{interior}"
    );

    assert!(split.usable.is_some() && split.sound.is_none());
}

#[test]
fn a_sum_that_may_wrap_ends_a_subrange() {
    let sum = "  %2:int32 = add %0, %1
  %3:int32 = const 5
  %4:bool = lt %2, %3
";

    let (_, split) = interior(Level::Idle, &guarded(sum, 4)).expect("is split");

    let of = Value(2);
    assert!(
        split.begin.ends.contains(&End::Wrap { of, rise: 1 }),
        "{:?}",
        split.begin.ends
    );
}

#[test]
fn what_memory_decides_splits_nothing() {
    let cond = "  %2:float32 = load x[%0]
  %3:float32 = const 0.0
  %4:bool = lt %2, %3
";

    assert!(interior(Level::Borders, &guarded(cond, 4)).is_none());
}

#[test]
fn a_selection_that_goes_the_other_way_splits_nothing() {
    // Where the store runs, the index is 0, and not what grows.
    let chosen = "  %2:int32 = const 0
  %3:bool = eq %0, %2
  %4:int32 = const 1
  %5:int32 = sub %0, %4
  %6:int32 = select %3, %2, %5
  %7:int32 = add %6, %4
";
    let text = guarded(chosen, 3).replace("x[%0]", "x[%7]");

    assert!(interior(Level::Borders, &text).is_none());
}
