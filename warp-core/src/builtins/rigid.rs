//! Rotations and rigid transformations on components: between quaternions and matrices, products, inverses.
//!
//! A transform is seven numbers: a position, then a quaternion.

use super::algebra;
use super::value::Parts;
use crate::dtype::Scalar;
use crate::ir::{Builder, Op, Value};

/// The quaternion (0, 0, 0, 1).
pub fn quat_identity(b: &mut Builder, ty: Scalar) -> Parts {
    let (zero, one) = (b.number(ty, 0.0), b.number(ty, 1.0));
    Parts::from_slice(&[zero, zero, zero, one])
}

/// A point moved by a transform: rotated, then shifted.
pub fn transform_point(b: &mut Builder, t: &[Value], point: &[Value]) -> Parts {
    let turned = algebra::rotate(b, &t[3..], point);
    algebra::zip(b, Op::Add, &t[..3], &turned)
}

/// The transform that does `y` first, then `x`.
pub fn transform_mul(b: &mut Builder, x: &[Value], y: &[Value]) -> Parts {
    let mut out = transform_point(b, x, &y[..3]);
    out.extend(algebra::quat_mul(b, &x[3..], &y[3..]));
    out
}

/// The transform that undoes one whose quaternion has length 1.
pub fn transform_inverse(b: &mut Builder, t: &[Value]) -> Parts {
    let back = algebra::conjugate(b, &t[3..]);
    let mut out = algebra::rotate(b, &back, &t[..3]);
    out.iter_mut().for_each(|x| *x = b.op(Op::Neg, &[*x]));
    out.extend(back);
    out
}

/// Matrix of a quaternion's rotation, row by row. The columns are what [`algebra::rotate`] makes of the axes.
pub fn quat_to_matrix(b: &mut Builder, q: &[Value]) -> Parts {
    let ty = b.ty(q[0]);
    let (one, two) = (b.number(ty, 1.0), b.number(ty, 2.0));
    let twice: Parts = q.iter().map(|p| b.op(Op::Mul, &[two, *p])).collect();
    let square = b.op(Op::Mul, &[twice[3], q[3]]);
    let straight = b.op(Op::Sub, &[square, one]);
    let mut out = Parts::new();
    for i in 0..9 {
        let (row, col) = (i / 3, i % 3);
        let outer = b.op(Op::Mul, &[twice[row], q[col]]);
        out.push(match (col + 3 - row) % 3 {
            0 => b.op(Op::Add, &[straight, outer]),
            // Above the diagonal, wrapping round: minus w times the axis that is left.
            1 => {
                let turn = b.op(Op::Mul, &[twice[3], q[3 - row - col]]);
                b.op(Op::Sub, &[outer, turn])
            }
            _ => {
                let turn = b.op(Op::Mul, &[twice[3], q[3 - row - col]]);
                b.op(Op::Add, &[outer, turn])
            }
        });
    }
    out
}

/// Unit quaternion of a rotation matrix. The largest of w, x, y, z (w if the trace is not negative) comes from a root, the others from
/// sums and differences across the diagonal divided by it.
pub fn quat_from_matrix(b: &mut Builder, m: &[Value]) -> Parts {
    let ty = b.ty(m[0]);
    let (zero, one) = (b.number(ty, 0.0), b.number(ty, 1.0));
    let trace = algebra::sum(b, &[m[0], m[4], m[8]]);
    let by_trace = b.op(Op::Ge, &[trace, zero]);
    let x_over_y = b.op(Op::Gt, &[m[0], m[4]]);
    let x_over_z = b.op(Op::Gt, &[m[0], m[8]]);
    let by_x = b.op(Op::And, &[x_over_y, x_over_z]);
    let by_y = b.op(Op::Gt, &[m[4], m[8]]);
    let pick = |b: &mut Builder, [w, x, y, z]: [Value; 4]| {
        let yz = b.select(by_y, y, z);
        let xyz = b.select(by_x, x, yz);
        b.select(by_trace, w, xyz)
    };
    let add = |b: &mut Builder, i: usize, j: usize| b.op(Op::Add, &[m[i], m[j]]);
    let sub = |b: &mut Builder, i: usize, j: usize| b.op(Op::Sub, &[m[i], m[j]]);
    let (x_w, y_w, z_w) = (sub(b, 7, 5), sub(b, 2, 6), sub(b, 3, 1));
    let (x_y, x_z, y_z) = (add(b, 1, 3), add(b, 2, 6), add(b, 5, 7));
    // Four times the square of the largest one; the choice keeps it at 1 or above for rotations.
    let square = |b: &mut Builder, signs: [Op; 3]| {
        let sum = b.op(signs[0], &[one, m[0]]);
        let sum = b.op(signs[1], &[sum, m[4]]);
        b.op(signs[2], &[sum, m[8]])
    };
    let squares = [
        square(b, [Op::Add, Op::Add, Op::Add]),
        square(b, [Op::Add, Op::Sub, Op::Sub]),
        square(b, [Op::Sub, Op::Add, Op::Sub]),
        square(b, [Op::Sub, Op::Sub, Op::Add]),
    ];
    let largest = pick(b, squares);
    // Everything times the root; `normalize` takes the factor out again.
    let q = [
        pick(b, [x_w, largest, x_y, x_z]),
        pick(b, [y_w, x_y, largest, y_z]),
        pick(b, [z_w, x_z, y_z, largest]),
        pick(b, [largest, x_w, y_w, z_w]),
    ];
    algebra::normalize_quat(b, &q)
}
