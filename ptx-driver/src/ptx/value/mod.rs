//! What instructions compute: functions from the bits of operands to the bits of a result.
//!
//! A register holds its value in the low bits of 64. Who reads it cuts it to the type of the operand, so what lies above does not matter.

pub(crate) mod approx;
pub(crate) mod bits;
pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod float32;
pub(crate) mod float64;
pub(crate) mod half;
pub(crate) mod integer;
pub(crate) mod rmw;
pub(crate) mod soft;

/// A function of one operand.
pub(crate) type Unary = fn(u64) -> u64;
/// A function of two operands.
pub(crate) type Binary = fn(u64, u64) -> u64;
/// A function of three operands.
pub(crate) type Ternary = fn(u64, u64, u64) -> u64;
/// A function of four operands.
pub(crate) type Quaternary = fn(u64, u64, u64, u64) -> u64;

/// Direction of rounding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Round {
    /// To the nearest, ties to even.
    Near,
    Zero,
    /// Towards negative infinity.
    Down,
    /// Towards positive infinity.
    Up,
}

/// Roundings as parameters of functions.
pub(crate) const NEAR: u8 = 0;
pub(crate) const ZERO: u8 = 1;
pub(crate) const DOWN: u8 = 2;
pub(crate) const UP: u8 = 3;

pub(crate) const fn round_of(number: u8) -> Round {
    match number {
        NEAR => Round::Near,
        ZERO => Round::Zero,
        DOWN => Round::Down,
        _ => Round::Up,
    }
}

/// How a float instruction treats its operands and result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Modes {
    pub round: Round,
    /// Subnormal numbers become zero.
    pub flush: bool,
    /// The result is clamped to 0..1, NaN to 0.
    pub saturate: bool,
}

/// An instance of a function over rounding, flushing and saturation.
macro_rules! by_modes {
    ($function:ident, $modes:expr) => {{
        use crate::ptx::value::{DOWN, NEAR, Round, UP, ZERO};
        let modes = $modes;
        match (modes.round, modes.flush, modes.saturate) {
            (Round::Near, false, false) => $function::<NEAR, false, false>,
            (Round::Near, false, true) => $function::<NEAR, false, true>,
            (Round::Near, true, false) => $function::<NEAR, true, false>,
            (Round::Near, true, true) => $function::<NEAR, true, true>,
            (Round::Zero, false, false) => $function::<ZERO, false, false>,
            (Round::Zero, false, true) => $function::<ZERO, false, true>,
            (Round::Zero, true, false) => $function::<ZERO, true, false>,
            (Round::Zero, true, true) => $function::<ZERO, true, true>,
            (Round::Down, false, false) => $function::<DOWN, false, false>,
            (Round::Down, false, true) => $function::<DOWN, false, true>,
            (Round::Down, true, false) => $function::<DOWN, true, false>,
            (Round::Down, true, true) => $function::<DOWN, true, true>,
            (Round::Up, false, false) => $function::<UP, false, false>,
            (Round::Up, false, true) => $function::<UP, false, true>,
            (Round::Up, true, false) => $function::<UP, true, false>,
            (Round::Up, true, true) => $function::<UP, true, true>,
        }
    }};
}
pub(crate) use by_modes;

/// An instance of a function over rounding.
macro_rules! by_round {
    ($function:ident, $round:expr) => {{
        use crate::ptx::value::{DOWN, NEAR, Round, UP, ZERO};
        match $round {
            Round::Near => $function::<NEAR>,
            Round::Zero => $function::<ZERO>,
            Round::Down => $function::<DOWN>,
            Round::Up => $function::<UP>,
        }
    }};
}
pub(crate) use by_round;
