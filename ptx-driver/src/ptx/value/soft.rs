//! Float arithmetic in integers, exact up to one final rounding: for directed roundings and for formats that Rust does not have.

use super::Round;

/// A binary float format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Format {
    /// Bits of the significand, the hidden one included.
    pub precision: u32,
    pub exponent_bits: u32,
    /// What every NaN result is.
    pub nan: u64,
}

pub(crate) const F16: Format = Format {
    precision: 11,
    exponent_bits: 5,
    nan: 0x7fff,
};
pub(crate) const BF16: Format = Format {
    precision: 8,
    exponent_bits: 8,
    nan: 0x7fff,
};
pub(crate) const F32: Format = Format {
    precision: 24,
    exponent_bits: 8,
    nan: 0x7fff_ffff,
};
pub(crate) const F64: Format = Format {
    precision: 53,
    exponent_bits: 11,
    nan: 0x7ff8_0000_0000_0000,
};

impl Format {
    fn width(self) -> u32 {
        self.precision + self.exponent_bits
    }
    fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }
    /// The bits of positive infinity.
    pub fn infinity(self) -> u64 {
        ((1 << self.exponent_bits) - 1) << (self.precision - 1)
    }
    pub fn sign(self) -> u64 {
        1 << (self.width() - 1)
    }
    pub fn magnitude(self, bits: u64) -> u64 {
        bits & (self.sign() - 1)
    }
    pub fn is_nan(self, bits: u64) -> bool {
        self.magnitude(bits) > self.infinity()
    }
    pub fn is_subnormal(self, bits: u64) -> bool {
        let magnitude = self.magnitude(bits);
        magnitude != 0 && magnitude < 1 << (self.precision - 1)
    }
}

/// A real number, as exact as later rounding needs it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Real {
    Nan,
    Infinite {
        negative: bool,
    },
    /// `mantissa * 2^exponent`, and more than that by less than one unit if `sticky`.
    Finite {
        negative: bool,
        mantissa: u128,
        exponent: i32,
        sticky: bool,
    },
}
use Real::{Finite, Infinite, Nan};

impl Real {
    pub fn integer(value: i128) -> Real {
        Finite {
            negative: value < 0,
            mantissa: value.unsigned_abs(),
            exponent: 0,
            sticky: false,
        }
    }

    pub fn of(bits: u64, format: Format) -> Real {
        let magnitude = format.magnitude(bits);
        let negative = bits & format.sign() != 0;
        if magnitude > format.infinity() {
            return Nan;
        }
        if magnitude == format.infinity() {
            return Infinite { negative };
        }
        let fraction = magnitude & ((1 << (format.precision - 1)) - 1);
        let biased = (magnitude >> (format.precision - 1)) as i32;
        let hidden = u64::from(biased != 0) << (format.precision - 1);
        Finite {
            negative,
            mantissa: u128::from(fraction | hidden),
            exponent: biased.max(1) - format.bias() - (format.precision as i32 - 1),
            sticky: false,
        }
    }

    pub fn f64(value: f64) -> Real {
        Real::of(value.to_bits(), F64)
    }

    /// Rounds to a format.
    pub fn pack(self, format: Format, round: Round) -> u64 {
        let sign = |negative: bool| if negative { format.sign() } else { 0 };
        let (negative, mantissa, exponent, sticky) = match self {
            Nan => return format.nan,
            Infinite { negative } => return format.infinity() | sign(negative),
            Finite {
                negative,
                mantissa,
                exponent,
                sticky,
            } => (negative, mantissa, exponent, sticky),
        };
        if mantissa == 0 {
            debug_assert!(!sticky);
            return sign(negative);
        }
        let digits = format.precision as i32 - 1;
        let lowest = 1 - format.bias() - digits;
        let leading = exponent + 127 - mantissa.leading_zeros() as i32;
        let unit = (leading - digits).max(lowest);
        let shift = unit - exponent;
        let (mut kept, up) = if shift <= 0 {
            debug_assert!(!sticky);
            (mantissa << -shift, false)
        } else {
            let far = shift > 127;
            let shift = shift.min(127) as u32;
            let kept = if far { 0 } else { mantissa >> shift };
            let rest = if far {
                1
            } else {
                mantissa & ((1 << shift) - 1)
            };
            let half = 1 << (shift - 1);
            let inexact = rest != 0 || sticky;
            let up = match round {
                Round::Near => rest > half || rest == half && (sticky || kept & 1 == 1),
                Round::Zero => false,
                Round::Down => negative && inexact,
                Round::Up => !negative && inexact,
            };
            (kept, up)
        };
        kept += u128::from(up);
        // A carry out of the significand counts the exponent up, as it should.
        let biased = (unit + digits + format.bias()) as u128;
        let hidden = 1 << digits;
        let bits = (biased << digits) + kept - hidden;
        if bits < u128::from(format.infinity()) {
            return bits as u64 | sign(negative);
        }
        let outwards = match round {
            Round::Near => true,
            Round::Zero => false,
            Round::Down => negative,
            Round::Up => !negative,
        };
        (format.infinity() - u64::from(!outwards)) | sign(negative)
    }

    fn negative(self) -> bool {
        match self {
            Nan => false,
            Infinite { negative } | Finite { negative, .. } => negative,
        }
    }

    fn is_zero(self) -> bool {
        matches!(self, Finite { mantissa: 0, .. })
    }

