//! Indices that need no check of their own, because the entry point has looked at the whole call.
//!
//! Most indices grow with the thread index, and what they are at most follows from the launch dimensions, the shapes and the
//! values of parameters: numbers that the entry point has. So it computes, once a call, the interval that holds such an index
//! in all threads, and takes a body without that check if the interval is inside the array. Otherwise it takes the body
//! that checks every access, because some thread may then be out of range or may not.
//!
//! An interval is computed as the kernel computes the index, with ends in place of values. Where the kernel's own arithmetic
//! could wrap, that it does not is a condition of the entry point's, too. Conditions of the kernel (`if i < n`) make the interval
//! smaller where they are in force.

use crate::abi;
use crate::dtype::Scalar;
use crate::ir::{Const, Op, ParamId, Value};
use crate::lower::analysis::defs::Def;
use crate::lower::analysis::facts::KernelFacts;
use crate::lower::analysis::range::{Range, Ranges};
use crate::lower::analysis::variant::{EXTENT, Variant};
use crate::lower::body::{Body, Target};
use crate::lower::guards::conditions::{Conditions, How, Term};
use std::collections::HashMap;

/// How many conditions the entry point looks at; further indices are checked where they are used.
const MOST: usize = 64;
/// How many definitions deep an interval is computed.
const DEPTH: u32 = 8;

/// The ends of an interval, where they are known.
#[derive(Clone, Copy, Default, Debug)]
struct Interval {
    lo: Option<Term>,
    hi: Option<Term>,
}

impl Interval {
    fn point(term: Term) -> Interval {
        Interval {
            lo: Some(term),
            hi: Some(term),
        }
    }
}

/// An index that a guard shows to be in range, and not negative.
pub(in crate::lower) struct Guard {
    /// The sums and products on the way to it of which the entry point sees that they do not wrap.
    pub exact: Vec<Value>,
}

impl<T: Target> Body<'_, T> {
    /// Has the entry point see to it that an index is in range, if it can.
    pub(in crate::lower) fn guard(
        &mut self,
        array: ParamId,
        dim: usize,
        index: Value,
    ) -> Option<Guard> {
        let asked = self.facts.asked.contains(&array);
        // A missing array has no elements. Whoever asks first does not come here with one.
        let guarded = self.variant == Variant::Full || self.ranges.is_present(array);
        if self.tail.guards.required() >= MOST || (asked && !guarded) {
            return None;
        }
        let mut search = Search {
            facts: self.facts,
            ranges: &self.ranges,
            offsets: self.offsets,
            guards: &mut self.tail.guards,
            conditions: Vec::new(),
            exact: Vec::new(),
            subtracts: false,
            seen: HashMap::new(),
        };
        search.in_range(array, dim, index)?;
        let (mut conditions, exact) = (search.conditions, search.exact);
        if asked {
            let at = self.offsets[array.0 as usize] + abi::array::DATA;
            let guards = &mut self.tail.guards;
            let data = guards.argument(Scalar::U64, at);
            let missing = guards.of(How::Equal, data, Term::Known(0));
            for condition in &mut conditions {
                *condition = guards.of(How::Either, *condition, missing);
            }
        }
        for condition in conditions {
            self.tail.guards.require(condition);
        }
        Some(Guard { exact })
    }
}

impl<T: Target> Body<'_, T> {
    /// Has the entry point see to it that a dimension is no longer than this, if it can.
    pub(in crate::lower) fn guard_extent(&mut self, array: ParamId, dim: usize, most: i32) -> bool {
        if self.facts.func.fixed_shape(array).is_some() || self.tail.guards.required() >= MOST {
            return false;
        }
        let at = self.offsets[array.0 as usize] + abi::array::SHAPE + 4 * dim;
        let guards = &mut self.tail.guards;
        let n = guards.argument(Scalar::I32, at);
        let condition = guards.of(How::AtMost, n, Term::Known(most.into()));
        guards.require(condition);
        true
    }
}

impl<T: Target> Body<'_, T> {
    /// Has the entry point see to it that along a dimension nothing lies further than `most` numbers of a size from the start,
    /// and all at a multiple of it, if it can.
    pub(in crate::lower) fn guard_span(
        &mut self,
        array: ParamId,
        dim: usize,
        size: usize,
        most: i32,
    ) -> bool {
        const CONDITIONS: usize = 3;
        let room = self.tail.guards.required() + CONDITIONS <= MOST;
        if self.facts.func.fixed_shape(array).is_some() || !room {
            return false;
        }
        let at = self.offsets[array.0 as usize];
        let guards = &mut self.tail.guards;
        let n = guards.argument(Scalar::I32, at + abi::array::SHAPE + 4 * dim);
        let stride = guards.argument(Scalar::I64, at + abi::array::STRIDES + 8 * dim);
        let span = guards.of(How::Mul, n, stride);
        let rest = guards.of(How::And, stride, Term::Known(size as i64 - 1));
        let furthest = i64::from(most) * size as i64;
        let conditions = [
            guards.of(How::AtMostUnsigned, stride, Term::Known(i32::MAX.into())),
            guards.of(How::AtMostUnsigned, span, Term::Known(furthest)),
            guards.of(How::Equal, rest, Term::Known(0)),
        ];
        for condition in conditions {
            guards.require(condition);
        }
        true
    }
}

