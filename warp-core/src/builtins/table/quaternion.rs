//! Quaternions (x, y, z, w).

use crate::builtins::formula::{algebra, rigid};
use crate::builtins::operation::composite::quaternion;
use crate::builtins::signature::call::Call;
use crate::builtins::signature::row::Row;
use crate::builtins::table::facts::{UNIT, exempt, halves, is};
use crate::builtins::table::operator::quat_mul;
use crate::builtins::table::overload::overload;
use crate::builtins::value::Tree;
use crate::error::Result;
use crate::ir::Exprs;
use crate::ir::expr::vector::scaled;

/// Chapter of the reference.
pub const GROUP: &str = "Quaternions";

fn identity(c: &mut Call<'_>) -> Result<Tree> {
    let ty = c.type_arg(0);
    if !ty.is_float() {
        return Err(c.error(0, &format!("is {ty}, expected a float type")));
    }
    Ok(c.quat(rigid::quat_identity(c.b, ty)))
}

fn from_axis_angle(c: &mut Call<'_>) -> Result<Tree> {
    Ok(c.quat(algebra::quat_from_axis_angle(&c.parts(0), c.value(1))))
}

fn to_axis_angle(c: &mut Call<'_>) -> Result<Tree> {
    let (axis, angle) = algebra::quat_to_axis_angle(&c.parts(0));
    let items = [c.vector(axis), c.tree(angle)];
    Ok(c.tuple(items))
}

fn write_axis_angle(c: &mut Call<'_>) -> Result<Tree> {
    let (axis, angle) = algebra::quat_to_axis_angle(&c.parts(0));
    (c.args[1], c.args[2]) = (c.vector(axis), c.tree(angle));
    Ok(Tree::None)
}

fn rotate(c: &mut Call<'_>) -> Result<Tree> {
    Ok(c.vector(algebra::rotate(&c.parts(0), &c.parts(1))))
}

fn rotate_inv(c: &mut Call<'_>) -> Result<Tree> {
    let q = algebra::conjugate(&c.parts(0));
    Ok(c.vector(algebra::rotate(&q, &c.parts(1))))
}

fn to_matrix(c: &mut Call<'_>) -> Result<Tree> {
    Ok(c.matrix(3, 3, rigid::quat_to_matrix(&c.parts(0))))
}

/// The first three rows and columns of a 4 x 4 matrix.
pub(super) fn linear<T: Copy>(m: &[T]) -> [T; 9] {
    std::array::from_fn(|i| m[i / 3 * 4 + i % 3])
}

fn from_matrix(c: &mut Call<'_>) -> Result<Tree> {
    let m = match c.parts(0) {
        m if m.len() == 16 => Exprs::from_slice(&linear(&m)),
        m => m,
    };
    Ok(c.quat(rigid::quat_from_matrix(&m)))
}

/// Roll about x, then pitch about y, then yaw about z: the product written out.
fn rpy(c: &mut Call<'_>) -> Result<Tree> {
    let half = c.number(0, 0.5);
    let [(sr, cr), (sp, cp), (sy, cy)] = [0, 1, 2].map(|i| {
        let angle = c.value(i) * half;
        (angle.sin(), angle.cos())
    });
    Ok(c.quat(Exprs::from_slice(&[
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
        cr * cp * cy + sr * sp * sy,
    ])))
}

fn to_rpy(c: &mut Call<'_>) -> Result<Tree> {
    let q = c.parts(0);
    let [x, y, z, w] = [q[0], q[1], q[2], q[3]];
    let [one, two] = w.numbers([1.0, 2.0]);
    let roll = (two * (w * x + y * z)).atan2(one - two * (x * x + y * y));
    // Rounding may lead a little beyond 1, where there is no angle.
    let sin = (two * (w * y - z * x)).max(-1.0).min(one);
    let pitch = sin.asin();
    let yaw = (two * (w * z + x * y)).atan2(one - two * (y * y + z * z));
    Ok(c.vector(Exprs::from_slice(&[roll, pitch, yaw])))
}

/// `a` times the share `t` of the rotation that leads from a to b.
///
/// Its vector part is that of the whole rotation times `sin(t h) / sin(h)` for the half angle h; the limit `t` at
/// h = 0 keeps value and gradient right where a and b are equal.
fn slerp(c: &mut Call<'_>) -> Result<Tree> {
    let (p, q, t) = (c.parts(0), c.parts(1), c.value(2));
    let between = algebra::quat_mul(&algebra::conjugate(&p), &q);
    let (side, w) = (&between[..3], between[3]);
    let [zero, one] = t.numbers([0.0, 1.0]);
    let length = algebra::length(side);
    let upright = w.abs();
    let half = length.atan2(upright) * t;
    let turns = length.ne(zero);
    let ratio = half.sin() / turns.select(length, one);
    // Where it counts w is the product of the lengths; elsewhere it may be 0.
    let limit = t / turns.select(one, upright);
    let ratio = turns.select(ratio, limit) * w.sign();
    let mut share = scaled(side, ratio);
    share.push(half.cos());
    Ok(c.quat(algebra::quat_mul(&p, &share)))
}