    /// The product; both factors have at most 64 bits.
    pub fn times(self, other: Real) -> Real {
        let negative = self.negative() != other.negative();
        match (self, other) {
            (Nan, _) | (_, Nan) => Nan,
            (Infinite { .. }, o) | (o, Infinite { .. }) if o.is_zero() => Nan,
            (Infinite { .. }, _) | (_, Infinite { .. }) => Infinite { negative },
            (
                Finite {
                    mantissa: a,
                    exponent: e,
                    ..
                },
                Finite {
                    mantissa: b,
                    exponent: f,
                    ..
                },
            ) => Finite {
                negative,
                mantissa: a * b,
                exponent: e + f,
                sticky: false,
            },
        }
    }

    /// The sum. The direction of rounding decides the sign of a zero.
    pub fn plus(self, other: Real, round: Round) -> Real {
        match (self, other) {
            (Nan, _) | (_, Nan) => return Nan,
            (Infinite { negative: a }, Infinite { negative: b }) if a != b => return Nan,
            (i @ Infinite { .. }, _) | (_, i @ Infinite { .. }) => return i,
            _ => {}
        }
        let zero = |negative| Finite {
            negative,
            mantissa: 0,
            exponent: 0,
            sticky: false,
        };
        let opposed = self.negative() != other.negative();
        if self.is_zero() && other.is_zero() {
            return zero(if opposed {
                round == Round::Down
            } else {
                self.negative()
            });
        }
        if self.is_zero() {
            return other;
        }
        if other.is_zero() {
            return self;
        }
        // The larger one's leading bit goes to bit 125: room for a carry, and for all bits of the other unless it is far smaller.
        let (x, y) = (self.normal(125), other.normal(125));
        let (big, small, negative) = if (x.1, x.0) >= (y.1, y.0) {
            (x, y, self.negative())
        } else {
            (y, x, other.negative())
        };
        let down = (big.1 - small.1).min(127) as u32;
        let shifted = small.0 >> down;
        let sticky = shifted << down != small.0;
        let mantissa = if opposed {
            big.0 - shifted - u128::from(sticky)
        } else {
            big.0 + shifted
        };
        if mantissa == 0 && !sticky {
            return zero(round == Round::Down);
        }
        Finite {
            negative,
            mantissa,
            exponent: big.1,
            sticky,
        }
    }

    /// Mantissa with its leading bit at `bit`, and exponent, of a finite number that is not zero.
    fn normal(self, bit: u32) -> (u128, i32) {
        let Finite {
            mantissa, exponent, ..
        } = self
        else {
            unreachable!("only finite numbers are added");
        };
        let up = bit as i32 - (127 - mantissa.leading_zeros() as i32);
        (mantissa << up, exponent - up)
    }

    pub fn over(self, other: Real) -> Real {
        let negative = self.negative() != other.negative();
        match (self, other) {
            (Nan, _) | (_, Nan) | (Infinite { .. }, Infinite { .. }) => Nan,
            (Infinite { .. }, _) => Infinite { negative },
            (_, Infinite { .. }) => Finite {
                negative,
                mantissa: 0,
                exponent: 0,
                sticky: false,
            },
            (a, b) if a.is_zero() && b.is_zero() => Nan,
            (_, b) if b.is_zero() => Infinite { negative },
            (a, _) if a.is_zero() => Finite {
                negative,
                mantissa: 0,
                exponent: 0,
                sticky: false,
            },
            (a, b) => {
                let ((a, e), (b, f)) = (a.normal(127), b.normal(60));
                Finite {
                    negative,
                    mantissa: a / b,
                    exponent: e - f,
                    sticky: a % b != 0,
                }
            }
        }
    }

    pub fn root(self) -> Real {
        match self {
            Nan => Nan,
            zero if zero.is_zero() => zero,
            negative if negative.negative() => Nan,
            Infinite { negative } => Infinite { negative },
            finite => {
                let (mut mantissa, mut exponent) = finite.normal(127);
                if exponent % 2 != 0 {
                    mantissa >>= 1; // the low bits are zero: at most 64 are in use
                    exponent += 1;
                }
                let root = mantissa.isqrt();
                Finite {
                    negative: false,
                    mantissa: root,
                    exponent: exponent / 2,
                    sticky: root * root != mantissa,
                }
            }
        }
    }
}

/// The sum of two numbers of a format, rounded to it.
pub(crate) fn add(a: u64, b: u64, format: Format, round: Round) -> u64 {
    let (a, b) = (Real::of(a, format), Real::of(b, format));
    a.plus(b, round).pack(format, round)
}

pub(crate) fn mul(a: u64, b: u64, format: Format, round: Round) -> u64 {
    let (a, b) = (Real::of(a, format), Real::of(b, format));
    a.times(b).pack(format, round)
}

pub(crate) fn fma(a: u64, b: u64, c: u64, format: Format, round: Round) -> u64 {
    let [a, b, c] = [a, b, c].map(|v| Real::of(v, format));
    a.times(b).plus(c, round).pack(format, round)
}

pub(crate) fn div(a: u64, b: u64, format: Format, round: Round) -> u64 {
    let (a, b) = (Real::of(a, format), Real::of(b, format));
    a.over(b).pack(format, round)
}

pub(crate) fn sqrt(a: u64, format: Format, round: Round) -> u64 {
    Real::of(a, format).root().pack(format, round)
}

#[cfg(test)]
mod tests;
