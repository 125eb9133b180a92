//! Random numbers.

use crate::builtins::poisson::poisson;
use crate::builtins::random::{
    angle, bits, direction, first_at_least, float, hash, normal, polar, state, uniform, within,
};
use crate::builtins::row::{Call, Expand, Overload, Row};
use crate::builtins::table::facts::exempt;
use crate::builtins::value::{Parts, Tree};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::ir::primitive::Facts;
use crate::ir::{Builder, Op, Value};
use crate::ty::Elem;
use smallvec::smallvec;

const GROUP: &str = "Random numbers";

const DRAWN: Facts = exempt("has a state: tests/python/language/builtins/test_random_numbers.py");

/// A row with overloads of a signature and an expansion each.
macro_rules! row {
    ($name:literal, [$($sig:literal => $expand:expr),+], $doc:literal) => {
        Row {
            name: $name,
            group: GROUP,
            doc: $doc,
            overloads: &[$(Overload { sig: $sig, expand: Expand::By($expand), facts: DRAWN }),+],
        }
    };
}

/// A number drawn with the state that is the first argument.
fn number(c: &mut Call<'_>, draw: fn(&mut Builder, &mut Value) -> Value) -> Result<Tree> {
    let mut s = c.value(0);
    let value = draw(c.b, &mut s);
    c.args[0] = state(s);
    Ok(c.tree(value))
}

/// A vector drawn with the state that is the first argument.
fn vector(c: &mut Call<'_>, draw: fn(&mut Builder, &mut Value) -> Parts) -> Result<Tree> {
    let mut s = c.value(0);
    let parts = draw(c.b, &mut s);
    c.args[0] = state(s);
    Ok(c.vector(parts))
}

/// 32 random bits brought to [low, high) by the remainder.
fn whole(c: &mut Call<'_>) -> Result<Tree> {
    let mut s = c.value(0);
    let ty = c.scalar(1);
    let [low, high] = [1, 2].map(|i| c.b.cast(c.value(i), Scalar::U32));
    let bits = bits(c.b, &mut s);
    let size = c.b.op(Op::Sub, &[high, low]);
    let rest = c.b.op(Op::Mod, &[bits, size]);
    let value = c.b.op(Op::Add, &[rest, low]);
    let value = c.b.cast(value, ty);
    c.args[0] = state(s);
    Ok(c.tree(value))
}

fn rand_init(c: &mut Call<'_>) -> Result<Tree> {
    let mut seed = c.b.cast(c.value(0), Scalar::U32);
    if c.args.len() > 1 {
        let offset = c.b.cast(c.value(1), Scalar::U32);
        let offset = hash(c.b, offset);
        seed = c.b.op(Op::Add, &[seed, offset]);
    }
    let value = hash(c.b, seed);
    Ok(c.tree(value))
}

fn triangle(b: &mut Builder, s: &mut Value) -> Parts {
    let u = uniform(b, s);
    let r = b.op(Op::Sqrt, &[u]);
    let one = float(b, 1.0);
    let first = b.op(Op::Sub, &[one, r]);
    let u = uniform(b, s);
    smallvec![first, b.op(Op::Mul, &[u, r])]
}

fn ring(b: &mut Builder, s: &mut Value) -> Parts {
    let angle = angle(b, s);
    smallvec![b.op(Op::Cos, &[angle]), b.op(Op::Sin, &[angle])]
}

fn disk(b: &mut Builder, s: &mut Value) -> Parts {
    let u = uniform(b, s);
    let radius = b.op(Op::Sqrt, &[u]);
    let angle = angle(b, s);
    polar(b, radius, angle)
}

/// `n` numbers in [-0.5, 0.5).
fn centered(b: &mut Builder, s: &mut Value, n: usize) -> Parts {
    let half = float(b, 0.5);
    let mut next = || {
        let u = uniform(b, s);
        b.op(Op::Sub, &[u, half])
    };
    (0..n).map(|_| next()).collect()
}

/// A direction and a radius: a point within the unit sphere.
fn ball(b: &mut Builder, s: &mut Value, heights: f64) -> Parts {
    let direction = direction(b, s, heights);
    let u = uniform(b, s);
    let radius = b.op(Op::Cbrt, &[u]);
    direction
        .iter()
        .map(|x| b.op(Op::Mul, &[*x, radius]))
        .collect()
}

fn sample_cdf(c: &mut Call<'_>) -> Result<Tree> {
    let view = c.view(1);
    if view.elem != Elem::Scalar(Scalar::F32) || view.ndim != 1 {
        let what = format!(
            "`sample_cdf` takes an array of float32 with one dimension, this is {}",
            c.args[1].ty()
        );
        return Err(Error::at(Code::Type, c.spans[1], what));
    }
    let mut s = c.value(0);
    let u = uniform(c.b, &mut s);
    c.args[0] = state(s);
    let value = first_at_least(c, 1, u);
    Ok(c.tree(value))
}

