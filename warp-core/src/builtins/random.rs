//! Random numbers from a state of 32 bits: the building blocks of rows.
//!
//! The generator is PCG's hash of a 32 bit word (M. E. O'Neill, "PCG: A Family of Simple Fast Space-Efficient
//! Statistically Good Algorithms for Random Number Generation"): each draw replaces the state by its hash and makes a
//! number of it.

use crate::builtins::row::Call;
use crate::builtins::value::{Operand, Parts, Tree};
use crate::dtype::Scalar;
use crate::ir::{Builder, Const, Op, Value};
use smallvec::smallvec;
use std::f64::consts::TAU;

/// A uint32 constant.
pub fn word(b: &mut Builder, value: u32) -> Value {
    b.constant(Scalar::U32, Const::Int(value.into()))
}

/// A float32 constant.
pub fn float(b: &mut Builder, value: f64) -> Value {
    b.number(Scalar::F32, value)
}

/// PCG's hash of a uint32.
pub fn hash(b: &mut Builder, x: Value) -> Value {
    let [factor, step] = [747_796_405, 2_891_336_453].map(|n| word(b, n));
    let [high, four, scramble, low] = [28, 4, 277_803_737, 22].map(|n| word(b, n));
    let x = b.op(Op::Mul, &[x, factor]);
    let s = b.op(Op::Add, &[x, step]);
    let by = b.op(Op::Shr, &[s, high]);
    let by = b.op(Op::Add, &[by, four]);
    let shifted = b.op(Op::Shr, &[s, by]);
    let mixed = b.op(Op::Xor, &[shifted, s]);
    let w = b.op(Op::Mul, &[mixed, scramble]);
    let top = b.op(Op::Shr, &[w, low]);
    b.op(Op::Xor, &[top, w])
}

/// Draws 32 bits.
pub fn bits(b: &mut Builder, state: &mut Value) -> Value {
    *state = hash(b, *state);
    *state
}

/// Draws a float32 in [0, 1): a multiple of 2^-24.
pub fn uniform(b: &mut Builder, state: &mut Value) -> Value {
    let eight = word(b, 8);
    let bits = bits(b, state);
    let top = b.op(Op::Shr, &[bits, eight]);
    let top = b.cast(top, Scalar::F32);
    let unit = float(b, 1.0 / f64::from(1 << 24));
    b.op(Op::Mul, &[top, unit])
}

/// Draws an angle in [0, 2 pi).
pub fn angle(b: &mut Builder, state: &mut Value) -> Value {
    let u = uniform(b, state);
    let turn = float(b, TAU);
    b.op(Op::Mul, &[turn, u])
}

/// Draws a float32 in [low, high).
pub fn within(b: &mut Builder, state: &mut Value, low: Value, high: Value) -> Value {
    let u = uniform(b, state);
    let size = b.op(Op::Sub, &[high, low]);
    let scaled = b.op(Op::Mul, &[size, u]);
    b.op(Op::Add, &[scaled, low])
}

/// Draws from the normal distribution by the method of Box and Muller. What is added keeps the logarithm finite.
pub fn normal(b: &mut Builder, state: &mut Value) -> Value {
    let u = uniform(b, state);
    let (least, minus_two) = (float(b, 1.0 / f64::from(1 << 24)), float(b, -2.0));
    let u = b.op(Op::Add, &[u, least]);
    let log = b.op(Op::Log, &[u]);
    let square = b.op(Op::Mul, &[minus_two, log]);
    let radius = b.op(Op::Sqrt, &[square]);
    let angle = angle(b, state);
    let cos = b.op(Op::Cos, &[angle]);
    b.op(Op::Mul, &[radius, cos])
}

/// `radius * (cos angle, sin angle)`.
pub fn polar(b: &mut Builder, radius: Value, angle: Value) -> Parts {
    let cos = b.op(Op::Cos, &[angle]);
    let sin = b.op(Op::Sin, &[angle]);
    smallvec![b.op(Op::Mul, &[radius, cos]), b.op(Op::Mul, &[radius, sin])]
}

/// Draws a point of the unit sphere: the height between 1 and 1 - `heights`, then the angle about the z axis.
pub fn direction(b: &mut Builder, state: &mut Value, heights: f64) -> Parts {
    let u = uniform(b, state);
    let (one, heights) = (float(b, 1.0), float(b, heights));
    let down = b.op(Op::Mul, &[heights, u]);
    let cos = b.op(Op::Sub, &[one, down]);
    let tilt = b.op(Op::Acos, &[cos]);
    let (angle, sin) = (angle(b, state), b.op(Op::Sin, &[tilt]));
    let mut out = polar(b, sin, angle);
    out.push(b.op(Op::Cos, &[tilt]));
    out
}

/// The first place of an increasing array of float32 whose content is not below `x`; its length if there is none.
pub fn first_at_least(c: &mut Call<'_>, array: usize, x: Value) -> Value {
    let view = c.view(array);
    let size = view.extent(c.b, 0);
    let zero = c.b.i32(0);
    // The answer lies between the two.
    let found = c.b.while_(
        vec![zero, size],
        |b, ends| b.op(Op::Lt, &[ends[0], ends[1]]),
        |b, ends| {
            let (low, high) = (ends[0], ends[1]);
            let (one, two) = (b.i32(1), b.i32(2));
            let size = b.op(Op::Sub, &[high, low]);
            let half = b.op(Op::FloorDiv, &[size, two]);
            let middle = b.op(Op::Add, &[low, half]);
            let content = view
                .element(b, &[middle])
                .load(b, crate::ir::Comp::Fixed(0));
            let below = b.op(Op::Lt, &[content, x]);
            let next = b.op(Op::Add, &[middle, one]);
            let low = b.select(below, next, low);
            vec![low, b.select(below, high, middle)]
        },
    );
    found[0]
}

/// A uint32 as the new value of a `ref` parameter.
pub fn state(value: Value) -> Tree {
    Tree::Elem(Operand::scalar(Scalar::U32, value))
}
