//! Random numbers.

use crate::builtins::formula::poisson::poisson;
use crate::builtins::formula::random::{
    angle, bits, direction, first_at_least, hash, normal, polar, uniform, within,
};
use crate::builtins::signature::call::Call;
use crate::builtins::signature::row::{Expand, Overload, Row};
use crate::builtins::table::facts::exempt;
use crate::builtins::value::Tree;
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::ir::expr::vector::{map, scaled};
use crate::ir::primitive::Facts;
use crate::ir::{Expr, Exprs};
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

/// What `draw` makes of the state that is the first argument, which gets its new value.
fn drawn<'s, T>(c: &mut Call<'s>, draw: impl FnOnce(&mut Expr<'s>) -> T) -> T {
    let mut state = c.value(0);
    let out = draw(&mut state);
    c.args[0] = c.tree(state);
    out
}

/// A number drawn with the state that is the first argument.
fn number(c: &mut Call<'_>, draw: for<'s> fn(&mut Expr<'s>) -> Expr<'s>) -> Result<Tree> {
    let value = drawn(c, draw);
    Ok(c.tree(value))
}

/// A vector drawn with the state that is the first argument.
fn vector(c: &mut Call<'_>, draw: for<'s> fn(&mut Expr<'s>) -> Exprs<'s>) -> Result<Tree> {
    let parts = drawn(c, draw);
    Ok(c.vector(parts))
}

/// 32 random bits brought to [low, high) by the remainder.
fn whole(c: &mut Call<'_>) -> Result<Tree> {
    let [low, high] = [1, 2].map(|i| c.value(i).cast(Scalar::U32));
    let value = drawn(c, bits) % (high - low) + low;
    Ok(c.tree(value.cast(c.scalar(1))))
}

fn rand_init(c: &mut Call<'_>) -> Result<Tree> {
    let mut seed = c.value(0).cast(Scalar::U32);
    if c.args.len() > 1 {
        seed = seed + hash(c.value(1).cast(Scalar::U32));
    }
    Ok(c.tree(hash(seed)))
}

fn triangle<'s>(s: &mut Expr<'s>) -> Exprs<'s> {
    let root = uniform(s).sqrt();
    smallvec![1.0 - root, uniform(s) * root]
}

fn ring<'s>(s: &mut Expr<'s>) -> Exprs<'s> {
    let angle = angle(s);
    smallvec![angle.cos(), angle.sin()]
}

fn disk<'s>(s: &mut Expr<'s>) -> Exprs<'s> {
    let radius = uniform(s).sqrt();
    polar(radius, angle(s))
}

/// `n` numbers in [-0.5, 0.5).
fn centered<'s>(s: &mut Expr<'s>, n: usize) -> Exprs<'s> {
    let draws: Exprs<'s> = (0..n).map(|_| uniform(s)).collect();
    let half = draws[0].number(0.5);
    map(&draws, |u| u - half)
}

/// A direction and a radius: a point within the unit sphere.
fn ball<'s>(s: &mut Expr<'s>, heights: f64) -> Exprs<'s> {
    let direction = direction(s, heights);
    scaled(&direction, uniform(s).cbrt())
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
    let u = drawn(c, uniform);
    Ok(c.tree(first_at_least(c.b, &view, u)))
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
            let bits = drawn(c, bits);
            Ok(c.tree(bits.cast(Scalar::I32)))
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
            let (low, high) = (c.value(1), c.value(2));
            let value = drawn(c, |state| within(state, low, high));
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
            let [value, state] = poisson(c.b, c.value(0), c.value(1));
            c.args[0] = c.tree(state);
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
        ["(state: ref(uint32)) -> vec(3, float32)" => |c| vector(c, |s| direction(s, 2.0))],
        "A random point on the sphere of radius 1."
    ),
    row!(
        "sample_unit_sphere",
        ["(state: ref(uint32)) -> vec(3, float32)" => |c| vector(c, |s| ball(s, 2.0))],
        "A random point in the ball of radius 1."
    ),
    row!(
        "sample_unit_hemisphere_surface",
        ["(state: ref(uint32)) -> vec(3, float32)" => |c| vector(c, |s| direction(s, 1.0))],
        "A random point on the half of the unit sphere with z >= 0."
    ),
    row!(
        "sample_unit_hemisphere",
        ["(state: ref(uint32)) -> vec(3, float32)" => |c| vector(c, |s| ball(s, 1.0))],
        "A random point in the half of the unit ball with z >= 0."
    ),
    row!(
        "sample_unit_square",
        ["(state: ref(uint32)) -> vec(2, float32)" => |c| vector(c, |s| centered(s, 2))],
        "A random point in the square [-0.5, 0.5) x [-0.5, 0.5)."
    ),
    row!(
        "sample_unit_cube",
        ["(state: ref(uint32)) -> vec(3, float32)" => |c| vector(c, |s| centered(s, 3))],
        "A random point in the cube [-0.5, 0.5) x [-0.5, 0.5) x [-0.5, 0.5)."
    ),
];