/// The search for what the entry point has to look at for one index.
struct Search<'s, 'a> {
    facts: &'s KernelFacts<'a>,
    ranges: &'s Ranges<'a>,
    offsets: &'s [usize],
    guards: &'s mut Conditions,
    conditions: Vec<Term>,
    exact: Vec<Value>,
    /// The index is a difference: it may be negative on purpose, which counts from the end.
    subtracts: bool,
    seen: HashMap<(Value, bool), Interval>,
}

impl Search<'_, '_> {
    /// Claims that an index is in range; `None` if nobody can say before the threads run.
    fn in_range(&mut self, array: ParamId, dim: usize, index: Value) -> Option<()> {
        let Interval { lo, hi } = self.interval(index, DEPTH, true);
        let (lo, hi) = (lo?, hi?);
        if self.ranges.of(index).lo < 0 {
            if self.subtracts {
                return None;
            }
            self.at_most(&Term::Known(0), &lo)?;
        }
        // A bound as large as this is no bound that anybody meant.
        if matches!(hi, Term::Known(n) if n >= EXTENT) {
            return None;
        }
        let n = self.extent(array, dim);
        let last = self.add(&n, &Term::Known(-1))?;
        self.at_most(&hi, &last)
    }

    /// Adds the condition `a <= b`; `None` if it never holds.
    fn at_most(&mut self, a: &Term, b: &Term) -> Option<()> {
        if let (Term::Known(a), Term::Known(b)) = (a, b) {
            return (a <= b).then_some(());
        }
        if a != b {
            let condition = self.guards.of(How::AtMost, *a, *b);
            self.conditions.push(condition);
        }
        Some(())
    }

    fn argument(&mut self, ty: Scalar, offset: usize) -> Term {
        self.guards.argument(ty, offset)
    }

    fn extent(&mut self, array: ParamId, dim: usize) -> Term {
        let at = self.offsets[array.0 as usize] + abi::array::SHAPE + 4 * dim;
        self.argument(Scalar::I32, at)
    }

    /// `None` where numbers that are known now overflow.
    fn add(&mut self, a: &Term, b: &Term) -> Option<Term> {
        Some(match (a, b) {
            (Term::Known(a), Term::Known(b)) => Term::Known(a.checked_add(*b)?),
            (x, Term::Known(0)) | (Term::Known(0), x) => *x,
            _ => self.guards.of(How::Add, *a, *b),
        })
    }

    fn subtract(&mut self, a: &Term, b: &Term) -> Option<Term> {
        Some(match (a, b) {
            (Term::Known(a), Term::Known(b)) => Term::Known(a.checked_sub(*b)?),
            (x, Term::Known(0)) => *x,
            _ => self.guards.of(How::Sub, *a, *b),
        })
    }

    fn multiply(&mut self, a: &Term, b: &Term) -> Option<Term> {
        Some(match (a, b) {
            (Term::Known(a), Term::Known(b)) => Term::Known(a.checked_mul(*b)?),
            (_, Term::Known(0)) | (Term::Known(0), _) => Term::Known(0),
            (x, Term::Known(1)) | (Term::Known(1), x) => *x,
            _ => self.guards.of(How::Mul, *a, *b),
        })
    }

    /// The smaller or the greater of two.
    fn pick(&mut self, smaller: bool, a: &Term, b: &Term) -> Term {
        match (a, b) {
            (Term::Known(a), Term::Known(b)) if smaller => Term::Known(*a.min(b)),
            (Term::Known(a), Term::Known(b)) => Term::Known(*a.max(b)),
            _ if a == b => *a,
            _ => {
                let (low, high) = if smaller { (a, b) } else { (b, a) };
                let first = self.guards.of(How::Less, *low, *high);
                self.guards.select(first, *a, *b)
            }
        }
    }

