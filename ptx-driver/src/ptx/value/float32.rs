//! Arithmetic of f32. A NaN result is always 0x7fffffff, as on a GPU; nearest rounding is the processor's own.

use super::soft;
use super::{Binary, Modes, NEAR, Ternary, Unary, by_modes, round_of};

pub(crate) const NAN: u32 = 0x7fff_ffff;

pub(crate) fn of(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

/// The bits of a result, every NaN made the same. Compared as integers: LLVM may take `is_nan` and the constant for a choice
/// between floats, and replaces one NaN by another there.
pub(crate) fn bits(value: f32) -> u64 {
    const INFINITY: u32 = f32::INFINITY.to_bits();
    let bits = value.to_bits();
    u64::from(if bits & !(1 << 31) > INFINITY {
        NAN
    } else {
        bits
    })
}

pub(crate) fn flushed(value: f32) -> f32 {
    if value.is_subnormal() {
        return 0f32.copysign(value);
    }
    value
}

#[inline(always)]
pub(crate) fn input<const FLUSH: bool>(bits: u64) -> f32 {
    if FLUSH { flushed(of(bits)) } else { of(bits) }
}

#[inline(always)]
pub(crate) fn output<const FLUSH: bool, const SATURATE: bool>(value: f32) -> u64 {
    let value = if FLUSH { flushed(value) } else { value };
    if SATURATE {
        return bits(saturated(value));
    }
    bits(value)
}

/// Clamped to 0..1; NaN and negative zero become positive zero.
pub(crate) fn saturated(value: f32) -> f32 {
    if value > 0.0 { value.min(1.0) } else { 0.0 }
}

fn bits_of(value: f32) -> u64 {
    value.to_bits().into()
}

fn add<const R: u8, const F: bool, const S: bool>(a: u64, b: u64) -> u64 {
    let (a, b) = (input::<F>(a), input::<F>(b));
    output::<F, S>(match R {
        NEAR => a + b,
        _ => of(soft::add(bits_of(a), bits_of(b), soft::F32, round_of(R))),
    })
}
fn sub<const R: u8, const F: bool, const S: bool>(a: u64, b: u64) -> u64 {
    add::<R, F, S>(a, b ^ 0x8000_0000)
}
fn mul<const R: u8, const F: bool, const S: bool>(a: u64, b: u64) -> u64 {
    let (a, b) = (input::<F>(a), input::<F>(b));
    output::<F, S>(match R {
        NEAR => a * b,
        _ => of(soft::mul(bits_of(a), bits_of(b), soft::F32, round_of(R))),
    })
}
fn fma<const R: u8, const F: bool, const S: bool>(a: u64, b: u64, c: u64) -> u64 {
    let (a, b, c) = (input::<F>(a), input::<F>(b), input::<F>(c));
    output::<F, S>(match R {
        NEAR => a.mul_add(b, c),
        _ => of(soft::fma(
            bits_of(a),
            bits_of(b),
            bits_of(c),
            soft::F32,
            round_of(R),
        )),
    })
}
fn div<const R: u8, const F: bool, const S: bool>(a: u64, b: u64) -> u64 {
    let (a, b) = (input::<F>(a), input::<F>(b));
    output::<F, S>(match R {
        NEAR => a / b,
        _ => of(soft::div(bits_of(a), bits_of(b), soft::F32, round_of(R))),
    })
}
fn sqrt<const R: u8, const F: bool, const S: bool>(a: u64) -> u64 {
    let a = input::<F>(a);
    output::<F, S>(match R {
        NEAR => a.sqrt(),
        _ => of(soft::sqrt(bits_of(a), soft::F32, round_of(R))),
    })
}
fn rcp<const R: u8, const F: bool, const S: bool>(a: u64) -> u64 {
    div::<R, F, S>(bits_of(1.0), a)
}

pub(crate) fn adding(modes: Modes) -> Binary {
    by_modes!(add, modes)
}
pub(crate) fn subtracting(modes: Modes) -> Binary {
    by_modes!(sub, modes)
}
pub(crate) fn multiplying(modes: Modes) -> Binary {
    by_modes!(mul, modes)
}
pub(crate) fn fusing(modes: Modes) -> Ternary {
    by_modes!(fma, modes)
}
pub(crate) fn dividing(modes: Modes) -> Binary {
    by_modes!(div, modes)
}
pub(crate) fn rooting(modes: Modes) -> Unary {
    by_modes!(sqrt, modes)
}
pub(crate) fn inverting(modes: Modes) -> Unary {
    by_modes!(rcp, modes)
}

/// Absolute value: the sign goes, whatever the rest is.
pub(crate) fn abs<const F: bool>(a: u64) -> u64 {
    bits_of(input::<F>(a).abs())
}
pub(crate) fn neg<const F: bool>(a: u64) -> u64 {
    bits_of(-input::<F>(a))
}
/// The second operand with the sign of the first.
pub(crate) fn copysign(a: u64, b: u64) -> u64 {
    bits_of(of(b).copysign(of(a)))
}

/// The lesser operand, negative zero below positive zero. A NaN counts only if both are, or if `NAN_WINS`.
pub(crate) fn min<const F: bool, const NAN_WINS: bool>(a: u64, b: u64) -> u64 {
    let (a, b) = (input::<F>(a), input::<F>(b));
    bits(if a.is_nan() || b.is_nan() {
        other::<NAN_WINS>(a, b)
    } else if a < b || a == b && a.is_sign_negative() {
        a
    } else {
        b
    })
}
pub(crate) fn max<const F: bool, const NAN_WINS: bool>(a: u64, b: u64) -> u64 {
    let (a, b) = (input::<F>(a), input::<F>(b));
    bits(if a.is_nan() || b.is_nan() {
        other::<NAN_WINS>(a, b)
    } else if a > b || a == b && a.is_sign_positive() {
        a
    } else {
        b
    })
}
/// What a comparison gives if at least one operand is NaN.
fn other<const NAN_WINS: bool>(a: f32, b: f32) -> f32 {
    match (NAN_WINS, a.is_nan()) {
        (true, _) => f32::NAN,
        (false, true) => b,
        (false, false) => a,
    }
}

/// What `testp` asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Test {
    Finite,
    Infinite,
    Number,
    NotANumber,
    Normal,
    Subnormal,
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
