//! Rotations as quaternions: angles about coordinate axes, twists, and the shortest rotation between directions.

use super::quaternion::{GROUP, about};
use crate::builtins::formula::algebra;
use crate::builtins::signature::call::Call;
use crate::builtins::signature::row::Row;
use crate::builtins::table::facts::{UNIT, is};
use crate::builtins::table::operator::quat_mul;
use crate::builtins::table::overload::overload;
use crate::builtins::value::Tree;
use crate::dtype::Scalar;
use crate::error::Result;
use crate::ir::expr::vector::{cross, dot, neg, scaled, select, square};
use crate::ir::{Const, Expr, Exprs};
use std::f64::consts::FRAC_PI_2;

/// One of three values by the number of an axis; what is not 0 or 1 counts as 2.
fn along<'s>(values: &[Expr<'s>], axis: Expr<'s>) -> Expr<'s> {
    if let Some(Const::Int(n)) = axis.as_const() {
        return values[usize::try_from(n).unwrap_or(2).min(2)];
    }
    let (x, y) = (axis.eq(0), axis.eq(1));
    x.select(values[0], y.select(values[1], values[2]))
}

/// The three values by the axes that they belong to, in the order x, y, z.
fn by_axis<'s>(values: [Expr<'s>; 3], [i, j]: [Expr<'s>; 2]) -> Exprs<'s> {
    let component = |axis: f64| {
        let axis = i.number(axis);
        let (first, second) = (i.eq(axis), j.eq(axis));
        first.select(values[0], second.select(values[1], values[2]))
    };
    [0.0, 1.0, 2.0].into_iter().map(component).collect()
}

/// About axis i, then j, then k, each by its own component of e.
fn from_euler(c: &mut Call<'_>) -> Result<Tree> {
    let e = c.parts(0);
    let axes = [c.value(1), c.value(2), c.value(3)];
    let [zero, one] = e[0].numbers([0.0, 1.0]);
    let units = [[one, zero, zero], [zero, one, zero], [zero, zero, one]];
    let turns = axes.map(|axis| {
        let angle = along(&e, axis);
        let direction = units.map(|unit| along(&unit, axis));
        algebra::quat_from_axis_angle(&direction, angle)
    });
    let first = algebra::quat_mul(&turns[1], &turns[0]);
    Ok(c.quat(algebra::quat_mul(&turns[2], &first)))
}

/// How near the middle angle may come to where the outer two turn about one axis.
const LOCK: f64 = 1e-6;

/// The direct conversion of a quaternion to the angles of any sequence (Bernardes and Viollet, 2022).
fn to_euler(c: &mut Call<'_>) -> Result<Tree> {
    let q = c.parts(0);
    let (i, j, k) = (c.value(1), c.value(2), c.value(3));
    // The third axis of a sequence that comes back to its first is the one that is left.
    let left = c.b.i32(3) - (i + j);
    let proper = i.eq(k);
    let [zero, two] = q[0].numbers([0.0, 2.0]);
    let (side, w) = (&q[..3], q[3]);
    let (x, y, z) = (along(side, i), along(side, j), along(side, left));
    // i, j, left are in the order of x, y, z, or in the opposite one.
    let even = j.eq(i + 1) | j.eq(i - 2);
    let z = even.select(z, -z);
    let a = proper.select(w, w - y);
    let p = proper.select(x, x + z);
    let s = proper.select(y, y + w);
    let d = proper.select(z, z - x);
    let (far, near) = (algebra::length(&[s, d]), algebra::length(&[a, p]));
    let middle = two * far.atan2(near);
    let (sum, difference) = (p.atan2(a), d.atan2(s));
    // Where the outer angles turn about one axis the last one is all of it.
    let lock = far.number(LOCK);
    let (low, high) = (far.lt(lock), near.lt(lock));
    let locked = low | high;
    let all = two * low.select(sum, difference);
    let first = locked.select(zero, sum - difference);
    let last = locked.select(all, sum + difference);
    let last = (even | proper).select(last, -last);
    let middle = proper.select(middle, middle - FRAC_PI_2);
    Ok(c.vector(by_axis([first, middle, last], [i, j])))
}

/// The length along the axis of the vector part of q, which the twist keeps.
fn share_along<'s>(c: &Call<'s>) -> Expr<'s> {
    dot(&c.parts(0), &c.parts(1)[..3])
}

fn twist(c: &mut Call<'_>) -> Result<Tree> {
    let mut q = scaled(&c.parts(0), share_along(c));
    q.push(c.parts(1)[3]);
    Ok(c.quat(algebra::normalize_quat(&q)))
}

/// Twice the angle between w and the vector part.
fn twice_atan2<'s>(c: &Call<'s>, side: Expr<'s>) -> Tree {
    c.tree(2.0 * side.atan2(c.parts(1)[3]))
}

fn twist_angle(c: &mut Call<'_>) -> Result<Tree> {
    let side = scaled(&c.parts(0), share_along(c));
    Ok(twice_atan2(c, algebra::length(&side)))
}

fn twist_angle_signed(c: &mut Call<'_>) -> Result<Tree> {
    Ok(twice_atan2(c, share_along(c)))
}