    /// The interval that holds `value`, an integer, here; `facts`: with the conditions in force.
    fn interval(&mut self, value: Value, depth: u32, facts: bool) -> Interval {
        if let Some(known) = self.seen.get(&(value, facts)) {
            return *known;
        }
        let ty = self.facts.func.ty(value);
        if !ty.is_int() {
            return Interval::default();
        }
        let mut found = match depth.checked_sub(1) {
            Some(depth) => self.defined(value, ty, depth, facts).unwrap_or_default(),
            None => Interval::default(),
        };
        if let (true, Some(depth)) = (facts, depth.checked_sub(1)) {
            self.narrow(value, &mut found, depth);
        }
        let (known, all) = (self.ranges.of(value), Range::of(ty));
        let term = |x: i128| i64::try_from(x).ok().map(Term::Known);
        if found.lo.is_none() && known.lo > all.lo {
            found.lo = term(known.lo);
        }
        if found.hi.is_none() && known.hi < all.hi {
            found.hi = term(known.hi);
        }
        self.seen.insert((value, facts), found);
        found
    }

    /// What the conditions in force say of a value.
    fn narrow(&mut self, value: Value, found: &mut Interval, depth: u32) {
        for (bound, more) in self.ranges.at_most(value) {
            let hi = self.interval(bound, depth, false).hi;
            if let Some(hi) = hi.and_then(|hi| self.add(&hi, &Term::Known(more))) {
                found.hi = Some(match &found.hi {
                    Some(other) => self.pick(true, other, &hi),
                    None => hi,
                });
            }
        }
        for (bound, more) in self.ranges.at_least(value) {
            let lo = self.interval(bound, depth, false).lo;
            if let Some(lo) = lo.and_then(|lo| self.add(&lo, &Term::Known(more))) {
                found.lo = Some(match &found.lo {
                    Some(other) => self.pick(false, other, &lo),
                    None => lo,
                });
            }
        }
    }

    fn defined(&mut self, value: Value, ty: Scalar, depth: u32, facts: bool) -> Option<Interval> {
        match self.facts.defs[value.0 as usize] {
            Def::Let(op, args) => {
                let found = self.operation(op, args, ty, depth, facts)?;
                match op {
                    Op::Add | Op::Sub | Op::Mul | Op::Neg => self.without_wrapping(value, found),
                    _ => Some(found),
                }
            }
            Def::Index([start, stop, step]) => {
                let step = self.ranges.of(step);
                let start = self.interval(start, depth, facts);
                let stop = self.interval(stop, depth, facts);
                if step.lo > 0 {
                    let hi = stop.hi.and_then(|hi| self.add(&hi, &Term::Known(-1)));
                    Some(Interval { lo: start.lo, hi })
                } else if step.hi < 0 {
                    let lo = stop.lo.and_then(|lo| self.add(&lo, &Term::Known(1)));
                    Some(Interval { lo, hi: start.hi })
                } else {
                    None
                }
            }
            Def::Either(_, then, els) => {
                // What is in force here need not have been in force in the sides.
                let (a, b) = (
                    self.interval(then, depth, false),
                    self.interval(els, depth, false),
                );
                self.join(a, b)
            }
            Def::Other => None,
        }
    }

    fn join(&mut self, a: Interval, b: Interval) -> Option<Interval> {
        let lo = self.pick(true, &a.lo?, &b.lo?);
        let hi = self.pick(false, &a.hi?, &b.hi?);
        Some(Interval {
            lo: Some(lo),
            hi: Some(hi),
        })
    }

    /// Makes it a condition that a sum or product stays inside int32, unless that is known anyway.
    fn without_wrapping(&mut self, value: Value, found: Interval) -> Option<Interval> {
        if self.ranges.fits(value) {
            return Some(found);
        }
        if !matches!(self.facts.func.ty(value), Scalar::I32 | Scalar::I64) {
            return None;
        }
        self.narrow_enough(&found)?;
        self.exact.push(value);
        Some(found)
    }

    /// Makes it a condition that an interval stays inside int32.
    fn narrow_enough(&mut self, found: &Interval) -> Option<()> {
        self.at_most(&Term::Known(i32::MIN.into()), found.lo.as_ref()?)?;
        self.at_most(found.hi.as_ref()?, &Term::Known(i32::MAX.into()))
    }

    fn operation(
        &mut self,
        op: Op,
        args: &[Value],
        ty: Scalar,
        depth: u32,
        facts: bool,
    ) -> Option<Interval> {
        match op {
            Op::Const(Const::Int(n)) => {
                self.subtracts |= n < 0;
                return Some(Interval::point(Term::Known(n)));
            }
            Op::Tid(d) => {
                let n = self.argument(Scalar::I32, abi::DIMS_OFFSET + 4 * d as usize);
                return Some(Interval {
                    lo: Some(Term::Known(0)),
                    hi: self.add(&n, &Term::Known(-1)),
                });
            }
            Op::Shape(id, d) => return Some(Interval::point(self.extent(id, d as usize))),
            Op::Param(id, comp) => return self.parameter(id, comp, ty),
            _ => {}
        }
        let a = self.interval(*args.first()?, depth, facts);
        if op == Op::Cast {
            let from = self.facts.func.ty(args[0]);
            if !Range::of(from).within(Range::of(ty)) {
                if ty.bits() < 32 {
                    return None;
                }
                self.narrow_enough(&a)?;
                if !ty.is_signed() {
                    self.at_most(&Term::Known(0), a.lo.as_ref()?)?;
                }
            }
            return Some(a);
        }
        if op == Op::Neg {
            self.subtracts = true;
            let zero = Term::Known(0);
            return Some(Interval {
                lo: a.hi.and_then(|hi| self.subtract(&zero, &hi)),
                hi: a.lo.and_then(|lo| self.subtract(&zero, &lo)),
            });
        }
        if op == Op::Select {
            let [a, b] = [args[1], args[2]].map(|v| self.interval(v, depth, facts));
            return self.join(a, b);
        }
        let b = self.interval(*args.get(1)?, depth, facts);
        self.of_two(op, [a, b], [args[0], args[1]])
    }

