//! Mathematics on scalars that is more than one primitive (some of it on each component of vectors and matrices).

use crate::builtins::operation::cast::{reinterpret, truth};
use crate::builtins::signature::call::Call;
use crate::builtins::signature::row::{Expand, Overload, Row};
use crate::builtins::table::facts::{exempt, halves, is, is_int};
use crate::builtins::value::Tree;
use crate::builtins::value::view::View;
use crate::dtype::Scalar;
use crate::error::Result;
use crate::ir::expr::vector::{join, map, select, zip};
use crate::ir::{Expr, Exprs, Op};
use crate::ty::Type;

/// Chapter of the reference.
pub const GROUP: &str = "Scalar mathematics";

/// A row with one overload.
macro_rules! row {
    ($name:literal, $sig:literal, $expand:expr, $facts:expr, $doc:literal) => {
        Row {
            name: $name,
            group: GROUP,
            doc: $doc,
            overloads: &[Overload {
                sig: $sig,
                expand: Expand::By($expand),
                facts: $facts,
            }],
        }
    };
}

/// A test for a property of floats: of a scalar, and joined over the components of a composite.
macro_rules! test_row {
    ($name:literal, $op:ident, $join:ident, $reference:expr, $doc:literal) => {
        row!(
            $name,
            "(a: E(F)) -> bool",
            |c| {
                let tests = map(&c.parts(0), |x| x.apply(Op::$op));
                Ok(c.tree(join(&tests, |x, y| x.with(Op::$join, y))))
            },
            is(&[(-2.0, 2.0)], $reference),
            $doc
        )
    };
}

/// The smallest or largest of several.
macro_rules! extreme {
    ($name:literal, $op:ident, $f:path, $doc:literal) => {
        Row {
            name: $name,
            group: GROUP,
            doc: $doc,
            overloads: &[
                Overload {
                    sig: "(a: E(S), b: E(S)) -> E",
                    expand: Expand::By(|c| c.zip(Op::$op)),
                    facts: is(&[(-2.0, 2.0)], |x| {
                        let (x, y) = halves(x);
                        x.iter().zip(y).map(|(x, y)| $f(*x, *y)).collect()
                    }),
                },
                Overload {
                    sig: "(a: vec(N, S)) -> S",
                    expand: Expand::By(|c| reduce(c, Op::$op, &c.parts(0))),
                    facts: is(&[(-2.0, 2.0)], |x| {
                        vec![x.iter().copied().reduce($f).expect("components")]
                    }),
                },
                Overload {
                    sig: "(a: S, b: S, *more: S) -> S",
                    expand: Expand::By(|c| {
                        let all: Exprs<'_> = (0..c.args.len()).map(|i| c.value(i)).collect();
                        reduce(c, Op::$op, &all)
                    }),
                    facts: is(&[(-2.0, 2.0)], |x| {
                        vec![x.iter().copied().reduce($f).expect("components")]
                    }),
                },
            ],
        }
    };
}

fn reduce<'s>(c: &Call<'s>, op: Op, parts: &[Expr<'s>]) -> Result<Tree> {
    Ok(c.tree(join(parts, |x, y| x.with(op, y))))
}

/// `x * factor`
fn scale(c: &mut Call<'_>, factor: f64) -> Result<Tree> {
    Ok(c.tree(c.value(0) * factor))
}

/// 1 or 0 of the argument's type, by a comparison with 0.
fn indicator(c: &mut Call<'_>, op: Op) -> Result<Tree> {
    let x = c.value(0);
    let [zero, one] = x.numbers([0.0, 1.0]);
    Ok(c.tree(x.with(op, zero).select(one, zero)))
}

fn smoothstep(c: &mut Call<'_>) -> Result<Tree> {
    let (a, b, x) = (c.value(0), c.value(1), c.value(2));
    let t = (x - a) / (b - a);
    let t = t.max(0.0).min(1.0);
    Ok(c.tree(t * t * (3.0 - 2.0 * t)))
}

/// `a * (1 - t) + b * t` on each component.
fn lerp(c: &mut Call<'_>) -> Result<Tree> {
    let t = c.value(2);
    let rest = 1.0 - t;
    let parts = zip(&c.parts(0), &c.parts(1), |a, b| a * rest + b * t);
    Ok(c.shaped(c.elem(0), parts))
}

