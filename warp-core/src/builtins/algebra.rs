//! Linear algebra on lists of scalar values: the building blocks of rows and operators.

use crate::builtins::value::Parts;
use crate::ir::{Builder, Op, Value};

/// Sum of products of two lists; at least one pair.
pub fn dot(b: &mut Builder, x: &[Value], y: &[Value]) -> Value {
    let products: Parts = x
        .iter()
        .zip(y)
        .map(|(x, y)| b.op(Op::Mul, &[*x, *y]))
        .collect();
    sum(b, &products)
}

/// Sum of a list that is not empty.
pub fn sum(b: &mut Builder, x: &[Value]) -> Value {
    let (first, rest) = x.split_first().expect("something to add");
    rest.iter().fold(*first, |sum, x| b.op(Op::Add, &[sum, *x]))
}

/// The same operation on pairs.
pub fn zip(b: &mut Builder, op: Op, x: &[Value], y: &[Value]) -> Parts {
    x.iter().zip(y).map(|(x, y)| b.op(op, &[*x, *y])).collect()
}

/// An operation with one right operand for all.
pub fn each(b: &mut Builder, op: Op, x: &[Value], y: Value) -> Parts {
    x.iter().map(|x| b.op(op, &[*x, y])).collect()
}

/// Length of a vector, with derivative 0 at the origin.
pub fn length(b: &mut Builder, x: &[Value]) -> Value {
    let square = dot(b, x, x);
    b.op(Op::Norm, &[square])
}

/// Matrix products of no more multiplications than this, 6 x 6 times 6 x 6, are always written out.
const SMALL_MATMUL: usize = 216;

/// Product of matrices `m x k` and `k x n`. Small ones are written out. So are those of which that is not much longer
/// than the list of their components, products with a vector above all: there one statement gains nothing.
pub fn matmul(b: &mut Builder, x: &[Value], y: &[Value], [m, k, n]: [usize; 3]) -> Parts {
    let (products, components) = (m * k * n, m * k + k * n + m * n);
    if products > SMALL_MATMUL && products > 2 * components {
        return b.matmul(x, y, [m, k, n].map(|d| d as u32)).into();
    }
    let mut out = Parts::new();
    for i in 0..m {
        for j in 0..n {
            let column: Parts = (0..k).map(|l| y[l * n + j]).collect();
            out.push(dot(b, &x[i * k..(i + 1) * k], &column));
        }
    }
    out
}

/// Cross product.
pub fn cross(b: &mut Builder, x: &[Value], y: &[Value]) -> Parts {
    let component = |b: &mut Builder, i: usize, j: usize| {
        let p = b.op(Op::Mul, &[x[i], y[j]]);
        let q = b.op(Op::Mul, &[x[j], y[i]]);
        b.op(Op::Sub, &[p, q])
    };
    smallvec::smallvec![component(b, 1, 2), component(b, 2, 0), component(b, 0, 1)]
}

/// Product of quaternions (x, y, z, w): first `y`'s rotation, then `x`'s.
pub fn quat_mul(b: &mut Builder, p: &[Value], q: &[Value]) -> Parts {
    let cross = cross(b, p, q);
    let mut out = Parts::new();
    for i in 0..3 {
        let a = b.op(Op::Mul, &[p[3], q[i]]);
        let c = b.op(Op::Mul, &[p[i], q[3]]);
        let sum = b.op(Op::Add, &[a, c]);
        out.push(b.op(Op::Add, &[sum, cross[i]]));
    }
    let ww = b.op(Op::Mul, &[p[3], q[3]]);
    let vv = dot(b, &p[..3], &q[..3]);
    out.push(b.op(Op::Sub, &[ww, vv]));
    out
}

/// The matrix without one row and one column.
pub fn minor(x: &[Value], n: usize, row: usize, col: usize) -> Parts {
    let keep = |i: &usize| i / n != row && i % n != col;
    (0..n * n).filter(keep).map(|i| x[i]).collect()
}

/// Determinant by expansion along the first row: right for every matrix, without pivots that would
/// need branches.
pub fn determinant(b: &mut Builder, x: &[Value], n: usize) -> Value {
    match n {
        1 => x[0],
        2 => {
            let p = b.op(Op::Mul, &[x[0], x[3]]);
            let q = b.op(Op::Mul, &[x[1], x[2]]);
            b.op(Op::Sub, &[p, q])
        }
        _ => {
            let mut sum = None;
            for col in 0..n {
                let minor = minor(x, n, 0, col);
                let det = determinant(b, &minor, n - 1);
                let term = b.op(Op::Mul, &[x[col], det]);
                sum = Some(match sum {
                    None => term,
                    Some(sum) if col % 2 == 1 => b.op(Op::Sub, &[sum, term]),
                    Some(sum) => b.op(Op::Add, &[sum, term]),
                });
            }
            sum.expect("a matrix has columns")
        }
    }
}