/// Rotation about an axis.
pub fn about(axis: &[f64], angle: f64) -> Vec<f64> {
    let sin = (0.5 * angle).sin();
    vec![
        axis[0] * sin,
        axis[1] * sin,
        axis[2] * sin,
        (0.5 * angle).cos(),
    ]
}

fn axis_angle(q: &[f64]) -> (Vec<f64>, f64) {
    let length = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2]).sqrt();
    let angle = 2.0 * (q[3].abs() / length.hypot(q[3])).acos();
    let scale = q[3].signum() / length;
    (q[..3].iter().map(|x| x * scale).collect(), angle)
}

/// `q v q*`; for quaternions that are no units `(|q|^2 - 1) v` more, as the row's formula has it.
pub(super) fn sandwich(q: &[f64], v: &[f64]) -> Vec<f64> {
    let conjugate = [-q[0], -q[1], -q[2], q[3]];
    let out = quat_mul(&quat_mul(q, &[v[0], v[1], v[2], 0.0]), &conjugate);
    let extra = q.iter().map(|x| x * x).sum::<f64>() - 1.0;
    (0..3).map(|i| out[i] + extra * v[i]).collect()
}

pub(super) fn matrix_of(q: &[f64]) -> Vec<f64> {
    let columns: Vec<Vec<f64>> = (0..3)
        .map(|i| {
            let mut axis = [0.0; 3];
            axis[i] = 1.0;
            sandwich(q, &axis)
        })
        .collect();
    (0..9).map(|i| columns[i % 3][i / 3]).collect()
}

/// Each branch written out as textbooks have it.
pub(super) fn quat_of(m: &[f64]) -> Vec<f64> {
    let trace = m[0] + m[4] + m[8];
    let q = if trace >= 0.0 {
        let s = 2.0 * (1.0 + trace).sqrt();
        [
            (m[7] - m[5]) / s,
            (m[2] - m[6]) / s,
            (m[3] - m[1]) / s,
            0.25 * s,
        ]
    } else if m[0] > m[4] && m[0] > m[8] {
        let s = 2.0 * (1.0 + m[0] - m[4] - m[8]).sqrt();
        [
            0.25 * s,
            (m[1] + m[3]) / s,
            (m[2] + m[6]) / s,
            (m[7] - m[5]) / s,
        ]
    } else if m[4] > m[8] {
        let s = 2.0 * (1.0 + m[4] - m[0] - m[8]).sqrt();
        [
            (m[1] + m[3]) / s,
            0.25 * s,
            (m[5] + m[7]) / s,
            (m[2] - m[6]) / s,
        ]
    } else {
        let s = 2.0 * (1.0 + m[8] - m[0] - m[4]).sqrt();
        [
            (m[2] + m[6]) / s,
            (m[5] + m[7]) / s,
            0.25 * s,
            (m[3] - m[1]) / s,
        ]
    };
    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    q.iter().map(|x| x / length).collect()
}

const CONSTRUCTOR: &str = "as constructors of types, which have tests of their own";

/// Away from the poles of pitch, and of length near 1.
const SMALL: &[(f64, f64)] = &[(-0.4, 0.4)];

