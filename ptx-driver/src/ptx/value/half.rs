//! Arithmetic of f16 and bf16, alone or in pairs: exact, then rounded once.

use super::approx::Function;
use super::soft::{BF16, F16, Format, Real};
use super::{Round, soft};

/// What is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Add,
    Sub,
    Mul,
    Fma,
    Neg,
    Abs,
    Min,
    Max,
    Approx(Function),
}

/// An operation on halves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Operation {
    pub kind: Kind,
    pub round: Round,
    /// bf16 rather than f16.
    pub brain: bool,
    /// Two of them in each operand.
    pub pair: bool,
    pub flush: bool,
    pub saturate: bool,
    /// Negative results become zero.
    pub relu: bool,
    /// A minimum or maximum is NaN if an operand is.
    pub nan_wins: bool,
}

fn format(brain: bool) -> Format {
    if brain { BF16 } else { F16 }
}

fn flushed(bits: u64, format: Format) -> u64 {
    if format.is_subnormal(bits) {
        return bits & format.sign();
    }
    bits
}

/// The number that the low 16 bits stand for. Every one is exact in f64.
pub(crate) fn value(bits: u64, brain: bool, flush: bool) -> f64 {
    let format = format(brain);
    let bits = bits & 0xffff;
    let bits = if flush { flushed(bits, format) } else { bits };
    f64::from_bits(Real::of(bits, format).pack(soft::F64, Round::Near))
}

impl Operation {
    pub fn run(self, a: u64, b: u64, c: u64) -> u64 {
        let low = self.one(a & 0xffff, b & 0xffff, c & 0xffff);
        if !self.pair {
            return low;
        }
        let [a, b, c] = [a, b, c].map(|v| v >> 16 & 0xffff);
        low | self.one(a, b, c) << 16
    }

    fn one(self, a: u64, b: u64, c: u64) -> u64 {
        let format = format(self.brain);
        let [a, b, c] = [a, b, c].map(|v| if self.flush { flushed(v, format) } else { v });
        let result = match self.kind {
            Kind::Add => soft::add(a, b, format, self.round),
            Kind::Sub => soft::add(a, b ^ format.sign(), format, self.round),
            Kind::Mul => soft::mul(a, b, format, self.round),
            Kind::Fma => soft::fma(a, b, c, format, self.round),
            Kind::Neg => a ^ format.sign(),
            Kind::Abs => format.magnitude(a),
            Kind::Min => self.extreme(a, b, format),
            Kind::Max => self.extreme(a, b, format),
            Kind::Approx(function) => {
                let x = function.of(value(a, self.brain, false));
                Real::f64(x).pack(format, Round::Near)
            }
        };
        let result = if self.flush {
            flushed(result, format)
        } else {
            result
        };
        let negative = result & format.sign() != 0;
        if self.relu && !format.is_nan(result) && negative {
            return 0;
        }
        if !self.saturate {
            return result;
        }
        if negative || format.is_nan(result) {
            return 0;
        }
        let one = Real::f64(1.0).pack(format, Round::Near);
        result.min(one)
    }

    fn extreme(self, a: u64, b: u64, format: Format) -> u64 {
        match (format.is_nan(a), format.is_nan(b)) {
            (true, true) => return format.nan,
            (true, false) | (false, true) if self.nan_wins => return format.nan,
            (true, false) => return b,
            (false, true) => return a,
            (false, false) => {}
        }
        // Sign and magnitude as one number, negative zero below positive zero.
        let key = |bits: u64| {
            let magnitude = format.magnitude(bits) as i64;
            if bits & format.sign() != 0 {
                -1 - magnitude
            } else {
                magnitude
            }
        };
        let a_less = key(a) < key(b);
        if a_less == (self.kind == Kind::Min) {
            a
        } else {
            b
        }
    }
}
