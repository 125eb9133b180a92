//! Vectors (some of it for quaternions and matrices too).

use crate::builtins::formula::algebra;
use crate::builtins::operation::component::component;
use crate::builtins::operation::composite::vector;
use crate::builtins::signature::call::Call;
use crate::builtins::signature::row::Row;
use crate::builtins::table::facts::{UNIT, exempt, halves, is};
use crate::builtins::table::overload::overload;
use crate::builtins::value::Tree;
use crate::dtype::Scalar;
use crate::error::Result;
use crate::ir::expr::vector::{cross, divided, dot, map, neg, square, sum};
use crate::ir::{Expr, Exprs, Op};

const GROUP: &str = "Vectors";

fn length_sq(c: &mut Call<'_>) -> Result<Tree> {
    Ok(c.tree(square(&c.parts(0))))
}

fn inner(c: &mut Call<'_>) -> Result<Tree> {
    Ok(c.tree(dot(&c.parts(0), &c.parts(1))))
}

fn length(c: &mut Call<'_>) -> Result<Tree> {
    Ok(c.tree(algebra::length(&c.parts(0))))
}

fn normalize(c: &mut Call<'_>) -> Result<Tree> {
    Ok(c.vector(algebra::normalize(&c.parts(0))))
}

fn normalize_quat(c: &mut Call<'_>) -> Result<Tree> {
    Ok(c.quat(algebra::normalize_quat(&c.parts(0))))
}

/// Index of the first component that no other comes before in the given order.
fn arg_extreme(c: &mut Call<'_>, order: Op) -> Result<Tree> {
    let parts = c.parts(0);
    let mut best = parts[0];
    let mut at = c.b.number(Scalar::U32, 0.0);
    for (i, part) in parts.iter().enumerate().skip(1) {
        let better = part.with(order, best);
        let here = at.number(i as f64);
        best = better.select(*part, best);
        at = better.select(here, at);
    }
    Ok(c.tree(at))
}

fn outer(c: &mut Call<'_>) -> Result<Tree> {
    let (x, y) = (c.parts(0), c.parts(1));
    let cells = x.iter().flat_map(|x| y.iter().map(|y| *x * *y)).collect();
    Ok(c.matrix(x.len(), y.len(), cells))
}

fn skew(c: &mut Call<'_>) -> Result<Tree> {
    let v = c.parts(0);
    let zero = c.number(0, 0.0);
    let minus = neg(&v);
    let parts = [
        zero, minus[2], v[1], v[2], zero, minus[0], minus[1], v[0], zero,
    ];
    Ok(c.matrix(3, 3, Exprs::from_slice(&parts)))
}

fn norm_l1(c: &mut Call<'_>) -> Result<Tree> {
    Ok(c.tree(sum(&map(&c.parts(0), |x| x.abs()))))
}

fn norm_huber(c: &mut Call<'_>) -> Result<Tree> {
    let (square, delta) = (square(&c.parts(0)), c.value(1));
    let length = square.norm();
    let half = delta.number(0.5);
    let inside = half * square;
    let outside = delta * (length - half * delta);
    Ok(c.tree(length.le(delta).select(inside, outside)))
}

/// `delta * sqrt(1 + |x|^2 / delta^2)`
fn pseudo_huber<'s>(c: &Call<'s>) -> Expr<'s> {
    let (square, delta) = (square(&c.parts(0)), c.value(1));
    delta * (1.0 + square / (delta * delta)).sqrt()
}

fn norm_pseudo_huber(c: &mut Call<'_>) -> Result<Tree> {
    Ok(c.tree(pseudo_huber(c)))
}

fn smooth_normalize(c: &mut Call<'_>) -> Result<Tree> {
    let by = pseudo_huber(c);
    Ok(c.shaped(c.elem(0), divided(&c.parts(0), by)))
}

fn extract(c: &mut Call<'_>) -> Result<Tree> {
    let (x, span) = (c.operand(0).clone(), c.span);
    let index: Vec<Tree> = c.args[1..].to_vec();
    component(&mut c.builder(), &x, &index, span)
}

fn products(x: &[f64]) -> f64 {
    let (x, y) = halves(x);
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

fn norm(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |sum: f64, x| sum.hypot(*x))
}

fn unit(x: &[f64]) -> Vec<f64> {
    let length = norm(x);
    x.iter().map(|x| x / length).collect()
}

fn first_where(x: &[f64], f: fn(f64, f64) -> f64) -> Vec<f64> {
    let best = x.iter().copied().reduce(f).expect("components");
    vec![
        x.iter()
            .position(|x| *x == best)
            .expect("it is one of them") as f64,
    ]
}

fn pseudo(x: &[f64]) -> f64 {
    let (delta, x) = x.split_last().expect("delta");
    delta * norm(x).hypot(*delta) / delta.abs()
}

fn over_pseudo(x: &[f64]) -> Vec<f64> {
    let by = pseudo(x);
    x[..x.len() - 1].iter().map(|v| v / by).collect()
}

