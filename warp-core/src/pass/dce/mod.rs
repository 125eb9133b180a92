//! Drops what nothing depends on: pure statements and loads, results of `if`, carried values,
//! recorded values whose replay is unused, and whole regions that are left without effect.
//!
//! Two steps, so that a caller may look at what is live before anything is dropped.

mod mark;
mod sweep;

use crate::ir::{Func, Rules, Slot, Value};
use crate::pass::cse::writes;
use crate::pass::slots::{Replays, replays};
use mark::Marker;

/// Which values something that has an effect depends on.
#[derive(Clone, PartialEq, Debug)]
pub struct Live {
    values: Vec<bool>,
    replays: Replays,
    functions: Vec<Function>,
    /// The functions are those of a whole of which this is a part: they stay as they are.
    part: bool,
}

/// What of a function somebody needs.
#[derive(Clone, PartialEq, Debug)]
struct Function {
    called: bool,
    /// Each parameter, which is a value.
    params: Vec<Value>,
    /// Whether each result is needed by any call.
    results: Vec<bool>,
}

/// Drops dead code.
pub fn dce(func: &mut Func) {
    Live::of(func).drop_dead(func);
}

/// Drops dead code in a part of a kernel, whose functions stay as they are.
pub fn dce_part(func: &mut Func) {
    Live::of_part(func).drop_dead(func);
}

impl Live {
    /// Finds the live values: those that stores, atomics, prints and unwinding depend on.
    pub fn of(func: &Func) -> Live {
        Live::find(func, false)
    }

    /// As [`Live::of`], of a part of a kernel.
    pub fn of_part(func: &Func) -> Live {
        Live::find(func, true)
    }

    fn find(func: &Func, part: bool) -> Live {
        let mut marker = Marker {
            live: Live {
                values: vec![false; func.values.len()],
                replays: replays(func),
                functions: (func.callees.iter())
                    .map(|callee| Function {
                        called: false,
                        params: callee.block.params.clone(),
                        results: vec![part; callee.block.results.len()],
                    })
                    .collect(),
                part,
            },
            changed: true,
        };
        // Those of a kernel are none, those of a part of one are needed.
        func.body.results.iter().for_each(|r| marker.mark(*r));
        marker.changed = true;
        while std::mem::take(&mut marker.changed) {
            marker.block(&func.body);
            for (number, callee) in func.callees.iter().enumerate().rev() {
                marker.callee(number, &callee.block);
            }
        }
        marker.live
    }

    /// Whether something depends on the value.
    pub fn has(&self, value: Value) -> bool {
        self.values[value.0 as usize]
    }

    fn any(&self, values: &[Value]) -> bool {
        values.iter().any(|v| self.has(*v))
    }

    /// For each parameter of a function whether it is needed.
    fn taken(&self, function: &Function) -> Vec<bool> {
        let taken = |p: &Value| self.part || self.has(*p);
        function.params.iter().map(taken).collect()
    }

    /// For each value of a slot whether its replay is needed.
    fn recorded(&self, slot: Slot) -> Vec<bool> {
        let outs = self.replays.get(&slot);
        let outs = outs.expect("a record has its replay: the function was verified");
        outs.iter().map(|out| self.has(*out)).collect()
    }
}

/// Whether a derivative writes anything, gradients too: then a call matters to the adjoint whose results nobody uses.
fn derivative_writes(rules: &Rules) -> bool {
    rules.reverse.as_ref().is_some_and(writes)
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