/// A vector divided by its length; 0 stays 0, with gradient 0.
pub fn normalize(b: &mut Builder, x: &[Value]) -> Parts {
    let length = length(b, x);
    let scale = inverse_or_zero(b, length);
    each(b, Op::Mul, x, scale)
}

/// `1 / x`, and 0 (with gradient 0) where x is 0.
pub fn inverse_or_zero(b: &mut Builder, x: Value) -> Value {
    let ty = b.ty(x);
    let (zero, one) = (b.number(ty, 0.0), b.number(ty, 1.0));
    let regular = b.op(Op::Ne, &[x, zero]);
    let safe = b.select(regular, x, one);
    let inverse = b.op(Op::Div, &[one, safe]);
    b.select(regular, inverse, zero)
}

/// Rows as columns.
pub fn transpose(x: &[Value], rows: usize, cols: usize) -> Parts {
    (0..rows * cols)
        .map(|i| x[i % rows * cols + i / rows])
        .collect()
}

/// Rotation of a vector by a unit quaternion; of others `v (2 w^2 - 1) + 2 w (q x v) + 2 q (q . v)`.
pub fn rotate(b: &mut Builder, q: &[Value], v: &[Value]) -> Parts {
    let ty = b.ty(q[0]);
    let (one, two) = (b.number(ty, 1.0), b.number(ty, 2.0));
    let (axis, w) = (&q[..3], q[3]);
    let twice_w = b.op(Op::Mul, &[two, w]);
    let square = b.op(Op::Mul, &[twice_w, w]);
    let straight = b.op(Op::Sub, &[square, one]);
    let along = dot(b, axis, v);
    let along = b.op(Op::Mul, &[two, along]);
    let across = cross(b, axis, v);
    let mut out = Parts::new();
    for i in 0..3 {
        let a = b.op(Op::Mul, &[v[i], straight]);
        let c = b.op(Op::Mul, &[across[i], twice_w]);
        let d = b.op(Op::Mul, &[axis[i], along]);
        let sum = b.op(Op::Add, &[a, c]);
        out.push(b.op(Op::Add, &[sum, d]));
    }
    out
}

/// A quaternion divided by its length; 0 becomes the identity, with gradient 0.
pub fn normalize_quat(b: &mut Builder, q: &[Value]) -> Parts {
    let mut out = normalize(b, q);
    let square = dot(b, q, q);
    let ty = b.ty(square);
    let (zero, one) = (b.number(ty, 0.0), b.number(ty, 1.0));
    let none = b.op(Op::Eq, &[square, zero]);
    out[3] = b.select(none, one, out[3]);
    out
}

/// Minus the vector part: the inverse of a unit quaternion.
pub fn conjugate(b: &mut Builder, q: &[Value]) -> Parts {
    let mut out: Parts = q[..3].iter().map(|x| b.op(Op::Neg, &[*x])).collect();
    out.push(q[3]);
    out
}

/// Quaternion of a rotation about an axis of length 1.
pub fn quat_from_axis_angle(b: &mut Builder, axis: &[Value], angle: Value) -> Parts {
    let half = b.number(b.ty(angle), 0.5);
    let half = b.op(Op::Mul, &[angle, half]);
    let sin = b.op(Op::Sin, &[half]);
    let mut out = each(b, Op::Mul, axis, sin);
    out.push(b.op(Op::Cos, &[half]));
    out
}

/// Axis and angle in [0, pi] of a quaternion's rotation; axis 0 where there is none.
pub fn quat_to_axis_angle(b: &mut Builder, q: &[Value]) -> (Parts, Value) {
    let ty = b.ty(q[3]);
    let length = length(b, &q[..3]);
    let scale = inverse_or_zero(b, length);
    let side = b.op(Op::Sign, &[q[3]]);
    let scale = b.op(Op::Mul, &[scale, side]);
    let axis = each(b, Op::Mul, &q[..3], scale);
    let w = b.op(Op::Abs, &[q[3]]);
    let half = b.op(Op::Atan2, &[length, w]);
    let two = b.number(ty, 2.0);
    (axis, b.op(Op::Mul, &[two, half]))
}
