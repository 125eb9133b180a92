//! Linear algebra on lists of expressions: the building blocks of rows and operators.

use crate::ir::expr::vector::{cross, dot, neg, scaled, square};
use crate::ir::{Expr, ExprBuilder, Exprs, Value};

/// Length of a vector, with derivative 0 at the origin.
pub fn length<'s>(x: &[Expr<'s>]) -> Expr<'s> {
    square(x).norm()
}

/// Matrix products of no more multiplications than this, 6 x 6 times 6 x 6, are always written out.
const SMALL_MATMUL: usize = 216;

/// Product of matrices `m x k` and `k x n`. Small ones are written out. So are those of which that is not much longer
/// than the list of their components, products with a vector above all: there one statement gains nothing.
pub fn matmul<'s>(
    b: &'s ExprBuilder<'_>,
    x: &[Expr<'s>],
    y: &[Expr<'s>],
    [m, k, n]: [usize; 3],
) -> Exprs<'s> {
    let (products, components) = (m * k * n, m * k + k * n + m * n);
    if products > SMALL_MATMUL && products > 2 * components {
        let [x, y] = [x, y].map(|m| m.iter().map(|x| x.value()).collect::<Vec<Value>>());
        let found = b.builder().matmul(&x, &y, [m, k, n].map(|d| d as u32));
        return b.exprs(&found);
    }
    let mut out = Exprs::new();
    for i in 0..m {
        for j in 0..n {
            let column: Exprs<'s> = (0..k).map(|l| y[l * n + j]).collect();
            out.push(dot(&x[i * k..(i + 1) * k], &column));
        }
    }
    out
}

/// Product of quaternions (x, y, z, w): first `y`'s rotation, then `x`'s.
pub fn quat_mul<'s>(p: &[Expr<'s>], q: &[Expr<'s>]) -> Exprs<'s> {
    let mut out = cross(p, q);
    for (i, x) in out.iter_mut().enumerate() {
        *x = p[3] * q[i] + p[i] * q[3] + *x;
    }
    out.push(p[3] * q[3] - dot(&p[..3], &q[..3]));
    out
}

/// The matrix without one row and one column.
fn minor<'s>(x: &[Expr<'s>], n: usize, row: usize, col: usize) -> Exprs<'s> {
    let keep = |i: &usize| i / n != row && i % n != col;
    (0..n * n).filter(keep).map(|i| x[i]).collect()
}

/// Determinant by expansion along the first row: right for every matrix, without pivots that would
/// need branches.
pub fn determinant<'s>(x: &[Expr<'s>], n: usize) -> Expr<'s> {
    match n {
        1 => x[0],
        2 => x[0] * x[3] - x[1] * x[2],
        _ => {
            let term = |col: usize| x[col] * determinant(&minor(x, n, 0, col), n - 1);
            (1..n).fold(term(0), |sum, col| match col % 2 {
                1 => sum - term(col),
                _ => sum + term(col),
            })
        }
    }
}

/// A vector divided by its length; 0 stays 0, with gradient 0.
pub fn normalize<'s>(x: &[Expr<'s>]) -> Exprs<'s> {
    scaled(x, inverse_or_zero(length(x)))
}

/// `1 / x`, and 0 (with gradient 0) where x is 0.
fn inverse_or_zero<'s>(x: Expr<'s>) -> Expr<'s> {
    let [zero, one] = x.numbers([0.0, 1.0]);
    let regular = x.ne(zero);
    regular.select(one / regular.select(x, one), zero)
}

/// Rotation of a vector by a unit quaternion; of others `v (2 w^2 - 1) + 2 w (q x v) + 2 q (q . v)`.
pub fn rotate<'s>(q: &[Expr<'s>], v: &[Expr<'s>]) -> Exprs<'s> {
    let (axis, w) = (&q[..3], q[3]);
    let [one, two] = w.numbers([1.0, 2.0]);
    let twice_w = two * w;
    let straight = twice_w * w - one;
    let along = two * dot(axis, v);
    let across = cross(axis, v);
    (0..3)
        .map(|i| v[i] * straight + across[i] * twice_w + axis[i] * along)
        .collect()
}

/// A quaternion divided by its length; 0 becomes the identity, with gradient 0.
pub fn normalize_quat<'s>(q: &[Expr<'s>]) -> Exprs<'s> {
    let mut out = normalize(q);
    let square = square(q);
    let [zero, one] = square.numbers([0.0, 1.0]);
    out[3] = square.eq(zero).select(one, out[3]);
    out
}

/// Minus the vector part: the inverse of a unit quaternion.
pub fn conjugate<'s>(q: &[Expr<'s>]) -> Exprs<'s> {
    let mut out = neg(&q[..3]);
    out.push(q[3]);
    out
}

/// Quaternion of a rotation about an axis of length 1.
pub fn quat_from_axis_angle<'s>(axis: &[Expr<'s>], angle: Expr<'s>) -> Exprs<'s> {
    let half = angle * 0.5;
    let mut out = scaled(axis, half.sin());
    out.push(half.cos());
    out
}

/// Axis and angle in [0, pi] of a quaternion's rotation; axis 0 where there is none.
pub fn quat_to_axis_angle<'s>(q: &[Expr<'s>]) -> (Exprs<'s>, Expr<'s>) {
    let (side, w) = (&q[..3], q[3]);
    let length = length(side);
    let axis = scaled(side, inverse_or_zero(length) * w.sign());
    (axis, 2.0 * length.atan2(w.abs()))
}
