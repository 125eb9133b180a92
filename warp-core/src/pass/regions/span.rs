//! Integers at equal distances: what an index may be in a launch.

use crate::dtype::Scalar;

/// The integers from `lo` to `hi` at a distance of `step`, which is 0 for a single one. None of them where `hi` is less than `lo`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// The least one.
    pub lo: i64,
    /// The greatest one.
    pub hi: i64,
    /// The distance between neighbours.
    pub step: i64,
}

impl Span {
    /// No integer.
    pub const EMPTY: Span = Span {
        lo: 0,
        hi: -1,
        step: 0,
    };

    /// A single integer.
    pub const fn point(at: i64) -> Span {
        Span {
            lo: at,
            hi: at,
            step: 0,
        }
    }

    /// The integers from `lo` up to `hi` at most, at a distance that is greater than 0.
    pub fn up_to(lo: i64, hi: i64, step: i64) -> Span {
        match hi.checked_sub(lo) {
            Some(0) => Span::point(lo),
            Some(reach) if reach > 0 => {
                let hi = lo + reach / step * step;
                let step = if hi == lo { 0 } else { step };
                Span { lo, hi, step }
            }
            // A reach that overflows has no use as an index.
            _ => Span::EMPTY,
        }
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.hi < self.lo
    }

    /// How many there are.
    pub const fn count(self) -> i64 {
        match self.step {
            _ if self.is_empty() => 0,
            0 => 1,
            step => (self.hi - self.lo) / step + 1,
        }
    }

    /// The least span that holds both.
    pub fn join(self, other: Span) -> Option<Span> {
        match (self.is_empty(), other.is_empty()) {
            (true, _) => return Some(other),
            (_, true) => return Some(self),
            _ => {}
        }
        let apart = self.lo.checked_sub(other.lo)?.checked_abs()?;
        Some(Span {
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
            step: gcd(gcd(self.step, other.step), apart),
        })
    }

    /// Sums of one of either.
    pub fn plus(self, other: Span) -> Option<Span> {
        self.with(other, || {
            Some(Span {
                lo: self.lo.checked_add(other.lo)?,
                hi: self.hi.checked_add(other.hi)?,
                step: gcd(self.step, other.step),
            })
        })
    }

    /// The negative ones.
    pub fn negated(self) -> Option<Span> {
        self.with(self, || {
            Some(Span {
                lo: self.hi.checked_neg()?,
                hi: self.lo.checked_neg()?,
                step: self.step,
            })
        })
    }

    /// Products of one of either.
    pub fn multiplied(self, other: Span) -> Option<Span> {
        self.with(other, || {
            let (factor, of) = match (self.step, other.step) {
                (0, _) => (self.lo, other),
                (_, 0) => (other.lo, self),
                _ => return self.products(other),
            };
            let (a, b) = (of.lo.checked_mul(factor)?, of.hi.checked_mul(factor)?);
            let step = of.step.checked_mul(factor.checked_abs()?)?;
            Some(Span {
                lo: a.min(b),
                hi: a.max(b),
                step,
            })
        })
    }

    /// All between the least and the greatest product.
    fn products(self, other: Span) -> Option<Span> {
        let pairs = [
            (self.lo, other.lo),
            (self.lo, other.hi),
            (self.hi, other.lo),
            (self.hi, other.hi),
        ];
        let (mut lo, mut hi) = (i64::MAX, i64::MIN);
        for (a, b) in pairs {
            let product = a.checked_mul(b)?;
            (lo, hi) = (lo.min(product), hi.max(product));
        }
        Some(Span::up_to(lo, hi, 1))
    }

    /// Quotients by an integer that is greater than 0; none is negative.
    pub fn divided(self, by: Span) -> Option<Span> {
        self.with(by, || {
            if self.lo < 0 || by.step != 0 || by.lo <= 0 {
                return None;
            }
            let (lo, hi) = (self.lo / by.lo, self.hi / by.lo);
            let exact = self.step % by.lo == 0;
            let step = if exact { self.step / by.lo } else { 1 };
            Some(Span::up_to(lo, hi, step.max(1)))
        })
    }