pub const ROWS: &[Row] = &[
    row!(
        "rand_init",
        ["(seed: int32) -> uint32" => rand_init, "(seed: int32, offset: int32) -> uint32" => rand_init],
        "The state of a random number generator, a uint32. Threads draw different numbers if each gives its index as \
         `offset`. Every draw gives the state another value, in the variable of the caller."
    ),
    row!(
        "randi",
        ["(state: ref(uint32)) -> int32" => |c| {
            let mut s = c.value(0);
            let bits = bits(c.b, &mut s);
            c.args[0] = state(s);
            let value = c.b.cast(bits, Scalar::I32);
            Ok(c.tree(value))
        }, "(state: ref(uint32), low: int32, high: int32) -> int32" => whole],
        "A random integer: any int32, or one in [low, high)."
    ),
    row!(
        "randu",
        ["(state: ref(uint32)) -> uint32" => |c| number(c, bits),
         "(state: ref(uint32), low: uint32, high: uint32) -> uint32" => whole],
        "A random unsigned integer: any uint32, or one in [low, high)."
    ),
    row!(
        "randf",
        ["(state: ref(uint32)) -> float32" => |c| number(c, uniform),
         "(state: ref(uint32), low: float32, high: float32) -> float32" => |c| {
            let mut s = c.value(0);
            let value = within(c.b, &mut s, c.value(1), c.value(2));
            c.args[0] = state(s);
            Ok(c.tree(value))
        }],
        "A random float in [0, 1), or in [low, high). With a gradient by low and high."
    ),
    row!(
        "randn",
        ["(state: ref(uint32)) -> float32" => |c| number(c, normal)],
        "A random float of the normal distribution with mean 0 and variance 1. Two draws."
    ),
    row!(
        "sample_cdf",
        ["(state: ref(uint32), cdf: array) -> int32" => sample_cdf],
        "A random index of a cumulative distribution, an array of increasing float32: the first one whose content is not \
         below a random number in [0, 1); the length of the array if there is none."
    ),
    row!(
        "poisson",
        ["(state: ref(uint32), lam: float32) -> uint32" => |c| {
            let [value, s] = poisson(c.b, c.value(0), c.value(1));
            c.args[0] = state(s);
            Ok(c.tree(value))
        }],
        "A random number of the Poisson distribution with mean `lam`: how often something happens that happens `lam` \
         times on average. How many draws it takes depends on them."
    ),
    row!(
        "sample_triangle",
        ["(state: ref(uint32)) -> vec(2, float32)" => |c| vector(c, triangle)],
        "Two barycentric coordinates of a random point of a triangle; the third is 1 minus both."
    ),
    row!(
        "sample_unit_ring",
        ["(state: ref(uint32)) -> vec(2, float32)" => |c| vector(c, ring)],
        "A random point on the circle of radius 1."
    ),
    row!(
        "sample_unit_disk",
        ["(state: ref(uint32)) -> vec(2, float32)" => |c| vector(c, disk)],
        "A random point in the disk of radius 1."
    ),
    row!(
        "sample_unit_sphere_surface",
        ["(state: ref(uint32)) -> vec(3, float32)" => |c| vector(c, |b, s| direction(b, s, 2.0))],
        "A random point on the sphere of radius 1."
    ),
    row!(
        "sample_unit_sphere",
        ["(state: ref(uint32)) -> vec(3, float32)" => |c| vector(c, |b, s| ball(b, s, 2.0))],
        "A random point in the ball of radius 1."
    ),
    row!(
        "sample_unit_hemisphere_surface",
        ["(state: ref(uint32)) -> vec(3, float32)" => |c| vector(c, |b, s| direction(b, s, 1.0))],
        "A random point on the half of the unit sphere with z >= 0."
    ),
    row!(
        "sample_unit_hemisphere",
        ["(state: ref(uint32)) -> vec(3, float32)" => |c| vector(c, |b, s| ball(b, s, 1.0))],
        "A random point in the half of the unit ball with z >= 0."
    ),
    row!(
        "sample_unit_square",
        ["(state: ref(uint32)) -> vec(2, float32)" => |c| vector(c, |b, s| centered(b, s, 2))],
        "A random point in the square [-0.5, 0.5) x [-0.5, 0.5)."
    ),
    row!(
        "sample_unit_cube",
        ["(state: ref(uint32)) -> vec(3, float32)" => |c| vector(c, |b, s| centered(b, s, 3))],
        "A random point in the cube [-0.5, 0.5) x [-0.5, 0.5) x [-0.5, 0.5)."
    ),
];
