//! Conversions between types.

use super::soft::{self, BF16, F16, Format, Real};
use super::{Round, Unary, float32, float64, half};
use crate::ptx::types::Type;

/// A conversion that has a float on one side at least.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Conversion {
    pub to: Type,
    pub from: Type,
    pub round: Round,
    /// Between floats: to an integral value.
    pub integral: bool,
    pub flush: bool,
    pub saturate: bool,
    /// Negative results become zero.
    pub relu: bool,
}

/// The value of a register as a signed integer that holds all values of the type.
fn exact(bits: u64, ty: Type) -> i128 {
    let gap = 64 - ty.bits();
    if ty.signed() {
        return i128::from((bits << gap) as i64 >> gap);
    }
    i128::from(bits << gap >> gap)
}

/// Signed results are extended by their sign, others by zeros: a register may be wider than the type.
fn clamped(value: i128, ty: Type) -> u64 {
    let bits = ty.bits();
    if ty.signed() {
        return value.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1) as u64;
    }
    value.clamp(0, (1 << bits) - 1) as u64
}

/// Between integers without saturation: the source is extended as its type says, the result as its own.
pub(crate) fn integers(to: Type, from: Type) -> Unary {
    let (narrow, signed) = if from.bits() <= to.bits() {
        (from.bits(), from.signed())
    } else {
        (to.bits(), to.signed())
    };
    match (narrow, signed) {
        (8, false) => |a| a & 0xff,
        (8, true) => |a| a as i8 as u64,
        (16, false) => |a| a & 0xffff,
        (16, true) => |a| a as i16 as u64,
        (32, false) => |a| a & 0xffff_ffff,
        (32, true) => |a| a as i32 as u64,
        _ => |a| a,
    }
}

fn format(ty: Type) -> Format {
    match ty {
        Type::F16 | Type::F16x2 => F16,
        Type::Bf16 | Type::Bf16x2 => BF16,
        Type::F32 => soft::F32,
        _ => soft::F64,
    }
}

impl Conversion {
    pub fn run(self, a: u64, b: u64) -> u64 {
        match (self.from.float(), self.to.float()) {
            (false, false) => clamped(exact(a, self.from), self.to),
            (false, true) => self.saturated(self.of_integer(exact(a, self.from))),
            (true, false) => self.to_integer(self.read(a)),
            (true, true) if self.to.packed() => self.float(b) | self.float(a) << 16,
            (true, true) => self.float(a),
        }
    }

    /// The source as a number; every float that PTX has is exact in f64.
    fn read(self, bits: u64) -> f64 {
        match self.from {
            Type::F32 if self.flush => float32::flushed(float32::of(bits)).into(),
            Type::F32 => float32::of(bits).into(),
            Type::F64 => float64::of(bits),
            ty => half::value(bits, ty.brain(), self.flush),
        }
    }

    fn rounded(self, value: f64) -> f64 {
        match self.round {
            Round::Near => value.round_ties_even(),
            Round::Zero => value.trunc(),
            Round::Down => value.floor(),
            Round::Up => value.ceil(),
        }
    }

    fn of_integer(self, value: i128) -> u64 {
        match (self.to, self.round) {
            (Type::F32, Round::Near) => (value as f32).to_bits().into(),
            (Type::F64, Round::Near) => (value as f64).to_bits(),
            _ => Real::integer(value).pack(format(self.to), self.round),
        }
    }

    /// Out of range is clamped. NaN is zero, but for f64 or 64-bit integers the lowest signed number, as the manual says.
    fn to_integer(self, value: f64) -> u64 {
        let bits = self.to.bits();
        if value.is_nan() {
            let wide = self.from == Type::F64 || bits == 64;
            let lowest = u64::MAX << (bits - 1);
            return match (wide, self.to.signed()) {
                (false, _) => 0,
                (true, true) => lowest,
                (true, false) => 1 << (bits - 1),
            };
        }
        clamped(self.rounded(value) as i128, self.to)
    }

    fn float(self, bits: u64) -> u64 {
        let value = self.read(bits);
        let value = if self.integral {
            self.rounded(value)
        } else {
            value
        };
        let packed = match (self.to, self.round) {
            (Type::F64, _) => float64::bits(value),
            (Type::F32, Round::Near) => float32::bits(value as f32),
            (to, round) => Real::f64(value).pack(format(to), round),
        };
        let flushes = self.flush && self.to == Type::F32;
        let packed = if flushes && soft::F32.is_subnormal(packed) {
            packed & soft::F32.sign()
        } else {
            packed
        };
        self.saturated(packed)
    }

    fn saturated(self, bits: u64) -> u64 {
        let format = format(self.to);
        let negative = bits & format.sign() != 0;
        if self.relu && !format.is_nan(bits) && negative {
            return 0;
        }
        if !self.saturate {
            return bits;
        }
        if negative || format.is_nan(bits) {
            return 0;
        }
        bits.min(Real::f64(1.0).pack(format, Round::Near))
    }
}