    /// Remainders by an integer that is greater than 0; none is negative.
    pub fn rest(self, by: Span) -> Option<Span> {
        self.with(by, || {
            if self.lo < 0 || by.step != 0 || by.lo <= 0 {
                return None;
            }
            if self.lo / by.lo == self.hi / by.lo {
                return Some(Span {
                    lo: self.lo % by.lo,
                    hi: self.hi % by.lo,
                    ..self
                });
            }
            // They follow each other at the common divisor, and so do the remainders.
            let step = gcd(self.step, by.lo);
            Some(Span::up_to(self.lo % step, by.lo - 1, step))
        })
    }

    /// The lesser, or the greater, one of either.
    pub fn extreme(self, other: Span, least: bool) -> Option<Span> {
        self.with(other, || {
            let both = self.join(other)?;
            let pick = if least { i64::min } else { i64::max };
            let (lo, hi) = (pick(self.lo, other.lo), pick(self.hi, other.hi));
            // Both ends are among the integers of `both`.
            let step = if lo == hi { 0 } else { both.step };
            Some(Span { lo, hi, step })
        })
    }

    /// All of them, if a type has them all.
    pub fn within(self, ty: Scalar) -> Option<Span> {
        if !ty.is_int() {
            return None;
        }
        let bits = ty.bits();
        let (lo, hi) = match ty.is_signed() {
            true => (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits)),
            false if bits == 64 => (0, i64::MAX),
            false => (0, (1 << bits) - 1),
        };
        (self.is_empty() || (lo <= self.lo && self.hi <= hi)).then_some(self)
    }

    fn with(self, other: Span, f: impl FnOnce() -> Option<Span>) -> Option<Span> {
        if self.is_empty() || other.is_empty() {
            return Some(Span::EMPTY);
        }
        f()
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(span: Span) -> Vec<i64> {
        (0..span.count()).map(|k| span.lo + k * span.step).collect()
    }

    fn spans() -> impl Strategy<Value = Span> {
        (-20..20i64, -3..12i64, 1..5i64)
            .prop_map(|(lo, count, step)| Span::up_to(lo, lo + (count - 1) * step, step))
    }

    /// Whether a span holds what a function makes of all pairs.
    fn holds(span: Option<Span>, a: Span, b: Span, f: impl Fn(i64, i64) -> i64) -> bool {
        let Some(span) = span else {
            return true;
        };
        let held = all(span);
        let pairs = all(a)
            .into_iter()
            .flat_map(|x| all(b).into_iter().map(move |y| (x, y)));
        pairs.into_iter().all(|(x, y)| held.contains(&f(x, y)))
    }

    proptest! {
        #[test]
        fn spans_hold_what_operations_give(a in spans(), b in spans(), n in 1..7i64) {
            prop_assert!(holds(a.plus(b), a, b, |x, y| x + y));
            prop_assert!(holds(a.multiplied(b), a, b, |x, y| x * y));
            prop_assert!(holds(a.negated(), a, a, |x, _| -x));
            prop_assert!(holds(a.extreme(b, true), a, b, i64::min));
            prop_assert!(holds(a.extreme(b, false), a, b, i64::max));
            prop_assert!(holds(a.divided(Span::point(n)), a, Span::point(n), |x, y| x / y));
            prop_assert!(holds(a.rest(Span::point(n)), a, Span::point(n), |x, y| x % y));
            prop_assert!(holds(a.join(b), a, a, |x, _| x));
            prop_assert!(holds(a.join(b), b, b, |x, _| x));
        }
    }

    #[test]
    fn spans_are_no_wider_than_they_must_be() {
        let tid = Span::up_to(0, 63, 1);
        let row = tid.plus(Span::point(640)).expect("small");
        assert_eq!((row.lo, row.hi, row.step), (640, 703, 1));
        let column = tid.multiplied(Span::point(10)).expect("small");
        assert_eq!((column.lo, column.hi, column.step), (0, 630, 10));
        let next = column.plus(Span::point(1)).expect("small");
        assert_eq!(next.rest(Span::point(10)), Some(Span::point(1)));
        assert_eq!(next.divided(Span::point(10)), Some(tid));
        assert_eq!(
            Span::point(3).join(Span::point(5)).map(Span::count),
            Some(2)
        );
        assert_eq!(Span::point(1 << 40).within(Scalar::I32), None);
        assert_eq!(Span::point(-1).within(Scalar::U32), None);
        assert!(Span::point(-1).within(Scalar::I32).is_some());
        assert_eq!(Span::point(i64::MAX).plus(Span::point(1)), None);
    }
}
