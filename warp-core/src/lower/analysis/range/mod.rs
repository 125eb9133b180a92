//! What integers a value may be: enough to prove that an index is not negative and that index
//! arithmetic does not wrap.
//!
//! Values are looked at on demand, through their definitions and the conditions in force where the
//! question is asked. Carried values of loops are not iterated on: they may be anything.

mod conditions;
mod interval;
mod operation;

use crate::dtype::Scalar;
use crate::ir::{Const, Func, Op, ParamId, Value};
use crate::lower::analysis::defs::Def;
pub use interval::Range;
use std::collections::HashMap;

/// The analysis: definitions, a bound on launch dimensions and shapes, and the conditions in force.
pub struct Ranges<'a> {
    func: &'a Func,
    defs: &'a [Def<'a>],
    extent: i128,
    facts: Vec<Fact>,
    /// Indices that were found to be in range, as array, dimension, index; and their positions from the start.
    checked: Vec<(ParamId, usize, Value)>,
    known: HashMap<(ParamId, usize, Value), String>,
    /// For each value the first that is computed in the same way.
    numbers: &'a [Value],
}

/// What was in force somewhere.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    facts: usize,
    checked: usize,
}

/// What follows from a condition in force.
#[derive(Clone, Copy, Debug)]
enum Fact {
    /// A value is one of these.
    Within(Value, Range),
    /// The first is at most the second plus a number.
    AtMost(Value, Value, i64),
    /// An array is not missing.
    Present(ParamId),
}

/// How many definitions deep a question goes.
const DEPTH: u32 = 8;

