//! Arithmetic of f64.

use super::float32::Test;
use super::soft;
use super::{Binary, NEAR, Round, Ternary, Unary, by_round, round_of};

pub(crate) fn of(bits: u64) -> f64 {
    f64::from_bits(bits)
}

/// The bits of a result, every NaN made the same. Compared as integers, as those of f32 are.
pub(crate) fn bits(value: f64) -> u64 {
    const INFINITY: u64 = f64::INFINITY.to_bits();
    let bits = value.to_bits();
    if bits & !(1 << 63) > INFINITY {
        return soft::F64.nan;
    }
    bits
}

fn add<const R: u8>(a: u64, b: u64) -> u64 {
    match R {
        NEAR => bits(of(a) + of(b)),
        _ => soft::add(a, b, soft::F64, round_of(R)),
    }
}
fn sub<const R: u8>(a: u64, b: u64) -> u64 {
    add::<R>(a, b ^ 1 << 63)
}
fn mul<const R: u8>(a: u64, b: u64) -> u64 {
    match R {
        NEAR => bits(of(a) * of(b)),
        _ => soft::mul(a, b, soft::F64, round_of(R)),
    }
}
fn fma<const R: u8>(a: u64, b: u64, c: u64) -> u64 {
    match R {
        NEAR => bits(of(a).mul_add(of(b), of(c))),
        _ => soft::fma(a, b, c, soft::F64, round_of(R)),
    }
}
fn div<const R: u8>(a: u64, b: u64) -> u64 {
    match R {
        NEAR => bits(of(a) / of(b)),
        _ => soft::div(a, b, soft::F64, round_of(R)),
    }
}
fn sqrt<const R: u8>(a: u64) -> u64 {
    match R {
        NEAR => bits(of(a).sqrt()),
        _ => soft::sqrt(a, soft::F64, round_of(R)),
    }
}
fn rcp<const R: u8>(a: u64) -> u64 {
    div::<R>(1f64.to_bits(), a)
}

pub(crate) fn adding(round: Round) -> Binary {
    by_round!(add, round)
}
pub(crate) fn subtracting(round: Round) -> Binary {
    by_round!(sub, round)
}
pub(crate) fn multiplying(round: Round) -> Binary {
    by_round!(mul, round)
}
pub(crate) fn fusing(round: Round) -> Ternary {
    by_round!(fma, round)
}
pub(crate) fn dividing(round: Round) -> Binary {
    by_round!(div, round)
}
pub(crate) fn rooting(round: Round) -> Unary {
    by_round!(sqrt, round)
}
pub(crate) fn inverting(round: Round) -> Unary {
    by_round!(rcp, round)
}

pub(crate) fn abs(a: u64) -> u64 {
    a & !(1 << 63)
}
pub(crate) fn neg(a: u64) -> u64 {
    a ^ 1 << 63
}
/// The second operand with the sign of the first.
pub(crate) fn copysign(a: u64, b: u64) -> u64 {
    abs(b) | a & 1 << 63
}

/// The lesser operand, negative zero below positive zero; NaN only if both are.
pub(crate) fn min(a: u64, b: u64) -> u64 {
    let (x, y) = (of(a), of(b));
    bits(if x.is_nan() {
        y
    } else if y.is_nan() || x < y || x == y && x.is_sign_negative() {
        x
    } else {
        y
    })
}
pub(crate) fn max(a: u64, b: u64) -> u64 {
    let (x, y) = (of(a), of(b));
    bits(if x.is_nan() {
        y
    } else if y.is_nan() || x > y || x == y && x.is_sign_positive() {
        x
    } else {
        y
    })
}

pub(crate) fn testing(test: Test) -> Unary {
    match test {
        Test::Finite => |a| of(a).is_finite().into(),
        Test::Infinite => |a| of(a).is_infinite().into(),
        Test::Number => |a| (!of(a).is_nan()).into(),
        Test::NotANumber => |a| of(a).is_nan().into(),
        Test::Normal => |a| of(a).is_normal().into(),
        Test::Subnormal => |a| of(a).is_subnormal().into(),
    }
}
