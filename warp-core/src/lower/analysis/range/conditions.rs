//! What follows from conditions in force.

use super::interval::Range;
use super::{DEPTH, Fact, Ranges};
use crate::ir::{Const, Op, ParamId, Value};
use crate::lower::analysis::defs::Def;

impl<'a> Ranges<'a> {
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
