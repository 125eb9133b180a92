//! What integers a value may be: enough to prove that an index is not negative and that index
//! arithmetic does not wrap.
//!
//! Values are looked at on demand, through their definitions and the conditions in force where the
//! question is asked. Carried values of loops are not iterated on: they may be anything.

use crate::dtype::Scalar;
use crate::ir::{Const, Func, Op, ParamId, Value};
use crate::lower::analysis::defs::Def;
use std::collections::HashMap;

/// The integers `lo..=hi`. Wide enough that bounds of 64-bit types do not overflow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// Smallest.
    pub lo: i128,
    /// Largest.
    pub hi: i128,
}

impl Range {
    /// All of a type.
    pub fn of(ty: Scalar) -> Range {
        let bits = ty.bits();
        match ty {
            Scalar::Bool => Range { lo: 0, hi: 1 },
            _ if ty.is_signed() => Range {
                lo: -(1 << (bits - 1)),
                hi: (1 << (bits - 1)) - 1,
            },
            _ => Range {
                lo: 0,
                hi: (1 << bits) - 1,
            },
        }
    }
    const fn point(x: i128) -> Range {
        Range { lo: x, hi: x }
    }
    /// Whether every value is one of `other`'s.
    pub const fn within(self, other: Range) -> bool {
        self.lo >= other.lo && self.hi <= other.hi
    }
    /// Whether `x` may occur.
    pub const fn has(self, x: i128) -> bool {
        self.lo <= x && x <= self.hi
    }
    fn meet(self, other: Range) -> Range {
        Range {
            lo: self.lo.max(other.lo),
            hi: self.hi.min(other.hi),
        }
    }
    fn join(self, other: Range) -> Range {
        Range {
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
        }
    }
    fn corners(self, other: Range, f: impl Fn(i128, i128) -> i128) -> Range {
        let all = [
            f(self.lo, other.lo),
            f(self.lo, other.hi),
            f(self.hi, other.lo),
            f(self.hi, other.hi),
        ];
        Range {
            lo: *all.iter().min().expect("four"),
            hi: *all.iter().max().expect("four"),
        }
    }
}

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

    fn operation(&self, op: Op, args: &[Value], ty: Scalar, depth: u32) -> Range {
        let all = Range::of(ty);
        let arg = |k: usize| self.look(args[k], depth);
        match op {
            Op::Const(Const::Int(i)) if !ty.is_signed() => {
                Range::point(i128::from(i).rem_euclid(1 << ty.bits()))
            }
            Op::Const(Const::Int(i)) => Range::point(i.into()),
            Op::Const(Const::Bool(b)) => Range::point(b.into()),
            Op::Tid(_) => Range {
                lo: 0,
                hi: self.extent - 1,
            },
            Op::BlockDim => Range {
                lo: 1,
                hi: i32::MAX.into(),
            },
            Op::Shape(..) => Range {
                lo: 0,
                hi: self.extent,
            },
            Op::Cast if !self.func.ty(args[0]).is_float() && ty != Scalar::Bool => arg(0),
            Op::Select => self.look(args[1], depth).join(self.look(args[2], depth)),
            Op::Neg => {
                let a = arg(0);
                Range {
                    lo: -a.hi,
                    hi: -a.lo,
                }
            }
            Op::Abs => {
                let a = arg(0);
                let far = a.lo.abs().max(a.hi.abs());
                let near = if a.has(0) {
                    0
                } else {
                    a.lo.abs().min(a.hi.abs())
                };
                Range { lo: near, hi: far }
            }
            Op::Add => {
                let (a, b) = (arg(0), arg(1));
                Range {
                    lo: a.lo + b.lo,
                    hi: a.hi + b.hi,
                }
            }
            Op::Sub => {
                let (a, b) = (arg(0), arg(1));
                Range {
                    lo: a.lo - b.hi,
                    hi: a.hi - b.lo,
                }
            }
            // 64-bit unsigned bounds would overflow even 128 bits, and no index needs them.
            Op::Mul if ty != Scalar::U64 => arg(0).corners(arg(1), |a, b| a * b),
            Op::Min | Op::Max => {
                let (a, b) = (arg(0), arg(1));
                let pick = match op {
                    Op::Min => i128::min,
                    _ => i128::max,
                };
                Range {
                    lo: pick(a.lo, b.lo),
                    hi: pick(a.hi, b.hi),
                }
            }
            Op::Div | Op::FloorDiv => {
                let (a, b) = (arg(0), arg(1));
                if a.lo < 0 || b.lo < 0 {
                    return all;
                }
                // A zero divisor gives 0.
                let lo = if b.lo == 0 { 0 } else { a.lo / b.hi };
                Range {
                    lo,
                    hi: a.hi / b.lo.max(1),
                }
            }
            Op::Mod => {
                let (a, b) = (arg(0), arg(1));
                let most = (b.lo.abs().max(b.hi.abs()) - 1).max(0);
                Range {
                    lo: if a.lo >= 0 { 0 } else { a.lo.max(-most) },
                    hi: if a.hi <= 0 { 0 } else { a.hi.min(most) },
                }
            }
            Op::And => match (arg(0), arg(1)) {
                (a, b) if a.lo >= 0 && b.lo >= 0 => Range {
                    lo: 0,
                    hi: a.hi.min(b.hi),
                },
                (a, _) if a.lo >= 0 => Range { lo: 0, hi: a.hi },
                (_, b) if b.lo >= 0 => Range { lo: 0, hi: b.hi },
                _ => all,
            },
            Op::Shr => match arg(0) {
                a if a.lo >= 0 => Range { lo: 0, hi: a.hi },
                _ => all,
            },
            Op::Sign => Range { lo: -1, hi: 1 },
            _ => all,
        }
    }

    /// Adds what follows from `cond` being `truth`.
    pub fn assume(&mut self, cond: Value, truth: bool) {
        self.follow(cond, truth, DEPTH);
    }

    fn follow(&mut self, cond: Value, truth: bool, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        match self.defs[cond.0 as usize] {
            Def::Let(Op::Present(id), _) if truth => self.facts.push(Fact::Present(id)),
            Def::Let(Op::Not, args) => self.follow(args[0], !truth, depth),
            Def::Let(Op::And, args) if truth => args.iter().for_each(|a| {
                self.follow(*a, true, depth);
            }),
            Def::Let(Op::Or, args) if !truth => args.iter().for_each(|a| {
                self.follow(*a, false, depth);
            }),
            Def::Let(op, args) if args.len() == 2 && self.func.ty(args[0]).is_int() => {
                self.compare(op, args[0], args[1], truth);
            }
            // `a and b` is `b if a else false`, `a or b` is `true if a else b`.
            Def::Either(cond, then, els) => {
                let is = |v: Value, what: bool| {
                    matches!(self.defs[v.0 as usize],
                        Def::Let(Op::Const(Const::Bool(b)), _) if b == what)
                };
                if truth && is(els, false) {
                    self.follow(cond, true, depth);
                    self.follow(then, true, depth);
                } else if !truth && is(then, true) {
                    self.follow(cond, false, depth);
                    self.follow(els, false, depth);
                }
            }
            _ => {}
        }
    }

    fn compare(&mut self, op: Op, a: Value, b: Value, truth: bool) {
        let op = match (op, truth) {
            (op, true) => op,
            (Op::Lt, false) => Op::Ge,
            (Op::Le, false) => Op::Gt,
            (Op::Gt, false) => Op::Le,
            (Op::Ge, false) => Op::Lt,
            (Op::Eq, false) => Op::Ne,
            (Op::Ne, false) => Op::Eq,
            _ => return,
        };
        let (ra, rb) = (self.of(a), self.of(b));
        let all = Range::of(self.func.ty(a));
        let below = |hi: i128| Range { lo: all.lo, hi };
        let above = |lo: i128| Range { lo, hi: all.hi };
        let (fa, fb) = match op {
            Op::Lt => (below(rb.hi - 1), above(ra.lo + 1)),
            Op::Le => (below(rb.hi), above(ra.lo)),
            Op::Gt => (above(rb.lo + 1), below(ra.hi - 1)),
            Op::Ge => (above(rb.lo), below(ra.hi)),
            Op::Eq => (rb, ra),
            // Only a bound can be cut off.
            Op::Ne if rb.lo == rb.hi => {
                let lo = ra.lo + i128::from(ra.lo == rb.lo);
                let hi = ra.hi - i128::from(ra.hi == rb.lo);
                (Range { lo, hi }, rb)
            }
            _ => return,
        };
        let (a, b) = (self.one(a), self.one(b));
        self.facts.push(Fact::Within(a, fa));
        self.facts.push(Fact::Within(b, fb));
        match op {
            Op::Lt => self.facts.push(Fact::AtMost(a, b, -1)),
            Op::Le => self.facts.push(Fact::AtMost(a, b, 0)),
            Op::Gt => self.facts.push(Fact::AtMost(b, a, -1)),
            Op::Ge => self.facts.push(Fact::AtMost(b, a, 0)),
            Op::Eq => self
                .facts
                .extend([Fact::AtMost(a, b, 0), Fact::AtMost(b, a, 0)]),
            _ => {}
        }
    }

    /// What a value is at most, by the conditions in force: another value plus a number.
    pub fn at_most(&self, value: Value) -> Vec<(Value, i64)> {
        let value = self.one(value);
        let orders = self.facts.iter().filter_map(|fact| match *fact {
            Fact::AtMost(a, b, more) if a == value => Some((b, more)),
            _ => None,
        });
        orders.collect()
    }

    /// What a value is at least, likewise.
    pub fn at_least(&self, value: Value) -> Vec<(Value, i64)> {
        let value = self.one(value);
        let orders = self.facts.iter().filter_map(|fact| match *fact {
            Fact::AtMost(a, b, more) if b == value => Some((a, -more)),
            _ => None,
        });
        orders.collect()
    }

    /// Whether a condition in force says that an array is not missing.
    pub fn is_present(&self, array: ParamId) -> bool {
        let mut facts = self.facts.iter();
        facts.any(|fact| matches!(fact, Fact::Present(id) if *id == array))
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
