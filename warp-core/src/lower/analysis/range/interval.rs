//! Intervals of integers.

use crate::dtype::Scalar;

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
    pub(super) const fn point(x: i128) -> Range {
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
    pub(super) fn meet(self, other: Range) -> Range {
        Range {
            lo: self.lo.max(other.lo),
            hi: self.hi.min(other.hi),
        }
    }
    pub(super) fn join(self, other: Range) -> Range {
        Range {
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
        }
    }
    pub(super) fn corners(self, other: Range, f: impl Fn(i128, i128) -> i128) -> Range {
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
