//! Spatial vectors: six components, the angular part first. Source: Featherstone, Rigid Body Dynamics Algorithms (2008).

use crate::builtins::formula::algebra;
use crate::builtins::signature::call::Call;
use crate::builtins::signature::row::Row;
use crate::builtins::table::facts::{UNIT, halves, is};
use crate::builtins::table::overload::overload;
use crate::builtins::table::quaternion::sandwich;
use crate::builtins::value::Tree;
use crate::error::Result;
use crate::ir::Exprs;
use crate::ir::expr::vector::{add, cross, dot};

const GROUP: &str = "Spatial vectors";

/// A spatial vector of its angular and linear parts.
fn joined<'s>(c: &Call<'s>, mut angular: Exprs<'s>, linear: Exprs<'s>) -> Tree {
    angular.extend(linear);
    c.vector(angular)
}

fn spatial_cross(c: &mut Call<'_>) -> Result<Tree> {
    let (x, y) = (c.parts(0), c.parts(1));
    let linear = add(&cross(&x[3..], &y[..3]), &cross(&x[..3], &y[3..]));
    Ok(joined(c, cross(&x[..3], &y[..3]), linear))
}

fn spatial_cross_dual(c: &mut Call<'_>) -> Result<Tree> {
    let (x, y) = (c.parts(0), c.parts(1));
    let angular = add(&cross(&x[..3], &y[..3]), &cross(&x[3..], &y[3..]));
    Ok(joined(c, angular, cross(&x[..3], &y[3..])))
}

fn adjoint(c: &mut Call<'_>) -> Result<Tree> {
    let (r, s) = (c.parts(0), c.parts(1));
    let zero = c.number(0, 0.0);
    let cell = |i: usize| match (i / 6, i % 6) {
        (row @ 0..3, col @ 0..3) => r[row * 3 + col],
        (0..3, _) => zero,
        (row, col @ 0..3) => s[(row - 3) * 3 + col],
        (row, col) => r[(row - 3) * 3 + col - 3],
    };
    Ok(c.matrix(6, 6, (0..36).map(cell).collect()))
}

fn velocity(c: &mut Call<'_>) -> Result<Tree> {
    let (v, at) = (c.parts(0), c.parts(1));
    Ok(c.vector(add(&cross(&v[..3], &at), &v[3..])))
}

/// The transform's position, and the parts rotated by it.
fn rotated<'s>(c: &Call<'s>) -> [Exprs<'s>; 3] {
    let (t, x) = (c.parts(0), c.parts(1));
    let top = algebra::rotate(&t[3..], &x[..3]);
    let bottom = algebra::rotate(&t[3..], &x[3..]);
    [Exprs::from_slice(&t[..3]), top, bottom]
}

fn twist(c: &mut Call<'_>) -> Result<Tree> {
    let [position, top, bottom] = rotated(c);
    let linear = add(&bottom, &cross(&position, &top));
    Ok(joined(c, top, linear))
}

fn wrench(c: &mut Call<'_>) -> Result<Tree> {
    let [position, top, bottom] = rotated(c);
    let angular = add(&top, &cross(&position, &bottom));
    Ok(joined(c, angular, bottom))
}

fn crossed(x: &[f64], y: &[f64]) -> [f64; 3] {
    [
        x[1] * y[2] - x[2] * y[1],
        x[2] * y[0] - x[0] * y[2],
        x[0] * y[1] - x[1] * y[0],
    ]
}

fn plus(x: &[f64], y: &[f64]) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| x + y).collect()
}

