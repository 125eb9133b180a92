//! Random numbers from a state of 32 bits: the building blocks of rows.
//!
//! The generator is PCG's hash of a 32 bit word (M. E. O'Neill, "PCG: A Family of Simple Fast Space-Efficient
//! Statistically Good Algorithms for Random Number Generation"): each draw replaces the state by its hash and makes a
//! number of it.

use crate::builtins::value::view::View;
use crate::dtype::Scalar;
use crate::ir::{Expr, ExprBuilder, Exprs};
use smallvec::smallvec;
use std::f64::consts::TAU;

/// PCG's hash of a uint32.
pub fn hash<'s>(x: Expr<'s>) -> Expr<'s> {
    let s = x * 747_796_405 + 2_891_336_453_u32;
    let by = (s >> 28) + 4;
    let w = ((s >> by) ^ s) * 277_803_737;
    (w >> 22) ^ w
}

/// Draws 32 bits.
pub fn bits<'s>(state: &mut Expr<'s>) -> Expr<'s> {
    *state = hash(*state);
    *state
}

/// The distance between two neighbours among the numbers of [`uniform`].
const STEP: f64 = 1.0 / 16_777_216.0;

/// Draws a float32 in [0, 1): a multiple of 2^-24.
pub fn uniform<'s>(state: &mut Expr<'s>) -> Expr<'s> {
    (bits(state) >> 8).cast(Scalar::F32) * STEP
}

/// Draws an angle in [0, 2 pi).
pub fn angle<'s>(state: &mut Expr<'s>) -> Expr<'s> {
    TAU * uniform(state)
}

/// Draws a float32 in [low, high).
pub fn within<'s>(state: &mut Expr<'s>, low: Expr<'s>, high: Expr<'s>) -> Expr<'s> {
    let u = uniform(state);
    (high - low) * u + low
}

/// Draws from the normal distribution by the method of Box and Muller. What is added keeps the logarithm finite.
pub fn normal<'s>(state: &mut Expr<'s>) -> Expr<'s> {
    let log = (uniform(state) + STEP).log();
    let radius = (-2.0 * log).sqrt();
    radius * angle(state).cos()
}

/// `radius * (cos angle, sin angle)`.
pub fn polar<'s>(radius: Expr<'s>, angle: Expr<'s>) -> Exprs<'s> {
    smallvec![radius * angle.cos(), radius * angle.sin()]
}

/// Draws a point of the unit sphere: the height between 1 and 1 - `heights`, then the angle about the z axis.
pub fn direction<'s>(state: &mut Expr<'s>, heights: f64) -> Exprs<'s> {
    let tilt = (1.0 - heights * uniform(state)).acos();
    let mut out = polar(tilt.sin(), angle(state));
    out.push(tilt.cos());
    out
}

/// The first place of an increasing array of float32 whose content is not below `x`; its length if there is none.
pub fn first_at_least<'s>(b: &'s ExprBuilder<'_>, array: &View, x: Expr<'s>) -> Expr<'s> {
    let zero = b.i32(0);
    let size = b.expr(array.extent(&mut b.builder(), 0));
    // The answer lies between the two.
    let found = b.while_(
        &[zero, size],
        |ends| ends[0].lt(ends[1]),
        |ends| {
            let (low, high) = (ends[0], ends[1]);
            let middle = low + (high - low).floor_div(2);
            let below = array.content(b, middle).lt(x);
            [below.select(middle + 1, low), below.select(high, middle)]
        },
    );
    found[0]
}