pub const ROWS: &[Row] = &[
    Row {
        name: "quaternion",
        group: GROUP,
        doc: "A quaternion of its components, of its vector and scalar parts, of zeros, or of the components of another one, \
              converted to dtype.",
        overloads: &[
            overload!(
                "(x: F, y: F, z: F, w: F, dtype: any = none) -> quat(F)",
                quaternion,
                exempt(CONSTRUCTOR)
            ),
            overload!(
                "(ijk: vec(3, F), real: F, dtype: any = none) -> quat(F)",
                quaternion,
                exempt(CONSTRUCTOR)
            ),
            overload!(
                "(quat: quat(F), dtype: any = none) -> quat(G)",
                quaternion,
                exempt(CONSTRUCTOR)
            ),
            overload!(
                "(dtype: any = none) -> quat(F)",
                quaternion,
                exempt(CONSTRUCTOR)
            ),
        ],
    },
    Row {
        name: "quat_identity",
        group: GROUP,
        doc: "The quaternion (0, 0, 0, 1), which rotates nothing.",
        overloads: &[overload!(
            "(dtype: type = float32) -> quat(F)",
            identity,
            exempt("a constant")
        )],
    },
    Row {
        name: "quat_from_axis_angle",
        group: GROUP,
        doc: "Rotation about an axis, which must have length 1, by an angle in radians.",
        overloads: &[overload!(
            "(axis: vec(3, F), angle: F) -> quat(F)",
            from_axis_angle,
            is(UNIT, |x| about(&x[..3], x[3]))
        )],
    },
    Row {
        name: "quat_to_axis_angle",
        group: GROUP,
        doc: "Axis of length 1 and angle from 0 to pi of a rotation; of the identity both are 0. With variables for them, these \
              get the results.",
        overloads: &[
            overload!(
                "(quat: quat(F)) -> (vec(3, F), F)",
                to_axis_angle,
                is(UNIT, |q| {
                    let (mut axis, angle) = axis_angle(q);
                    axis.push(angle);
                    axis
                })
            ),
            overload!(
                "(quat: quat(F), axis: ref(vec(3, F)), angle: ref(F)) -> None",
                write_axis_angle,
                exempt("changes its arguments: tests/python/language/test_written_arguments.py")
            ),
        ],
    },
    Row {
        name: "quat_from_matrix",
        group: GROUP,
        doc: "Unit quaternion of a rotation matrix, or of the first three rows and columns of a transformation.",
        overloads: &[
            overload!(
                "(mat: mat(3, 3, F)) -> quat(F)",
                from_matrix,
                is(SMALL, quat_of)
            ),
            overload!(
                "(mat: mat(4, 4, F)) -> quat(F)",
                from_matrix,
                is(SMALL, |m| quat_of(&linear(m)))
            ),
        ],
    },
    Row {
        name: "quat_to_matrix",
        group: GROUP,
        doc: "Matrix that rotates column vectors as the quaternion does.",
        overloads: &[overload!(
            "(quat: quat(F)) -> mat(3, 3, F)",
            to_matrix,
            is(UNIT, matrix_of)
        )],
    },
    Row {
        name: "quat_rotate",
        group: GROUP,
        doc: "A vector rotated by a unit quaternion.",
        overloads: &[overload!(
            "(quat: quat(F), vec: vec(3, F)) -> vec(3, F)",
            rotate,
            is(UNIT, |x| sandwich(&x[..4], &x[4..]))
        )],
    },
    Row {
        name: "quat_rotate_inv",
        group: GROUP,
        doc: "A vector rotated by the inverse of a unit quaternion.",
        overloads: &[overload!(
            "(quat: quat(F), vec: vec(3, F)) -> vec(3, F)",
            rotate_inv,
            is(UNIT, |x| sandwich(&[-x[0], -x[1], -x[2], x[3]], &x[4..]))
        )],
    },
    Row {
        name: "quat_inverse",
        group: GROUP,
        doc: "The opposite rotation of a unit quaternion: its vector part with the other sign.",
        overloads: &[overload!(
            "(quat: quat(F)) -> quat(F)",
            |c| Ok(c.quat(algebra::conjugate(&c.parts(0)))),
            is(UNIT, |q| vec![-q[0], -q[1], -q[2], q[3]])
        )],
    },
    Row {
        name: "quat_rpy",
        group: GROUP,
        doc: "Rotation by roll about x, then pitch about y, then yaw about z, in radians.",
        overloads: &[overload!(
            "(roll: F, pitch: F, yaw: F) -> quat(F)",
            rpy,
            is(UNIT, |x| {
                let [r, p, y] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
                let pitched = quat_mul(&about(&p, x[1]), &about(&r, x[0]));
                quat_mul(&about(&y, x[2]), &pitched)
            })
        )],
    },
    Row {
        name: "quat_to_rpy",
        group: GROUP,
        doc: "Roll, pitch and yaw of a unit quaternion: what `quat_rpy` would be called with.",
        overloads: &[overload!(
            "(q: quat(F)) -> vec(3, F)",
            to_rpy,
            is(SMALL, |q| {
                let [x, y, z, w] = [q[0], q[1], q[2], q[3]];
                vec![
                    (2.0 * (w * x + y * z)).atan2(1.0 - 2.0 * (x * x + y * y)),
                    (2.0 * (w * y - z * x)).asin(),
                    (2.0 * (w * z + x * y)).atan2(1.0 - 2.0 * (y * y + z * z)),
                ]
            })
        )],
    },
    Row {
        name: "quat_slerp",
        group: GROUP,
        doc: "Between two unit quaternions at constant angular speed, the shorter way round: a for t = 0, b (or -b) for t = 1.",
        overloads: &[overload!(
            "(a: quat(F), b: quat(F), t: F) -> quat(F)",
            slerp,
            is(UNIT, |x| {
                let (a, b) = halves(&x[..8]);
                let (axis, angle) = axis_angle(&quat_mul(&[-a[0], -a[1], -a[2], a[3]], b));
                quat_mul(a, &about(&axis, angle * x[8]))
            })
        )],
    },
];
