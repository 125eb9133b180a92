//! Python's operators by name. The rows say which types they take; `operators` expands them.

use crate::builtins::operation::operators::{BinaryOp, UnaryOp, binary, unary};
use crate::builtins::signature::call::Call;
use crate::builtins::signature::row::Row;
use crate::builtins::table::facts::{UNIT, exempt, halves, is, is_int};
use crate::builtins::table::overload::overload;
use crate::builtins::value::Tree;
use crate::error::Result;

const GROUP: &str = "Operators by name";

/// Whole numbers, 0 among them.
const WHOLE: &[(f64, f64)] = &[(-9.0, 9.0), (-3.0, 3.0)];

/// Away from 0, where quotients are.
const QUOTIENT: &[(f64, f64)] = &[(-3.0, 3.0), (0.4, 3.0)];

fn two(c: &mut Call<'_>, op: BinaryOp) -> Result<Tree> {
    let (l, r, span) = (c.args[0].clone(), c.args[1].clone(), c.span);
    binary(&mut c.builder(), op, &l, &r, span)
}

fn one(c: &mut Call<'_>, op: UnaryOp) -> Result<Tree> {
    let (x, span) = (c.args[0].clone(), c.span);
    unary(&mut c.builder(), op, &x, span)
}

fn mul(c: &mut Call<'_>) -> Result<Tree> {
    two(c, BinaryOp::Mul)
}

fn div(c: &mut Call<'_>) -> Result<Tree> {
    two(c, BinaryOp::Div)
}

fn zip(x: &[f64], f: fn(f64, f64) -> f64) -> Vec<f64> {
    let (x, y) = halves(x);
    x.iter().zip(y).map(|(x, y)| f(*x, *y)).collect()
}

fn first_scales(x: &[f64]) -> Vec<f64> {
    x[1..].iter().map(|y| x[0] * y).collect()
}

fn last_scales(x: &[f64]) -> Vec<f64> {
    let (s, x) = x.split_last().expect("a scalar");
    x.iter().map(|x| x * s).collect()
}

fn last_divides(x: &[f64]) -> Vec<f64> {
    let (s, x) = x.split_last().expect("a scalar");
    x.iter().map(|x| x / s).collect()
}

/// The test samples 2 for M, 3 for N, 4 for K.
pub fn matmul(x: &[f64], y: &[f64], [m, k, n]: [usize; 3]) -> Vec<f64> {
    let cell = |i: usize| (0..k).map(|l| x[i / n * k + l] * y[l * n + i % n]).sum();
    (0..m * n).map(cell).collect()
}

/// Product of quaternions by the multiplication table of i, j, k.
pub fn quat_mul(p: &[f64], q: &[f64]) -> Vec<f64> {
    let [a, b, c, d] = [p[3], p[0], p[1], p[2]];
    let [e, f, g, h] = [q[3], q[0], q[1], q[2]];
    vec![
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
        a * e - b * f - c * g - d * h,
    ]
}

fn floor_div(x: i32, y: i32) -> i32 {
    match y {
        0 => 0,
        y => (f64::from(x) / f64::from(y)).floor() as i32,
    }
}