fn l1(x: &[f64]) -> Vec<f64> {
    vec![x.iter().map(|x| x.abs()).sum()]
}

fn huber(x: &[f64]) -> Vec<f64> {
    let (delta, v) = x.split_last().expect("delta");
    let l = norm(v);
    vec![if l <= *delta {
        0.5 * l * l
    } else {
        delta * (l - 0.5 * delta)
    }]
}

/// A vector on either side of delta.
const HUBER: &[(f64, f64)] = &[(-1.0, 1.0), (0.5, 2.0)];

pub const ROWS: &[Row] = &[
    Row {
        name: "dot",
        group: GROUP,
        doc: "Inner product of two vectors or quaternions.",
        overloads: &[
            overload!(
                "(a: vec(N, S), b: vec(N, S)) -> S",
                inner,
                is(UNIT, |x| vec![products(x)])
            ),
            overload!(
                "(a: quat(F), b: quat(F)) -> F",
                inner,
                is(UNIT, |x| vec![products(x)])
            ),
        ],
    },
    Row {
        name: "ddot",
        group: GROUP,
        doc: "Sum of the products of the components of two matrices.",
        overloads: &[overload!(
            "(a: mat(M, N, S), b: mat(M, N, S)) -> S",
            inner,
            is(UNIT, |x| vec![products(x)])
        )],
    },
    Row {
        name: "cross",
        group: GROUP,
        doc: "Cross product of two vectors of 3.",
        overloads: &[overload!(
            "(a: vec(3, S), b: vec(3, S)) -> vec(3, S)",
            |c| Ok(c.vector(cross(&c.parts(0), &c.parts(1)))),
            is(UNIT, |x| {
                let (a, b) = halves(x);
                vec![
                    a[1] * b[2] - a[2] * b[1],
                    a[2] * b[0] - a[0] * b[2],
                    a[0] * b[1] - a[1] * b[0],
                ]
            })
        )],
    },
    Row {
        name: "length",
        group: GROUP,
        doc: "Euclidean length of a vector or quaternion. The gradient at 0 is 0.",
        overloads: &[
            overload!("(a: vec(N, F)) -> F", length, is(UNIT, |x| vec![norm(x)])),
            overload!("(a: quat(F)) -> F", length, is(UNIT, |x| vec![norm(x)])),
        ],
    },
    Row {
        name: "length_sq",
        group: GROUP,
        doc: "Square of the length of a vector or quaternion.",
        overloads: &[
            overload!(
                "(a: vec(N, S)) -> S",
                length_sq,
                is(UNIT, |x| vec![x.iter().map(|x| x * x).sum()])
            ),
            overload!(
                "(a: quat(F)) -> F",
                length_sq,
                is(UNIT, |x| vec![x.iter().map(|x| x * x).sum()])
            ),
        ],
    },
    Row {
        name: "normalize",
        group: GROUP,
        doc: "A vector or quaternion divided by its length. The vector 0 stays 0 and the quaternion 0 becomes the \
              identity, both with gradient 0.",
        overloads: &[
            overload!("(a: vec(N, F)) -> vec(N, F)", normalize, is(UNIT, unit)),
            overload!("(a: quat(F)) -> quat(F)", normalize_quat, is(UNIT, unit)),
        ],
    },
    Row {
        name: "norm_l1",
        group: GROUP,
        doc: "Sum of the absolute values of the components of a vector, quaternion or transform.",
        overloads: &[
            overload!("(v: vec(N, F)) -> F", norm_l1, is(UNIT, l1)),
            overload!("(v: quat(F)) -> F", norm_l1, is(UNIT, l1)),
            overload!("(v: transform(F)) -> F", norm_l1, is(UNIT, l1)),
        ],
    },
    Row {
        name: "norm_l2",
        group: GROUP,
        doc: "Square root of the sum of the squares of the components of a vector, quaternion or transform.",
        overloads: &[
            overload!("(v: vec(N, F)) -> F", length, is(UNIT, |x| vec![norm(x)])),
            overload!("(v: quat(F)) -> F", length, is(UNIT, |x| vec![norm(x)])),
            overload!(
                "(v: transform(F)) -> F",
                length,
                is(UNIT, |x| vec![norm(x)])
            ),
        ],
    },
    Row {
        name: "norm_huber",
        group: GROUP,
        doc: "Half the square of `norm_l2` where that is at most delta, and beyond it the straight continuation.",
        overloads: &[
            overload!(
                "(v: vec(N, F), delta: F = 1) -> F",
                norm_huber,
                is(HUBER, huber)
            ),
            overload!(
                "(v: quat(F), delta: F = 1) -> F",
                norm_huber,
                is(HUBER, huber)
            ),
            overload!(
                "(v: transform(F), delta: F = 1) -> F",
                norm_huber,
                is(HUBER, huber)
            ),
        ],
    },
    Row {
        name: "norm_pseudo_huber",
        group: GROUP,
        doc: "`delta * sqrt(1 + |v|^2 / delta^2)`: smooth everywhere, like the length far from 0.",
        overloads: &[
            overload!(
                "(v: vec(N, F), delta: F = 1) -> F",
                norm_pseudo_huber,
                is(HUBER, |x| vec![pseudo(x)])
            ),
            overload!(
                "(v: quat(F), delta: F = 1) -> F",
                norm_pseudo_huber,
                is(HUBER, |x| vec![pseudo(x)])
            ),
            overload!(
                "(v: transform(F), delta: F = 1) -> F",
                norm_pseudo_huber,
                is(HUBER, |x| vec![pseudo(x)])
            ),
        ],
    },
    Row {
        name: "smooth_normalize",
        group: GROUP,
        doc: "A vector, quaternion or transform divided by `norm_pseudo_huber(v, delta)`: smooth also at 0.",
        overloads: &[
            overload!(
                "(v: vec(N, F), delta: F = 1) -> vec(N, F)",
                smooth_normalize,
                is(HUBER, over_pseudo)
            ),
            overload!(
                "(v: quat(F), delta: F = 1) -> quat(F)",
                smooth_normalize,
                is(HUBER, over_pseudo)
            ),
            overload!(
                "(v: transform(F), delta: F = 1) -> transform(F)",
                smooth_normalize,
                is(HUBER, over_pseudo)
            ),
        ],
    },
    Row {
        name: "cw_mul",
        group: GROUP,
        doc: "Product component by component.",
        overloads: &[overload!(
            "(a: E(S), b: E(S)) -> E",
            |c| c.zip(Op::Mul),
            is(UNIT, |x| {
                let (x, y) = halves(x);
                x.iter().zip(y).map(|(x, y)| x * y).collect()
            })
        )],
    },
    Row {
        name: "cw_div",
        group: GROUP,
        doc: "Quotient component by component; of integers the whole part, towards 0, and 0 where b is 0.",
        overloads: &[
            overload!(
                "(a: E(F), b: E(F)) -> E",
                |c| c.zip(Op::Div),
                is(&[(-2.0, 2.0), (0.3, 2.0)], |x| {
                    let (x, y) = halves(x);
                    x.iter().zip(y).map(|(x, y)| x / y).collect()
                })
            ),
            overload!(
                "(a: E(I), b: E(I)) -> E",
                |c| c.zip(Op::Div),
                is(&[(-9.0, 9.0), (-3.0, 3.0)], |x| {
                    let (x, y) = halves(x);
                    let whole =
                        |(x, y): (&f64, &f64)| if *y == 0.0 { 0.0 } else { (x / y).trunc() };
                    x.iter().zip(y).map(whole).collect()
                })
            ),
        ],
    },
    Row {
        name: "outer",
        group: GROUP,
        doc: "Matrix of the products of each component of a (rows) with each of b (columns).",
        overloads: &[overload!(
            "(a: vec(M, S), b: vec(N, S)) -> mat(M, N, S)",
            outer,
            is(UNIT, |x| {
                let (a, b) = x.split_at(2);
                a.iter()
                    .flat_map(|a| b.iter().map(move |b| a * b))
                    .collect()
            })
        )],
    },
    Row {
        name: "skew",
        group: GROUP,
        doc: "The matrix that multiplies as the cross product with vec does: `skew(v) * w == cross(v, w)`.",
        overloads: &[overload!(
            "(vec: vec(3, S)) -> mat(3, 3, S)",
            skew,
            is(UNIT, |v| vec![
                0.0, -v[2], v[1], v[2], 0.0, -v[0], -v[1], v[0], 0.0
            ])
        )],
    },
    Row {
        name: "argmin",
        group: GROUP,
        doc: "Index of the smallest component, the first of equals.",
        overloads: &[overload!(
            "(a: vec(N, S)) -> uint32",
            |c| arg_extreme(c, Op::Lt),
            is(UNIT, |x| first_where(x, f64::min))
        )],
    },
    Row {
        name: "argmax",
        group: GROUP,
        doc: "Index of the largest component, the first of equals.",
        overloads: &[overload!(
            "(a: vec(N, S)) -> uint32",
            |c| arg_extreme(c, Op::Gt),
            is(UNIT, |x| first_where(x, f64::max))
        )],
    },
    Row {
        name: "extract",
        group: GROUP,
        doc: "A component, or a row of a matrix, as `a[i]` and `a[i, j]`.",
        overloads: &[overload!(
            "(a: E, *index: I) -> any",
            extract,
            exempt("as indexing, which has tests of its own")
        )],
    },
    Row {
        name: "vector",
        group: GROUP,
        doc: "A vector of the components given; of one number for all of them, of zeros, or of the components of another \
              vector, converted to dtype. Without a length it has as many components as are given.",
        overloads: &[
            overload!(
                "(x: S, *more: S) -> vec(N, S)",
                |c| Ok(c.vector((0..c.args.len()).map(|i| c.value(i)).collect())),
                is(UNIT, <[f64]>::to_vec)
            ),
            overload!(
                "(*args: any, length: any = none, dtype: any = none) -> vec(N, S)",
                vector,
                exempt("as constructors of types, which have tests of their own")
            ),
        ],
    },
];