/// `cond ? a : b` on each component.
fn choose(c: &mut Call<'_>) -> Result<Tree> {
    let (tree, span) = (c.args[0].clone(), c.spans[0]);
    let cond = truth(&mut c.builder(), &tree, span)?;
    let parts = select(c.b.expr(cond), &c.parts(1), &c.parts(2));
    Ok(c.shaped(c.elem(1), parts))
}

fn choose_array(c: &mut Call<'_>) -> Result<Tree> {
    let (tree, span) = (c.args[0].clone(), c.spans[0]);
    let cond = truth(&mut c.builder(), &tree, span)?;
    let (x, y) = (c.view(1), c.view(2));
    if (x.elem, x.ndim) != (y.elem, y.ndim) {
        let what = format!("is {}, the other one {}", c.args[2].ty(), c.args[1].ty());
        return Err(c.error(2, &what));
    }
    Ok(Tree::Array(View::select(&mut c.builder(), cond, &x, &y)))
}

/// `not a`
fn negate(c: &mut Call<'_>) -> Result<Tree> {
    let (tree, span) = (c.args[0].clone(), c.spans[0]);
    let value = truth(&mut c.builder(), &tree, span)?;
    Ok(c.tree(!c.b.expr(value)))
}

fn frac(c: &mut Call<'_>) -> Result<Tree> {
    let x = c.value(0);
    Ok(c.tree(x - x.trunc()))
}

const ALSO_INT: &[(f64, f64)] = &[(-9.0, 9.0)];