    /// The interval of an operation on two numbers, by theirs.
    fn of_two(&mut self, op: Op, [a, b]: [Interval; 2], args: [Value; 2]) -> Option<Interval> {
        let not_negative = |s: &Self| args.iter().all(|arg| s.ranges.of(*arg).lo >= 0);
        match op {
            Op::Add => Some(Interval {
                lo: a.lo.zip(b.lo).and_then(|(a, b)| self.add(&a, &b)),
                hi: a.hi.zip(b.hi).and_then(|(a, b)| self.add(&a, &b)),
            }),
            Op::Sub => {
                self.subtracts = true;
                Some(Interval {
                    lo: a.lo.zip(b.hi).and_then(|(a, b)| self.subtract(&a, &b)),
                    hi: a.hi.zip(b.lo).and_then(|(a, b)| self.subtract(&a, &b)),
                })
            }
            Op::Mul if not_negative(self) => Some(Interval {
                lo: Some(self.multiply(&a.lo?, &b.lo?)?),
                hi: Some(self.multiply(&a.hi?, &b.hi?)?),
            }),
            Op::Mul => self.corners(&a, &b),
            Op::Min | Op::Max => {
                let smaller = op == Op::Min;
                let mut pick = |a: Option<Term>, b: Option<Term>, either: bool| match (a, b) {
                    (Some(a), Some(b)) => Some(self.pick(smaller, &a, &b)),
                    (one, None) | (None, one) if either => one,
                    _ => None,
                };
                Some(Interval {
                    lo: pick(a.lo, b.lo, !smaller),
                    hi: pick(a.hi, b.hi, smaller),
                })
            }
            // Neither makes a number that is not negative greater.
            Op::Div | Op::FloorDiv if not_negative(self) => {
                let hi = match (&a.hi, &b.lo) {
                    (Some(hi), Some(Term::Known(by))) if *by > 0 => match hi {
                        Term::Known(n) => Some(Term::Known(n / by)),
                        Term::Step(_) => Some(self.guards.of(How::Div, *hi, Term::Known(*by))),
                    },
                    _ => a.hi,
                };
                Some(Interval {
                    lo: Some(Term::Known(0)),
                    hi,
                })
            }
            Op::Mod if not_negative(self) => {
                let below = b.hi.and_then(|hi| self.add(&hi, &Term::Known(-1)));
                // The remainder by 0 is 0.
                let below = below.map(|hi| self.pick(false, &hi, &Term::Known(0)));
                Some(Interval {
                    lo: Some(Term::Known(0)),
                    hi: match (a.hi, below) {
                        (Some(a), Some(b)) => Some(self.pick(true, &a, &b)),
                        (one, other) => one.or(other),
                    },
                })
            }
            _ => None,
        }
    }

    /// A product of numbers with any sign.
    fn corners(&mut self, a: &Interval, b: &Interval) -> Option<Interval> {
        let ([a0, a1], [b0, b1]) = (
            [a.lo.as_ref()?, a.hi.as_ref()?],
            [b.lo.as_ref()?, b.hi.as_ref()?],
        );
        let first = self.multiply(a0, b0)?;
        let (mut lo, mut hi) = (first, first);
        for (a, b) in [(a0, b1), (a1, b0), (a1, b1)] {
            let corner = self.multiply(a, b)?;
            lo = self.pick(true, &lo, &corner);
            hi = self.pick(false, &hi, &corner);
        }
        Some(Interval {
            lo: Some(lo),
            hi: Some(hi),
        })
    }

    /// A parameter that is passed by value.
    fn parameter(&mut self, id: ParamId, comp: u32, ty: Scalar) -> Option<Interval> {
        let at = self.offsets[id.0 as usize] + comp as usize * ty.size();
        let value = Interval::point(self.argument(ty, at));
        if ty.bits() == 64 {
            // Sums of such could leave the 64 bits in which they are computed here.
            self.narrow_enough(&value)?;
        }
        Some(value)
    }
}