/// The half-way quaternion `(a x b, |a| |b| + a . b)`. Of opposite vectors that is 0: a half turn about any axis across.
fn between_vectors(c: &mut Call<'_>) -> Result<Tree> {
    let (x, y) = (c.parts(0), c.parts(1));
    let squares = square(&x) * square(&y);
    let mut q = cross(&x, &y);
    q.push(squares.norm() + dot(&x, &y));
    let least = nearly_opposite(squares.ty()).powi(2) * squares;
    let opposite = square(&q).le(least);
    let zero = squares.number(0.0);
    let wide = x[0].abs().gt(x[2].abs());
    let minus = neg(&x);
    let across = [
        wide.select(minus[1], zero),
        wide.select(x[0], minus[2]),
        wide.select(zero, x[1]),
        zero,
    ];
    let q = select(opposite, &across, &q);
    Ok(c.quat(algebra::normalize_quat(&q)))
}

/// How near to opposite two directions may come: closer than about the root of a unit in the last place, rounding
/// moves the axis further than the two are from opposite.
fn nearly_opposite(ty: Scalar) -> f64 {
    match ty {
        Scalar::F64 => 1e-8,
        Scalar::F16 => 3e-2,
        _ if ty.is_narrow() => 1e-1,
        _ => 3e-4,
    }
}

/// Rotation about coordinate axis n.
fn turn(n: f64, angle: f64) -> Vec<f64> {
    let mut axis = [0.0; 3];
    axis[n as usize] = 1.0;
    about(&axis, angle)
}

fn unit(q: &[f64]) -> Vec<f64> {
    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    q.iter().map(|x| x / length).collect()
}

fn share(x: &[f64]) -> f64 {
    (0..3).map(|i| x[i] * x[3 + i]).sum()
}

/// Away from where the gradient of the quaternion's share along the axis has a kink.
const ACROSS: &[(f64, f64)] = &[(0.2, 1.0), (0.2, 1.0)];

/// Axes 0, 1, 2 and quaternions away from the poles.
const TAIT_BRYAN: &[(f64, f64)] = &[(-0.4, 0.4), (0.0, 0.0), (1.0, 1.0), (2.0, 2.0)];

pub const ROWS: &[Row] = &[
    Row {
        name: "quat_from_euler",
        group: GROUP,
        doc: "Rotation about axis i, then j, then k (0, 1, 2 for x, y, z), each by its own component of e.",
        overloads: &[overload!(
            "(e: vec(3, F), i: int32, j: int32, k: int32) -> quat(F)",
            from_euler,
            is(&[(-2.0, 2.0), (0.0, 2.0), (0.0, 2.0), (0.0, 2.0)], |x| {
                let turns: Vec<_> = x[3..].iter().map(|n| turn(*n, x[*n as usize])).collect();
                quat_mul(&turns[2], &quat_mul(&turns[1], &turns[0]))
            })
        )],
    },
    Row {
        name: "quat_to_euler",
        group: GROUP,
        doc: "The angles about axes i, then j, then k that make the rotation, as `quat_from_euler` takes them: each \
              in the component of its axis. Where k is i again, the last angle stands in the component of the axis \
              that is left. Where the first and the last turn about one axis, the first is 0.",
        overloads: &[overload!(
            "(q: quat(F), i: int32, j: int32, k: int32) -> vec(3, F)",
            to_euler,
            is(TAIT_BRYAN, |x| {
                // The half sum and the half difference of roll and yaw; the pitch by its sine.
                let q = unit(&x[..4]);
                let [x, y, z, w] = [q[0], q[1], q[2], q[3]];
                let (sum, difference) = ((x + z).atan2(w - y), (z - x).atan2(w + y));
                vec![
                    sum - difference,
                    (2.0 * (w * y - z * x)).asin(),
                    sum + difference,
                ]
            })
        )],
    },
    Row {
        name: "quat_twist",
        group: GROUP,
        doc: "The part of a rotation that turns about an axis, which must have length 1.",
        overloads: &[overload!(
            "(axis: vec(3, F), q: quat(F)) -> quat(F)",
            twist,
            is(UNIT, |x| {
                let s = share(x);
                unit(&[s * x[0], s * x[1], s * x[2], x[6]])
            })
        )],
    },
    Row {
        name: "quat_twist_angle",
        group: GROUP,
        doc: "The angle of `quat_twist`, from 0 to 2 pi.",
        overloads: &[overload!(
            "(axis: vec(3, F), q: quat(F)) -> F",
            twist_angle,
            is(ACROSS, |x| {
                let length = (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]).sqrt();
                let side = share(x).abs() * length;
                vec![2.0 * (x[6] / side.hypot(x[6])).acos()]
            })
        )],
    },
    Row {
        name: "quat_twist_angle_signed",
        group: GROUP,
        doc: "The angle by which `quat_twist` turns about the axis, from -2 pi to 2 pi.",
        overloads: &[overload!(
            "(axis: vec(3, F), q: quat(F)) -> F",
            twist_angle_signed,
            is(UNIT, |x| vec![2.0 * share(x).atan2(x[6])])
        )],
    },
    Row {
        name: "quat_between_vectors",
        group: GROUP,
        doc: "The shortest rotation that turns the direction of a into that of b; of opposite vectors a half turn about \
              an axis across them.",
        overloads: &[overload!(
            "(a: vec(3, F), b: vec(3, F)) -> quat(F)",
            between_vectors,
            is(UNIT, |x| {
                let (a, b) = (unit(&x[..3]), unit(&x[3..]));
                let inner: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
                let cross = [
                    a[1] * b[2] - a[2] * b[1],
                    a[2] * b[0] - a[0] * b[2],
                    a[0] * b[1] - a[1] * b[0],
                ];
                about(&unit(&cross), inner.clamp(-1.0, 1.0).acos())
            })
        )],
    },
];
