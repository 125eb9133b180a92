//! What atomics make of the old value and their operands.

use super::integer::{Int, by_int};
use super::{Modes, Round, Ternary, float32, float64, half};
use crate::ptx::types::Type;

fn add<T: Int>(old: u64, a: u64, _: u64) -> u64 {
    old.wrapping_add(a)
}
fn min<T: Int>(old: u64, a: u64, _: u64) -> u64 {
    T::of(old).min(T::of(a)).raw()
}
fn max<T: Int>(old: u64, a: u64, _: u64) -> u64 {
    T::of(old).max(T::of(a)).raw()
}
/// Counts up to `a`, then starts again.
fn inc<T: Int>(old: u64, a: u64, _: u64) -> u64 {
    if T::of(old) >= T::of(a) { 0 } else { old + 1 }
}
/// Counts down to zero, then starts again at `a`.
fn dec<T: Int>(old: u64, a: u64, _: u64) -> u64 {
    let (value, limit) = (T::of(old), T::of(a));
    if value == T::ZERO || value > limit {
        a
    } else {
        old - 1
    }
}
fn cas<T: Int>(old: u64, a: u64, b: u64) -> u64 {
    if T::of(old) == T::of(a) { b } else { old }
}

/// How an atomic adds halves.
fn halves(kind: half::Kind, brain: bool, pair: bool) -> half::Operation {
    half::Operation {
        kind,
        round: Round::Near,
        brain,
        pair,
        flush: false,
        saturate: false,
        relu: false,
        nan_wins: false,
    }
}

macro_rules! of_halves {
    ($kind:ident, $brain:expr, $pair:expr) => {
        |old, a, _| halves(half::Kind::$kind, $brain, $pair).run(old, a, 0)
    };
}

/// The sum of f32 in global memory: devices flush subnormal numbers there, but not in shared memory.
pub(crate) fn add_flushing(old: u64, a: u64, _: u64) -> u64 {
    const FLUSHING: Modes = Modes {
        round: Round::Near,
        flush: true,
        saturate: false,
    };
    float32::adding(FLUSHING)(old, a)
}

fn float(operation: &str, ty: Type) -> Option<Ternary> {
    const NEAR: Modes = Modes {
        round: Round::Near,
        flush: false,
        saturate: false,
    };
    Some(match (operation, ty) {
        ("add", Type::F32) => |old, a, _| float32::adding(NEAR)(old, a),
        ("add", Type::F64) => |old, a, _| float64::adding(Round::Near)(old, a),
        ("add", Type::F16) => of_halves!(Add, false, false),
        ("add", Type::F16x2) => of_halves!(Add, false, true),
        ("add", Type::Bf16) => of_halves!(Add, true, false),
        ("add", Type::Bf16x2) => of_halves!(Add, true, true),
        ("min", Type::F16) => of_halves!(Min, false, false),
        ("min", Type::F16x2) => of_halves!(Min, false, true),
        ("min", Type::Bf16) => of_halves!(Min, true, false),
        ("min", Type::Bf16x2) => of_halves!(Min, true, true),
        ("max", Type::F16) => of_halves!(Max, false, false),
        ("max", Type::F16x2) => of_halves!(Max, false, true),
        ("max", Type::Bf16) => of_halves!(Max, true, false),
        ("max", Type::Bf16x2) => of_halves!(Max, true, true),
        _ => return None,
    })
}

/// The new value of an atomic, if it exists for the type.
pub(crate) fn named(operation: &str, ty: Type) -> Option<Ternary> {
    use Type::*;
    if ty.float() {
        return float(operation, ty);
    }
    let arithmetic = matches!(ty, U32 | S32 | U64 | S64);
    Some(match operation {
        "add" if arithmetic && ty != S64 => by_int!(add, ty),
        "min" if arithmetic => by_int!(min, ty),
        "max" if arithmetic => by_int!(max, ty),
        "inc" if ty == U32 => by_int!(inc, ty),
        "dec" if ty == U32 => by_int!(dec, ty),
        "and" if matches!(ty, B32 | B64) => |old, a, _| old & a,
        "or" if matches!(ty, B32 | B64) => |old, a, _| old | a,
        "xor" if matches!(ty, B32 | B64) => |old, a, _| old ^ a,
        "exch" if matches!(ty, B32 | B64 | U32 | U64 | S32 | S64) => |_, a, _| a,
        "cas" if matches!(ty, B16 | B32 | B64 | U32 | U64 | S32 | S64) => by_int!(cas, ty),
        _ => return None,
    })
}
