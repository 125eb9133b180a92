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

/// Product of matrices `m x k` and `k x n`.
pub fn matmul(b: &mut Builder, x: &[Value], y: &[Value], [m, k, n]: [usize; 3]) -> Parts {
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
