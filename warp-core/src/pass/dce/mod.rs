//! Drops what nothing depends on: pure statements and loads, results of `if`, carried values,
//! recorded values whose replay is unused, and whole regions that are left without effect.
//!
//! Two steps, so that a caller may look at what is live before anything is dropped.

mod live;
mod mark;
mod sweep;

use crate::ir::Func;
pub use live::Live;

/// Drops dead code.
pub fn dce(func: &mut Func) {
    Live::of(func).drop_dead(func);
}

/// Drops dead code in a part of a kernel, whose functions stay as they are.
pub fn dce_part(func: &mut Func) {
    Live::of_part(func).drop_dead(func);
}

#[cfg(test)]
mod tests {
    use super::dce;
    use crate::ir::read;

    fn cleaned(text: &str) -> String {
        let mut func = read(text).expect("reads");
        dce(&mut func);
        crate::verify::check(&func).expect("still valid");
        func.to_string()
    }

    #[test]
    fn carried_values_without_use_go() {
        let text = cleaned(
            "\
kernel k(x: array<float32, 1>, n: int32) {
  %0:int32 = tid 0
  %1:int32 = param n 0
  %2:float32 = load x[%0]
  %9:bool = lt %0, %1
  for %3:int32 in range(%0, %1, %1) with (%4:float32 = %2, %5:float32 = %2) -> (%6:float32, %7:float32) {
    %8:float32 = mul %4, %5
    yield %4, %8
  }
  if %9 -> (%10:float32) {
    yield %7
  } else {
    yield %6
  }
  store x[%0], %6
}
",
        );
        assert!(
            text.contains("with (%4:float32 = %2) -> (%6:float32) {\n    yield %4\n"),
            "{text}"
        );
        assert!(!text.contains("mul") && !text.contains("if"), "{text}");
    }

    /// What no replay gives back to a use is not recorded, and the loops around go with it.
    #[test]
    fn records_that_nobody_needs_go() {
        let text = "\
kernel k(x: array<float32, 1>, n: int32) {
  %0:int32 = tid 0
  %1:int32 = param n 0
  %2:float32 = load x[%0]
  for %3:int32 in range(%0, %1, %1) with () -> () {
    record 0:0 %2, %3
    record 1:1 %3
    yield 
  }
  for %4:int32 in range(%0, %1, %1) with () -> () {
    %5:int32 = replay 1:1
    %6:float32, %7:int32 = replay 0:0
    STORE
    yield 
  }
}
";
        let kept = cleaned(&text.replace("STORE", "store x[%7], %2"));
        assert!(
            kept.contains("record 0:0 %3\n") && !kept.contains("1:1"),
            "{kept}"
        );
        assert!(!cleaned(&text.replace("    STORE\n", "")).contains("for"));
    }

    #[test]
    fn a_loop_without_purpose_goes() {
        let text = cleaned(
            "\
kernel k(x: array<float32, 1>) {
  %0:int32 = tid 0
  while with (%1:int32 = %0) -> (%2:int32) {
    %3:bool = lt %1, %0
    yield %3
  } do (%4:int32) {
    %5:int32 = add %4, %4
    yield %5
  }
}
",
        );
        assert_eq!(text, "kernel k(x: array<float32, 1>) {\n}\n");
    }
}
