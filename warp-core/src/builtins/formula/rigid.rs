//! Rotations and rigid transformations on components: between quaternions and matrices, products, inverses.
//!
//! A transform is seven numbers: a position, then a quaternion.

use crate::builtins::formula::algebra;
use crate::dtype::Scalar;
use crate::ir::expr::vector::{add, neg, sum};
use crate::ir::{Expr, ExprBuilder, Exprs};

/// The quaternion (0, 0, 0, 1).
pub fn quat_identity<'s>(b: &'s ExprBuilder<'_>, ty: Scalar) -> Exprs<'s> {
    let [zero, one] = b.numbers(ty, [0.0, 1.0]);
    Exprs::from_slice(&[zero, zero, zero, one])
}

/// A point moved by a transform: rotated, then shifted.
pub fn transform_point<'s>(t: &[Expr<'s>], point: &[Expr<'s>]) -> Exprs<'s> {
    add(&t[..3], &algebra::rotate(&t[3..], point))
}

/// The transform that does `y` first, then `x`.
pub fn transform_mul<'s>(x: &[Expr<'s>], y: &[Expr<'s>]) -> Exprs<'s> {
    let mut out = transform_point(x, &y[..3]);
    out.extend(algebra::quat_mul(&x[3..], &y[3..]));
    out
}

/// The transform that undoes one whose quaternion has length 1.
pub fn transform_inverse<'s>(t: &[Expr<'s>]) -> Exprs<'s> {
    let back = algebra::conjugate(&t[3..]);
    let mut out = neg(&algebra::rotate(&back, &t[..3]));
    out.extend(back);
    out
}

/// Matrix of a quaternion's rotation, row by row. The columns are what [`algebra::rotate`] makes of the axes.
pub fn quat_to_matrix<'s>(q: &[Expr<'s>]) -> Exprs<'s> {
    let [one, two] = q[0].numbers([1.0, 2.0]);
    let twice: Exprs<'s> = q.iter().map(|x| two * *x).collect();
    let straight = twice[3] * q[3] - one;
    let cell = |i: usize| {
        let (row, col) = (i / 3, i % 3);
        let outer = twice[row] * q[col];
        // w times the axis that is left.
        let turn = || twice[3] * q[3 - row - col];
        match (col + 3 - row) % 3 {
            0 => straight + outer,
            // Above the diagonal, wrapping round.
            1 => outer - turn(),
            _ => outer + turn(),
        }
    };
    (0..9).map(cell).collect()
}

/// Unit quaternion of a rotation matrix. The largest of w, x, y, z (w if the trace is not negative) comes from a root, the others from
/// sums and differences across the diagonal divided by it.
pub fn quat_from_matrix<'s>(m: &[Expr<'s>]) -> Exprs<'s> {
    let [zero, one] = m[0].numbers([0.0, 1.0]);
    let by_trace = sum(&[m[0], m[4], m[8]]).ge(zero);
    let by_x = m[0].gt(m[4]) & m[0].gt(m[8]);
    let by_y = m[4].gt(m[8]);
    let pick = |[w, x, y, z]: [Expr<'s>; 4]| {
        let xyz = by_x.select(x, by_y.select(y, z));
        by_trace.select(w, xyz)
    };
    let (x_w, y_w, z_w) = (m[7] - m[5], m[2] - m[6], m[3] - m[1]);
    let (x_y, x_z, y_z) = (m[1] + m[3], m[2] + m[6], m[5] + m[7]);
    // Four times the square of the largest one; the choice keeps it at 1 or above for rotations.
    let largest = pick([
        one + m[0] + m[4] + m[8],
        one + m[0] - m[4] - m[8],
        one - m[0] + m[4] - m[8],
        one - m[0] - m[4] + m[8],
    ]);
    // Everything times the root; `normalize` takes the factor out again.
    algebra::normalize_quat(&[
        pick([x_w, largest, x_y, x_z]),
        pick([y_w, x_y, largest, y_z]),
        pick([z_w, x_z, y_z, largest]),
        pick([largest, x_w, y_w, z_w]),
    ])
}