pub const ROWS: &[Row] = &[
    Row {
        name: "add",
        group: GROUP,
        doc: "Sum, as `a + b`.",
        overloads: &[overload!(
            "(a: E(S), b: E(S)) -> E",
            |c| two(c, BinaryOp::Add),
            is(UNIT, |x| zip(x, |x, y| x + y))
        )],
    },
    Row {
        name: "sub",
        group: GROUP,
        doc: "Difference, as `a - b`.",
        overloads: &[overload!(
            "(a: E(S), b: E(S)) -> E",
            |c| two(c, BinaryOp::Sub),
            is(UNIT, |x| zip(x, |x, y| x - y))
        )],
    },
    Row {
        name: "mul",
        group: GROUP,
        doc: "Product, as `a * b`: of numbers; of a vector, matrix or quaternion and a number; of matrices \
              (also written `a @ b`); of a matrix and a column vector; of a row vector and a matrix; of quaternions; of transforms.",
        overloads: &[
            overload!("(a: S, b: S) -> S", mul, is(UNIT, |x| vec![x[0] * x[1]])),
            overload!(
                "(a: vec(N, S), b: S) -> vec(N, S)",
                mul,
                is(UNIT, last_scales)
            ),
            overload!(
                "(a: S, b: vec(N, S)) -> vec(N, S)",
                mul,
                is(UNIT, first_scales)
            ),
            overload!(
                "(a: mat(M, N, S), b: S) -> mat(M, N, S)",
                mul,
                is(UNIT, last_scales)
            ),
            overload!(
                "(a: S, b: mat(M, N, S)) -> mat(M, N, S)",
                mul,
                is(UNIT, first_scales)
            ),
            overload!("(a: quat(F), b: F) -> quat(F)", mul, is(UNIT, last_scales)),
            overload!("(a: F, b: quat(F)) -> quat(F)", mul, is(UNIT, first_scales)),
            overload!(
                "(a: mat(M, N, S), b: mat(N, K, S)) -> mat(M, K, S)",
                mul,
                is(UNIT, |x| matmul(&x[..6], &x[6..], [2, 3, 4]))
            ),
            overload!(
                "(a: mat(M, N, S), b: vec(N, S)) -> vec(M, S)",
                mul,
                is(UNIT, |x| matmul(&x[..6], &x[6..], [2, 3, 1]))
            ),
            overload!(
                "(a: vec(M, S), b: mat(M, N, S)) -> vec(N, S)",
                mul,
                is(UNIT, |x| matmul(&x[..2], &x[2..], [1, 2, 3]))
            ),
            overload!(
                "(a: quat(F), b: quat(F)) -> quat(F)",
                mul,
                is(UNIT, |x| quat_mul(&x[..4], &x[4..]))
            ),
            overload!(
                "(a: transform(F), b: F) -> transform(F)",
                mul,
                is(UNIT, last_scales)
            ),
            overload!(
                "(a: F, b: transform(F)) -> transform(F)",
                mul,
                is(UNIT, first_scales)
            ),
            overload!(
                "(a: transform(F), b: transform(F)) -> transform(F)",
                mul,
                exempt("`transform_multiply`, which is tested")
            ),
        ],
    },
    Row {
        name: "div",
        group: GROUP,
        doc: "Quotient, as `a / b`. Of integers the whole part, towards 0, and 0 where b is 0. A number divided by a \
              vector or matrix divides by each component.",
        overloads: &[
            overload!(
                "(a: F, b: F) -> F",
                div,
                is(QUOTIENT, |x| vec![x[0] / x[1]])
            ),
            overload!(
                "(a: I, b: I) -> I",
                div,
                is_int(|x| x[0].checked_div(x[1]).unwrap_or(0))
            ),
            overload!(
                "(a: vec(N, F), b: F) -> vec(N, F)",
                div,
                is(QUOTIENT, last_divides)
            ),
            overload!(
                "(a: mat(M, N, F), b: F) -> mat(M, N, F)",
                div,
                is(QUOTIENT, last_divides)
            ),
            overload!(
                "(a: quat(F), b: F) -> quat(F)",
                div,
                is(QUOTIENT, last_divides)
            ),
            overload!(
                "(a: F, b: E(F)) -> E",
                div,
                is(QUOTIENT, |x| x[1..].iter().map(|y| x[0] / y).collect())
            ),
            overload!(
                "(a: E(I), b: I) -> E",
                div,
                is_int(|x| x[0].checked_div(x[1]).unwrap_or(0))
            ),
            overload!(
                "(a: I, b: E(I)) -> E",
                div,
                is_int(|x| x[0].checked_div(x[1]).unwrap_or(0))
            ),
        ],
    },
    Row {
        name: "div_approx",
        group: GROUP,
        doc: "As `div` for floats; a device may compute it faster and less exactly.",
        overloads: &[
            overload!(
                "(a: F, b: E(F)) -> E",
                div,
                is(QUOTIENT, |x| x[1..].iter().map(|y| x[0] / y).collect())
            ),
            overload!("(a: E(F), b: F) -> E", div, is(QUOTIENT, last_divides)),
        ],
    },
    Row {
        name: "floordiv",
        group: GROUP,
        doc: "Quotient rounded down, as `a // b`; of integers 0 where b is 0. No gradient.",
        overloads: &[
            overload!(
                "(a: F, b: F) -> F",
                |c| two(c, BinaryOp::FloorDiv),
                is(QUOTIENT, |x| vec![(x[0] / x[1]).floor()])
            ),
            overload!(
                "(a: I, b: I) -> I",
                |c| two(c, BinaryOp::FloorDiv),
                is_int(|x| floor_div(x[0], x[1]))
            ),
        ],
    },
    Row {
        name: "mod",
        group: GROUP,
        doc: "What is left of a after taking b out of it a whole number of times, with the sign of a, as `a % b` \
              (in Python the sign is that of b); of integers 0 where b is 0.",
        overloads: &[
            overload!(
                "(a: F, b: F) -> F",
                |c| two(c, BinaryOp::Mod),
                is(QUOTIENT, |x| vec![x[0] % x[1]])
            ),
            overload!(
                "(a: I, b: I) -> I",
                |c| two(c, BinaryOp::Mod),
                is_int(|x| x[0].checked_rem(x[1]).unwrap_or(0))
            ),
            overload!(
                "(a: vec(N, F), b: vec(N, F)) -> vec(N, F)",
                |c| two(c, BinaryOp::Mod),
                is(QUOTIENT, |x| zip(x, |x, y| x % y))
            ),
            overload!(
                "(a: vec(N, I), b: vec(N, I)) -> vec(N, I)",
                |c| two(c, BinaryOp::Mod),
                is(WHOLE, |x| zip(x, |x, y| if y == 0.0 { 0.0 } else { x % y }))
            ),
        ],
    },
    Row {
        name: "neg",
        group: GROUP,
        doc: "Each component with the other sign, as `-x`.",
        overloads: &[overload!(
            "(x: E(S)) -> E",
            |c| one(c, UnaryOp::Neg),
            is(UNIT, |x| x.iter().map(|x| -x).collect())
        )],
    },
    Row {
        name: "pos",
        group: GROUP,
        doc: "x itself, as `+x`.",
        overloads: &[overload!(
            "(x: E(S)) -> E",
            |c| one(c, UnaryOp::Pos),
            is(UNIT, <[f64]>::to_vec)
        )],
    },
];