pub const ROWS: &[Row] = &[
    row!(
        "frac",
        "(x: F) -> F",
        frac,
        is(&[(-4.0, 4.0)], |x| vec![x[0].fract()]),
        "What is left of x without its integer part, with the sign of x."
    ),
    row!(
        "degrees",
        "(x: F) -> F",
        |c| scale(c, 180.0 / std::f64::consts::PI),
        is(&[(-4.0, 4.0)], |x| vec![x[0].to_degrees()]),
        "Radians in degrees."
    ),
    row!(
        "radians",
        "(x: F) -> F",
        |c| scale(c, std::f64::consts::PI / 180.0),
        is(&[(-90.0, 90.0)], |x| vec![x[0].to_radians()]),
        "Degrees in radians."
    ),
    test_row!(
        "isnan",
        IsNan,
        Or,
        |x| vec![f64::from(u8::from(x.iter().any(|x| x.is_nan())))],
        "Whether a, or any component of it, is NaN."
    ),
    test_row!(
        "isinf",
        IsInf,
        Or,
        |x| vec![f64::from(u8::from(x.iter().any(|x| x.is_infinite())))],
        "Whether a, or any component of it, is infinite."
    ),
    test_row!(
        "isfinite",
        IsFinite,
        And,
        |x| vec![f64::from(u8::from(x.iter().all(|x| x.is_finite())))],
        "Whether a, or every component of it, is neither infinite nor NaN."
    ),
    row!(
        "abs",
        "(x: E(S)) -> E",
        |c| c.map(Op::Abs),
        is(&[(-2.0, 2.0)], |x| x.iter().map(|x| x.abs()).collect()),
        "Absolute value of each component. The slope at 0 is 1."
    ),
    row!(
        "sign",
        "(x: E(S)) -> E",
        |c| c.map(Op::Sign),
        is(&[(-2.0, 2.0)], |x| x
            .iter()
            .map(|x| if *x < 0.0 { -1.0 } else { 1.0 })
            .collect()),
        "-1 for each component below 0, else 1, also for NaN. No gradient."
    ),
    extreme!(
        "min",
        Min,
        f64::min,
        "The smaller of two, by component for vectors; the smallest component of one vector; the smallest \
         of several. NaN only if all are NaN. The gradient goes to the first of equals."
    ),
    extreme!(
        "max",
        Max,
        f64::max,
        "The larger of two, by component for vectors; the largest component of one vector; the largest \
         of several. NaN only if all are NaN. The gradient goes to the first of equals."
    ),
    row!(
        "clamp",
        "(x: S, low: S, high: S) -> S",
        |c| Ok(c.tree(c.value(0).max(c.value(1)).min(c.value(2)))),
        is(&[(-2.0, 2.0), (-1.0, -0.5), (0.5, 1.0)], |x| vec![
            x[0].max(x[1]).min(x[2])
        ]),
        "x, but not below `low` and not above `high`; `high` where low > high, `low` where x is NaN."
    ),
    row!(
        "step",
        "(x: S) -> S",
        |c| indicator(c, Op::Lt),
        is(ALSO_INT, |x| vec![if x[0] < 0.0 { 1.0 } else { 0.0 }]),
        "1 if x is below 0, else 0. No gradient."
    ),
    row!(
        "nonzero",
        "(x: S) -> S",
        |c| indicator(c, Op::Ne),
        is(ALSO_INT, |x| vec![if x[0] == 0.0 { 0.0 } else { 1.0 }]),
        "0 if x is 0, else 1. No gradient."
    ),
    Row {
        name: "where",
        group: GROUP,
        doc: "One of two values, structs or arrays. Both values are computed; use `if` where one of them must not be. An array as the condition \
              is true unless None was passed for it.",
        overloads: &[
            Overload {
                sig: "(cond: A, value_if_true: E, value_if_false: E) -> E",
                expand: Expand::By(choose),
                facts: is(ALSO_INT, |x| {
                    let (t, f) = halves(&x[1..]);
                    if x[0] == 0.0 { f.to_vec() } else { t.to_vec() }
                }),
            },
            Overload {
                sig: "(cond: A, value_if_true: array, value_if_false: array) -> array",
                expand: Expand::By(choose_array),
                facts: exempt("chooses an array: tests/python/arrays/test_array_views.py"),
            },
        ],
    },
    row!(
        "lerp",
        "(a: E(F), b: E(F), t: F) -> E",
        lerp,
        is(&[(-2.0, 2.0)], |x| {
            let (t, x) = x.split_last().expect("t");
            let (a, b) = halves(x);
            a.iter()
                .zip(b)
                .map(|(a, b)| a * (1.0 - t) + b * t)
                .collect()
        }),
        "Linear between a (t = 0) and b (t = 1), and beyond."
    ),
    row!(
        "smoothstep",
        "(a: F, b: F, x: F) -> F",
        smoothstep,
        is(&[(-1.0, 0.0), (1.0, 2.0), (0.1, 0.9)], |x| {
            let t = ((x[2] - x[0]) / (x[1] - x[0])).clamp(0.0, 1.0);
            vec![t * t * (3.0 - 2.0 * t)]
        }),
        "0 up to a, 1 from b on, and a cubic without kinks between them."
    ),
    row!(
        "bit_count",
        "(x: I) -> int32",
        |c| Ok(c.tree(c.value(0).apply(Op::BitCount).cast(Scalar::I32))),
        is_int(|x| x[0].count_ones() as i32),
        "How many bits of x are set, in the width of its type: 32 of -1 as an int32."
    ),
    row!(
        "cast",
        "(a: E, dtype: any) -> any",
        |c| {
            let Tree::Type(Type::Elem(elem)) = c.args[1] else {
                return Err(c
                    .error(1, "is no type of values")
                    .hint("a type such as `wp.uint32`"));
            };
            let (x, span) = (c.operand(0).clone(), c.span);
            reinterpret(&mut c.builder(), &x, elem, span).map(Tree::Elem)
        },
        exempt("its result has the type of an argument"),
        "The bits of a value as another type of the same size, such as float32 and uint32. Nothing is converted. No gradient."
    ),
    Row {
        name: "unot",
        group: GROUP,
        doc: "Whether a is 0, or an array for which None was passed, as `not a`.",
        overloads: &[
            Overload {
                sig: "(a: A) -> bool",
                expand: Expand::By(negate),
                facts: is(ALSO_INT, |x| vec![if x[0] == 0.0 { 1.0 } else { 0.0 }]),
            },
            Overload {
                sig: "(a: array) -> bool",
                expand: Expand::By(negate),
                facts: exempt("takes an array: tests/python/arrays/test_array_views.py"),
            },
        ],
    },
];
