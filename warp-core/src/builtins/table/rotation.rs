//! Rotations as quaternions: angles about coordinate axes, twists, and the shortest rotation between directions.

use super::quaternion::{GROUP, about};
use crate::builtins::algebra;
use crate::builtins::row::{Call, Row};
use crate::builtins::table::facts::{UNIT, is};
use crate::builtins::table::operator::quat_mul;
use crate::builtins::table::overload::overload;
use crate::builtins::value::{Parts, Tree};
use crate::dtype::Scalar;
use crate::error::Result;
use crate::ir::{Builder, Const, Op, Value};
use std::f64::consts::FRAC_PI_2;

/// One of three values by the number of an axis; what is not 0 or 1 counts as 2.
fn along(b: &mut Builder, values: &[Value], axis: Value) -> Value {
    if let Some(Const::Int(n)) = b.as_const(axis) {
        return values[usize::try_from(n).unwrap_or(2).min(2)];
    }
    let (zero, one) = (b.i32(0), b.i32(1));
    let (x, y) = (b.op(Op::Eq, &[axis, zero]), b.op(Op::Eq, &[axis, one]));
    let rest = b.select(y, values[1], values[2]);
    b.select(x, values[0], rest)
}

/// The three values by the axes that they belong to, in the order x, y, z.
fn by_axis(b: &mut Builder, values: [Value; 3], [i, j]: [Value; 2]) -> Parts {
    (0..3)
        .map(|axis| {
            let axis = b.i32(axis);
            let (first, second) = (b.op(Op::Eq, &[i, axis]), b.op(Op::Eq, &[j, axis]));
            let rest = b.select(second, values[1], values[2]);
            b.select(first, values[0], rest)
        })
        .collect()
}

/// About axis i, then j, then k, each by its own component of e.
fn from_euler(c: &mut Call<'_>) -> Result<Tree> {
    let e = c.parts(0);
    let ty = c.scalar(0);
    let axes = [c.value(1), c.value(2), c.value(3)];
    let b = &mut *c.b;
    let (zero, one) = (b.number(ty, 0.0), b.number(ty, 1.0));
    let turns = axes.map(|axis| {
        let angle = along(b, &e, axis);
        let units = [[one, zero, zero], [zero, one, zero], [zero, zero, one]];
        let direction: Parts = (0..3)
            .map(|i| along(b, &units.map(|unit| unit[i]), axis))
            .collect();
        algebra::quat_from_axis_angle(b, &direction, angle)
    });
    let first = algebra::quat_mul(b, &turns[1], &turns[0]);
    let parts = algebra::quat_mul(b, &turns[2], &first);
    Ok(c.quat(parts))
}

/// How near the middle angle may come to where the outer two turn about one axis.
const LOCK: f64 = 1e-6;

/// The direct conversion of a quaternion to the angles of any sequence (Bernardes and Viollet, 2022).
fn to_euler(c: &mut Call<'_>) -> Result<Tree> {
    let q = c.parts(0);
    let ty = c.scalar(0);
    let (i, j, k) = (c.value(1), c.value(2), c.value(3));
    let b = &mut *c.b;
    // The third axis of a sequence that comes back to its first is the one that is left.
    let three = b.i32(3);
    let others = b.op(Op::Add, &[i, j]);
    let left = b.op(Op::Sub, &[three, others]);
    let proper = b.op(Op::Eq, &[i, k]);
    let (zero, half_pi) = (b.number(ty, 0.0), b.number(ty, FRAC_PI_2));
    let (two, w) = (b.number(ty, 2.0), q[3]);
    let (x, y, z) = (
        along(b, &q[..3], i),
        along(b, &q[..3], j),
        along(b, &q[..3], left),
    );
    // i, j, left are in the order of x, y, z, or in the opposite one.
    let one = b.i32(1);
    let two_axes = b.i32(2);
    let next = b.op(Op::Add, &[i, one]);
    let before = b.op(Op::Sub, &[i, two_axes]);
    let (up, wraps) = (b.op(Op::Eq, &[j, next]), b.op(Op::Eq, &[j, before]));
    let even = b.op(Op::Or, &[up, wraps]);
    let turned = b.op(Op::Neg, &[z]);
    let z = b.select(even, z, turned);
    let [wy, xz, yw, zx] = [
        b.op(Op::Sub, &[w, y]),
        b.op(Op::Add, &[x, z]),
        b.op(Op::Add, &[y, w]),
        b.op(Op::Sub, &[z, x]),
    ];
    let [a, p, s, d] = [[w, wy], [x, xz], [y, yw], [z, zx]]
        .map(|[of_proper, other]| b.select(proper, of_proper, other));
    let (far, near) = (algebra::length(b, &[s, d]), algebra::length(b, &[a, p]));
    let half = b.op(Op::Atan2, &[far, near]);
    let middle = b.op(Op::Mul, &[two, half]);
    let (sum, difference) = (b.op(Op::Atan2, &[p, a]), b.op(Op::Atan2, &[d, s]));
    let (first, last) = (
        b.op(Op::Sub, &[sum, difference]),
        b.op(Op::Add, &[sum, difference]),
    );
    // Where the outer angles turn about one axis the last one is all of it.
    let lock = b.number(ty, LOCK);
    let (low, high) = (b.op(Op::Lt, &[far, lock]), b.op(Op::Lt, &[near, lock]));
    let locked = b.op(Op::Or, &[low, high]);
    let one_sided = b.select(low, sum, difference);
    let all = b.op(Op::Mul, &[two, one_sided]);
    let first = b.select(locked, zero, first);
    let last = b.select(locked, all, last);
    let opposite = b.op(Op::Neg, &[last]);
    let straight = b.op(Op::Or, &[even, proper]);
    let last = b.select(straight, last, opposite);
    let shifted = b.op(Op::Sub, &[middle, half_pi]);
    let middle = b.select(proper, middle, shifted);
    let parts = by_axis(b, [first, middle, last], [i, j]);
    Ok(c.vector(parts))
}