pub const ROWS: &[Row] = &[
    Row {
        name: "spatial_top",
        group: GROUP,
        doc: "The angular part of a spatial vector: its first three components.",
        overloads: &[overload!(
            "(svec: vec(6, F)) -> vec(3, F)",
            |c| Ok(c.vector(Exprs::from_slice(&c.parts(0)[..3]))),
            is(UNIT, |x| x[..3].to_vec())
        )],
    },
    Row {
        name: "spatial_bottom",
        group: GROUP,
        doc: "The linear part of a spatial vector: its last three components.",
        overloads: &[overload!(
            "(svec: vec(6, F)) -> vec(3, F)",
            |c| Ok(c.vector(Exprs::from_slice(&c.parts(0)[3..]))),
            is(UNIT, |x| x[3..].to_vec())
        )],
    },
    Row {
        name: "spatial_dot",
        group: GROUP,
        doc: "Inner product of two spatial vectors.",
        overloads: &[overload!(
            "(a: vec(6, F), b: vec(6, F)) -> F",
            |c| Ok(c.tree(dot(&c.parts(0), &c.parts(1)))),
            is(UNIT, |x| {
                let (a, b) = halves(x);
                vec![a.iter().zip(b).map(|(a, b)| a * b).sum()]
            })
        )],
    },
    Row {
        name: "spatial_cross",
        group: GROUP,
        doc: "How a motion b changes that moves with a: (wa x wb, va x wb + wa x vb).",
        overloads: &[overload!(
            "(a: vec(6, F), b: vec(6, F)) -> vec(6, F)",
            spatial_cross,
            is(UNIT, |x| {
                let (a, b) = halves(x);
                let mut out = crossed(a, b).to_vec();
                out.extend(plus(&crossed(&a[3..], b), &crossed(a, &b[3..])));
                out
            })
        )],
    },
    Row {
        name: "spatial_cross_dual",
        group: GROUP,
        doc: "How a force b changes that moves with a: (wa x wb + va x vb, wa x vb).",
        overloads: &[overload!(
            "(a: vec(6, F), b: vec(6, F)) -> vec(6, F)",
            spatial_cross_dual,
            is(UNIT, |x| {
                let (a, b) = halves(x);
                let mut out = plus(&crossed(a, b), &crossed(&a[3..], &b[3..]));
                out.extend(crossed(a, &b[3..]));
                out
            })
        )],
    },
    Row {
        name: "spatial_adjoint",
        group: GROUP,
        doc: "The 6 x 6 matrix with r in both diagonal blocks, s below and 0 above.",
        overloads: &[overload!(
            "(r: mat(3, 3, F), s: mat(3, 3, F)) -> mat(6, 6, F)",
            adjoint,
            is(UNIT, |x| {
                let mut out = vec![0.0; 36];
                for i in 0..9 {
                    let (row, col) = (i / 3, i % 3);
                    out[row * 6 + col] = x[i];
                    out[(row + 3) * 6 + col + 3] = x[i];
                    out[(row + 3) * 6 + col] = x[9 + i];
                }
                out
            })
        )],
    },
    Row {
        name: "velocity_at_point",
        group: GROUP,
        doc: "Velocity of the point at r of a body that moves with the spatial velocity qd: w x r + v.",
        overloads: &[overload!(
            "(qd: vec(6, F), r: vec(3, F)) -> vec(3, F)",
            velocity,
            is(UNIT, |x| plus(&crossed(x, &x[6..]), &x[3..6]))
        )],
    },
    Row {
        name: "transform_twist",
        group: GROUP,
        doc: "A spatial velocity in the frame that a transform leads to: (R w, R v + p x R w).",
        overloads: &[overload!(
            "(t: transform(F), x: vec(6, F)) -> vec(6, F)",
            twist,
            is(UNIT, |x| {
                let turned = |v: &[f64]| sandwich(&x[3..7], v);
                let (top, bottom) = (turned(&x[7..10]), turned(&x[10..13]));
                let mut out = top.clone();
                out.extend(plus(&bottom, &crossed(&x[..3], &top)));
                out
            })
        )],
    },
    Row {
        name: "transform_wrench",
        group: GROUP,
        doc: "A spatial force in the frame that a transform leads to: (R w + p x R v, R v).",
        overloads: &[overload!(
            "(t: transform(F), x: vec(6, F)) -> vec(6, F)",
            wrench,
            is(UNIT, |x| {
                let turned = |v: &[f64]| sandwich(&x[3..7], v);
                let (top, bottom) = (turned(&x[7..10]), turned(&x[10..13]));
                let mut out = plus(&top, &crossed(&x[..3], &bottom));
                out.extend(bottom);
                out
            })
        )],
    },
];