impl<'a> Ranges<'a> {
    /// `numbers`: of all values, see [`crate::lower::analysis::defs::numbers`]. `extent`: no launch dimension and no
    /// shape exceeds it.
    pub fn new(
        func: &'a Func,
        defs: &'a [Def<'a>],
        numbers: &'a [Value],
        extent: i128,
    ) -> Ranges<'a> {
        Ranges {
            func,
            defs,
            extent,
            facts: Vec::new(),
            checked: Vec::new(),
            known: HashMap::new(),
            numbers,
        }
    }

    /// What is in force; see [`Ranges::forget`].
    pub fn mark(&self) -> Mark {
        Mark {
            facts: self.facts.len(),
            checked: self.checked.len(),
        }
    }

    /// Drops what was added since the mark.
    pub fn forget(&mut self, mark: Mark) {
        self.facts.truncate(mark.facts);
        for index in self.checked.drain(mark.checked..) {
            self.known.remove(&index);
        }
    }

    /// The position from the start that an index was found to be, if it is known to be in range.
    pub fn position(&self, array: ParamId, dim: usize, index: Value) -> Option<&str> {
        let known = self.known.get(&(array, dim, self.one(index)));
        known.map(String::as_str)
    }

    /// Notes that an index is in range from here on, and where.
    pub fn note_position(&mut self, array: ParamId, dim: usize, index: Value, at: String) {
        let index = (array, dim, self.one(index));
        if self.known.insert(index, at).is_none() {
            self.checked.push(index);
        }
    }

    /// Adds that a value is one of these.
    pub fn restrict(&mut self, value: Value, range: Range) {
        self.facts.push(Fact::Within(self.one(value), range));
    }

    /// Whether two values are computed in the same way.
    pub fn are_same(&self, a: Value, b: Value) -> bool {
        self.one(a) == self.one(b)
    }

    fn one(&self, value: Value) -> Value {
        self.numbers[value.0 as usize]
    }

    /// The constant that a value is.
    pub fn constant(&self, value: Value) -> Option<i64> {
        match self.defs[value.0 as usize] {
            Def::Let(Op::Const(Const::Int(i)), _) => Some(i),
            _ => None,
        }
    }

    /// What `value`, an integer or bool, may be here.
    pub fn of(&self, value: Value) -> Range {
        self.look(value, DEPTH)
    }

    /// Whether an operation's exact result fits its type, so that wrapping does not come into it.
    pub fn fits(&self, value: Value) -> bool {
        let ty = self.func.ty(value);
        match self.defs[value.0 as usize] {
            Def::Let(op @ (Op::Add | Op::Sub | Op::Mul), args) if ty.is_int() => {
                self.operation(op, args, ty, DEPTH).within(Range::of(ty))
            }
            _ => false,
        }
    }

    fn look(&self, value: Value, depth: u32) -> Range {
        let ty = self.func.ty(value);
        if ty.is_float() {
            return Range::of(Scalar::I64);
        }
        let value = self.one(value);
        let mut range = Range::of(ty);
        if depth > 0 {
            range = range.meet(self.defined(value, ty, depth - 1));
        }
        for fact in &self.facts {
            if let Fact::Within(of, fact) = fact
                && *of == value
            {
                range = range.meet(*fact);
            }
        }
        // Contradicting facts: code that does not run. Anything is true of it, nothing is gained.
        if range.lo > range.hi {
            Range::of(ty)
        } else {
            range
        }
    }

    fn defined(&self, value: Value, ty: Scalar, depth: u32) -> Range {
        let all = Range::of(ty);
        match self.defs[value.0 as usize] {
            Def::Let(op, args) => {
                let found = self.operation(op, args, ty, depth);
                // What leaves the type wraps.
                if found.within(all) { found } else { all }
            }
            Def::Index([start, stop, step]) => {
                let (a, b) = (self.look(start, depth), self.look(stop, depth));
                let step = self.look(step, depth);
                let up = Range {
                    lo: a.lo,
                    hi: b.hi - 1,
                };
                let down = Range {
                    lo: b.lo + 1,
                    hi: a.hi,
                };
                match (step.lo >= 0, step.hi <= 0) {
                    (true, _) => up,
                    (_, true) => down,
                    _ => up.join(down),
                }
            }
            Def::Either(_, then, els) => self.look(then, depth).join(self.look(els, depth)),
            Def::Other => all,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::defs::{definitions, numbers};
    use super::*;
    use crate::ir::Kind;

    /// The range of %9 in the innermost block of a kernel that computes it there.
    fn range_of(text: &str, value: u32) -> Range {
        let func = crate::ir::read(text).expect("reads");
        let defs = definitions(&func);
        let numbers = numbers(&func, &defs);
        let mut ranges = Ranges::new(&func, &defs, &numbers, 1000);
        let mut block = &func.body;
        while let Some(stmt) = block.stmts.iter().find(|s| !s.kind.blocks().is_empty()) {
            if let Kind::If { cond, .. } = &stmt.kind {
                ranges.assume(*cond, true);
            }
            block = stmt.kind.blocks()[0];
        }
        ranges.of(Value(value))
    }

    #[test]
    fn thread_indices_and_their_neighbours() {
        let text = "kernel k(n: int32) {
  %0:int32 = tid 0
  %1:int32 = const 1
  %2:int32 = sub %0, %1
  %3:int32 = param n 0
  %4:int32 = mul %0, %3
}";

        assert_eq!(range_of(text, 0), Range { lo: 0, hi: 999 });

        assert_eq!(range_of(text, 2), Range { lo: -1, hi: 998 });

        assert_eq!(range_of(text, 4), Range::of(Scalar::I32));
    }

    #[test]
    fn guards_are_believed_through_and() {
        let text = "kernel k(n: int32) {
  %0:int32 = tid 0
  %1:int32 = const 0
  %2:bool = gt %0, %1
  if %2 -> (%3:bool) {
    %4:int32 = param n 0
    %5:bool = lt %0, %4
    yield %5
  } else {
    %6:bool = const false
    yield %6
  }
}";

        let func = crate::ir::read(text).expect("reads");

        let defs = definitions(&func);

        let numbers = numbers(&func, &defs);

        let mut ranges = Ranges::new(&func, &defs, &numbers, 1000);

        let start = ranges.mark();

        ranges.assume(Value(3), true);

        assert_eq!(ranges.of(Value(0)), Range { lo: 1, hi: 999 });

        assert_eq!(ranges.of(Value(4)).lo, 2);

        ranges.forget(start);

        assert_eq!(ranges.of(Value(0)).lo, 0);
    }

    #[test]
    fn questions_about_long_chains_end_soon() {
        let mut text = String::from("kernel k() {\n  %0:int32 = tid 0\n");
        for i in 1..3000 {
            let (a, b) = (i - 1, i / 2);
            text += &format!("  %{i}:int32 = add %{a}, %{b}\n");
        }
        let func = crate::ir::read(&(text + "}")).expect("reads");
        let defs = definitions(&func);
        let numbers = numbers(&func, &defs);
        let ranges = Ranges::new(&func, &defs, &numbers, 1000);
        let start = std::time::Instant::now();
        for i in 0..3000 {
            assert!(ranges.of(Value(i)).within(Range::of(Scalar::I32)));
        }
        // Milliseconds; without a bound on the work it would be years.
        assert!(start.elapsed().as_secs() < 20);
    }

    #[test]
    fn loop_variables_stay_between_their_bounds() {
        let text = "kernel k(a: array<float32, 1>) {
  %0:int32 = const 0
  %1:int32 = shape a 0
  %2:int32 = const 1
  for %3:int32 in range(%0, %1, %2) with () -> () {
    %9:int32 = add %3, %2
    yield
  }
}";

        assert_eq!(range_of(text, 3), Range { lo: 0, hi: 999 });

        assert_eq!(range_of(text, 9), Range { lo: 1, hi: 1000 });
    }

    #[test]
    fn what_is_computed_twice_is_one_index() {
        let text = "kernel f(x: array<float32, 1>) {
  %0:int32 = tid 0
  %1:int32 = const 1
  %2:int32 = add %0, %1
  %3:int32 = const 1
  %4:int32 = add %0, %3
  %5:int32 = sub %0, %3
}";

        let func = crate::ir::read(text).expect("reads");

        let defs = definitions(&func);

        let numbers = numbers(&func, &defs);

        let mut ranges = Ranges::new(&func, &defs, &numbers, 1000);

        let mark = ranges.mark();

        ranges.note_position(ParamId(0), 0, Value(2), "%at".into());

        assert_eq!(ranges.position(ParamId(0), 0, Value(4)), Some("%at"));

        assert_eq!(ranges.position(ParamId(0), 1, Value(4)), None);

        assert_eq!(ranges.position(ParamId(0), 0, Value(5)), None);

        ranges.forget(mark);

        assert_eq!(ranges.position(ParamId(0), 0, Value(4)), None);
    }
}