/// The vector part of q along the axis, whose length the twist keeps.
fn twist_part(c: &mut Call<'_>) -> (Parts, Value) {
    let (axis, q) = (c.parts(0), c.parts(1));
    let share = algebra::dot(c.b, &axis, &q[..3]);
    (axis, share)
}

fn twist(c: &mut Call<'_>) -> Result<Tree> {
    let (axis, share) = twist_part(c);
    let mut q = algebra::each(c.b, Op::Mul, &axis, share);
    q.push(c.parts(1)[3]);
    let parts = algebra::normalize_quat(c.b, &q);
    Ok(c.quat(parts))
}

/// Twice the angle between w and the vector part.
fn twice_atan2(c: &mut Call<'_>, side: Value) -> Result<Tree> {
    let w = c.parts(1)[3];
    let half = c.b.op(Op::Atan2, &[side, w]);
    let two = c.b.number(c.scalar(0), 2.0);
    let angle = c.b.op(Op::Mul, &[two, half]);
    Ok(c.tree(angle))
}

fn twist_angle(c: &mut Call<'_>) -> Result<Tree> {
    let (axis, share) = twist_part(c);
    let side = algebra::each(c.b, Op::Mul, &axis, share);
    let side = algebra::length(c.b, &side);
    twice_atan2(c, side)
}

fn twist_angle_signed(c: &mut Call<'_>) -> Result<Tree> {
    let share = twist_part(c).1;
    twice_atan2(c, share)
}

/// The half-way quaternion `(a x b, |a| |b| + a . b)`. Of opposite vectors that is 0: a half turn about any axis across.
fn between_vectors(c: &mut Call<'_>) -> Result<Tree> {
    let (x, y) = (c.parts(0), c.parts(1));
    let ty = c.scalar(0);
    let b = &mut *c.b;
    let (xx, yy) = (algebra::dot(b, &x, &x), algebra::dot(b, &y, &y));
    let square = b.op(Op::Mul, &[xx, yy]);
    let lengths = b.op(Op::Norm, &[square]);
    let inner = algebra::dot(b, &x, &y);
    let mut q = algebra::cross(b, &x, &y);
    q.push(b.op(Op::Add, &[lengths, inner]));
    let size = algebra::dot(b, &q, &q);
    let least = b.number(ty, nearly_opposite(ty).powi(2));
    let least = b.op(Op::Mul, &[least, square]);
    let opposite = b.op(Op::Le, &[size, least]);
    let zero = b.number(ty, 0.0);
    let (wide, deep) = (b.op(Op::Abs, &[x[0]]), b.op(Op::Abs, &[x[2]]));
    let wide = b.op(Op::Gt, &[wide, deep]);
    let minus: Parts = x.iter().map(|x| b.op(Op::Neg, &[*x])).collect();
    let across = [
        b.select(wide, minus[1], zero),
        b.select(wide, x[0], minus[2]),
        b.select(wide, zero, x[1]),
        zero,
    ];
    let q: Parts = across
        .iter()
        .zip(&q)
        .map(|(across, q)| b.select(opposite, *across, *q))
        .collect();
    let parts = algebra::normalize_quat(b, &q);
    Ok(c.quat(parts))
}

/// How near to opposite two directions may come: closer than about the root of a unit in the last place, rounding
/// moves the axis further than the two are from opposite.
fn nearly_opposite(ty: Scalar) -> f64 {
    match ty {
        Scalar::F64 => 1e-8,
        Scalar::F16 => 3e-2,
        Scalar::BF16 => 1e-1,
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
