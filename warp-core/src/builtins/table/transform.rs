//! Rigid transformations: a position and a rotation.

use crate::builtins::formula::{algebra, rigid};
use crate::builtins::operation::cast::cast;
use crate::builtins::signature::call::Call;
use crate::builtins::signature::row::Row;
use crate::builtins::table::facts::{UNIT, exempt, is};
use crate::builtins::table::operator::quat_mul;
use crate::builtins::table::overload::overload;
use crate::builtins::table::quaternion::{linear, matrix_of, quat_of, sandwich};
use crate::builtins::value::{Operand, Tree};
use crate::dtype::Scalar;
use crate::error::Result;
use crate::ir::expr::vector::add;
use crate::ir::{Expr, Exprs};
use crate::ty::{Compound, Elem};

const GROUP: &str = "Transforms";

/// `dtype`, which must be a type of floats.
fn float_type(c: &Call<'_>, i: usize) -> Result<Scalar> {
    let ty = c.type_arg(i);
    match ty.is_float() {
        true => Ok(ty),
        false => Err(c.error(i, &format!("is {ty}, expected a float type"))),
    }
}

fn of_parts(c: &mut Call<'_>) -> Result<Tree> {
    let parts: Exprs<'_> = (0..c.args.len()).flat_map(|i| c.parts(i)).collect();
    Ok(c.transform(&parts[..3], &parts[3..]))
}

fn of_position(c: &mut Call<'_>) -> Result<Tree> {
    let rotation = rigid::quat_identity(c.b, c.scalar(0));
    Ok(c.transform(&c.parts(0), &rotation))
}

/// The transform of the first arguments, with components of the type that the last one is.
fn of_type(c: &mut Call<'_>) -> Result<Tree> {
    let last = c.args.len() - 1;
    let to = float_type(c, last)?;
    let from = c.scalar(0);
    let mut parts: Exprs<'_> = (0..last).flat_map(|i| c.parts(i)).collect();
    match parts[..] {
        [all] => parts = smallvec::smallvec![all; 7],
        [_, _, _] => parts.extend(rigid::quat_identity(c.b, from)),
        _ => {}
    }
    let whole = Operand {
        elem: Elem::Compound(Compound::Transform, from),
        parts: parts.into_iter().map(Expr::value).collect(),
    };
    Ok(Tree::Elem(cast(&mut c.builder(), &whole, to)))
}

fn zeros(c: &mut Call<'_>) -> Result<Tree> {
    let ty = float_type(c, 0)?;
    let zero = c.b.number(ty, 0.0);
    Ok(c.transform(&[zero; 3], &[zero; 4]))
}

fn copy(c: &mut Call<'_>) -> Result<Tree> {
    Ok(c.args[0].clone())
}

fn repeated(c: &mut Call<'_>) -> Result<Tree> {
    let all = c.value(0);
    Ok(c.transform(&[all; 3], &[all; 4]))
}

fn identity(c: &mut Call<'_>) -> Result<Tree> {
    let ty = float_type(c, 0)?;
    let zero = c.b.number(ty, 0.0);
    let rotation = rigid::quat_identity(c.b, ty);
    Ok(c.transform(&[zero; 3], &rotation))
}

const SETTER: &str = "changes its argument: tests/python/language/test_written_arguments.py";

fn set_translation(c: &mut Call<'_>) -> Result<Tree> {
    c.args[0] = c.transform(&c.parts(1), &c.parts(0)[3..]);
    Ok(Tree::None)
}

fn set_rotation(c: &mut Call<'_>) -> Result<Tree> {
    c.args[0] = c.transform(&c.parts(0)[..3], &c.parts(1));
    Ok(Tree::None)
}

fn multiply(c: &mut Call<'_>) -> Result<Tree> {
    let parts = rigid::transform_mul(&c.parts(0), &c.parts(1));
    Ok(c.transform(&parts[..3], &parts[3..]))
}

fn inverse(c: &mut Call<'_>) -> Result<Tree> {
    let parts = rigid::transform_inverse(&c.parts(0));
    Ok(c.transform(&parts[..3], &parts[3..]))
}

fn point(c: &mut Call<'_>) -> Result<Tree> {
    Ok(c.vector(rigid::transform_point(&c.parts(0), &c.parts(1))))
}

fn vector(c: &mut Call<'_>) -> Result<Tree> {
    Ok(c.vector(algebra::rotate(&c.parts(0)[3..], &c.parts(1))))
}

/// The upper three rows of a 4 x 4 matrix: its first three columns, and the last one.
fn affine<'s>(m: &[Expr<'s>]) -> (Exprs<'s>, Exprs<'s>) {
    (
        Exprs::from_slice(&linear(m)),
        Exprs::from_slice(&[m[3], m[7], m[11]]),
    )
}

fn matrix_point(c: &mut Call<'_>) -> Result<Tree> {
    let (linear, shift) = affine(&c.parts(0));
    let turned = algebra::matmul(c.b, &linear, &c.parts(1), [3, 3, 1]);
    Ok(c.vector(add(&turned, &shift)))
}

fn matrix_vector(c: &mut Call<'_>) -> Result<Tree> {
    let (linear, _) = affine(&c.parts(0));
    let turned = algebra::matmul(c.b, &linear, &c.parts(1), [3, 3, 1]);
    Ok(c.vector(turned))
}

/// The 4 x 4 matrix of a position and a 3 x 3 matrix.
fn homogeneous<'s>(c: &Call<'s>, position: &[Expr<'s>], linear: &[Expr<'s>]) -> Tree {
    let [zero, one] = position[0].numbers([0.0, 1.0]);
    let cell = |i: usize| match (i / 4, i % 4) {
        (3, 3) => one,
        (3, _) => zero,
        (row, 3) => position[row],
        (row, col) => linear[row * 3 + col],
    };
    c.matrix(4, 4, (0..16).map(cell).collect())
}

fn to_matrix(c: &mut Call<'_>) -> Result<Tree> {
    let t = c.parts(0);
    let linear = rigid::quat_to_matrix(&t[3..]);
    Ok(homogeneous(c, &t[..3], &linear))
}

fn from_matrix(c: &mut Call<'_>) -> Result<Tree> {
    let (linear, position) = affine(&c.parts(0));
    let rotation = rigid::quat_from_matrix(&linear);
    Ok(c.transform(&position, &rotation))
}

fn compose(c: &mut Call<'_>) -> Result<Tree> {
    let (position, scale) = (c.parts(0), c.parts(2));
    let mut linear = rigid::quat_to_matrix(&c.parts(1));
    for (i, x) in linear.iter_mut().enumerate() {
        *x = *x * scale[i % 3];
    }
    Ok(homogeneous(c, &position, &linear))
}

/// The scale is the lengths of the columns, the rotation what is left.
fn decompose(c: &mut Call<'_>) -> Result<Tree> {
    let (mut linear, position) = affine(&c.parts(0));
    let mut scale = Exprs::new();
    for col in 0..3 {
        let column = [linear[col], linear[3 + col], linear[6 + col]];
        scale.push(algebra::length(&column));
        let unit = algebra::normalize(&column);
        for (row, x) in unit.iter().enumerate() {
            linear[row * 3 + col] = *x;
        }
    }
    let rotation = rigid::quat_from_matrix(&linear);
    let items = [c.vector(position), c.quat(rotation), c.vector(scale)];
    Ok(c.tuple(items))
}

fn moved(t: &[f64], v: &[f64]) -> Vec<f64> {
    let turned = sandwich(&t[3..7], v);
    (0..3).map(|i| t[i] + turned[i]).collect()
}

fn with_identity(p: &[f64]) -> Vec<f64> {
    vec![p[0], p[1], p[2], 0.0, 0.0, 0.0, 1.0]
}

/// `m (v, w)` of a 4 x 4 matrix, the first three.
fn times(m: &[f64], v: &[f64], w: f64) -> Vec<f64> {
    let row = |i: usize| m[4 * i] * v[0] + m[4 * i + 1] * v[1] + m[4 * i + 2] * v[2];
    (0..3).map(|i| row(i) + m[4 * i + 3] * w).collect()
}

fn placed(p: &[f64], m: &[f64], scale: &[f64]) -> Vec<f64> {
    let mut out = Vec::new();
    for i in 0..3 {
        out.extend((0..3).map(|j| m[3 * i + j] * scale[j]));
        out.push(p[i]);
    }
    out.extend([0.0, 0.0, 0.0, 1.0]);
    out
}

fn taken_apart(m: &[f64]) -> Vec<f64> {
    let linear = linear(m);
    let scale: Vec<f64> = (0..3)
        .map(|j| {
            (0..3)
                .map(|i| linear[3 * i + j].powi(2))
                .sum::<f64>()
                .sqrt()
        })
        .collect();
    let turned: Vec<f64> = (0..9).map(|i| linear[i] / scale[i % 3]).collect();
    let mut out = vec![m[3], m[7], m[11]];
    out.extend(quat_of(&turned));
    out.extend(scale);
    out
}

/// Matrices near which no branch of their quaternion changes.
const SMALL: &[(f64, f64)] = &[(-0.4, 0.4)];

pub const ROWS: &[Row] = &[
    Row {
        name: "transformation",
        group: GROUP,
        doc: "A transform of a position and a rotation (none: the identity), of its seven components, of one number for all \
              of them, or of another transform; zeros without arguments. With `dtype`, with components of that type.",
        overloads: &[
            overload!(
                "(p: vec(3, F), q: quat(F)) -> transform(F)",
                of_parts,
                is(UNIT, <[f64]>::to_vec)
            ),
            overload!(
                "(p: vec(3, F)) -> transform(F)",
                of_position,
                is(UNIT, with_identity)
            ),
            overload!(
                "(px: F, py: F, pz: F, qx: F, qy: F, qz: F, qw: F) -> transform(F)",
                of_parts,
                is(UNIT, <[f64]>::to_vec)
            ),
            overload!(
                "(p: vec(3, F), q: quat(F), dtype: type) -> transform(G)",
                of_type,
                exempt("takes a type")
            ),
            overload!(
                "(p: vec(3, F), dtype: type) -> transform(G)",
                of_type,
                exempt("takes a type")
            ),
            overload!(
                "(px: F, py: F, pz: F, qx: F, qy: F, qz: F, qw: F, dtype: type) -> transform(G)",
                of_type,
                exempt("takes a type")
            ),
            overload!(
                "(dtype: type = float32) -> transform(F)",
                zeros,
                exempt("a constant")
            ),
            overload!(
                "(t: transform(F)) -> transform(F)",
                copy,
                is(UNIT, <[f64]>::to_vec)
            ),
            overload!(
                "(s: F) -> transform(F)",
                repeated,
                is(UNIT, |x| vec![x[0]; 7])
            ),
            overload!(
                "(t: transform(F), dtype: type) -> transform(G)",
                of_type,
                exempt("takes a type")
            ),
            overload!(
                "(s: F, dtype: type) -> transform(G)",
                of_type,
                exempt("takes a type")
            ),
        ],
    },
    Row {
        name: "transform_identity",
        group: GROUP,
        doc: "The transform that changes nothing: position 0, rotation (0, 0, 0, 1).",
        overloads: &[overload!(
            "(dtype: type = float32) -> transform(F)",
            identity,
            exempt("a constant")
        )],
    },
    Row {
        name: "transform_get_translation",
        group: GROUP,
        doc: "The position of a transform, as `xform.p`.",
        overloads: &[overload!(
            "(xform: transform(F)) -> vec(3, F)",
            |c| Ok(c.vector(Exprs::from_slice(&c.parts(0)[..3]))),
            is(UNIT, |x| x[..3].to_vec())
        )],
    },
    Row {
        name: "transform_get_rotation",
        group: GROUP,
        doc: "The rotation of a transform, as `xform.q`.",
        overloads: &[overload!(
            "(xform: transform(F)) -> quat(F)",
            |c| Ok(c.quat(Exprs::from_slice(&c.parts(0)[3..]))),
            is(UNIT, |x| x[3..].to_vec())
        )],
    },
    Row {
        name: "transform_set_translation",
        group: GROUP,
        doc: "Gives a variable that is a transform another position, as `xform.p = p`.",
        overloads: &[overload!(
            "(xform: ref(transform(F)), p: vec(3, F)) -> None",
            set_translation,
            exempt(SETTER)
        )],
    },
    Row {
        name: "transform_set_rotation",
        group: GROUP,
        doc: "Gives a variable that is a transform another rotation, as `xform.q = q`.",
        overloads: &[overload!(
            "(xform: ref(transform(F)), q: quat(F)) -> None",
            set_rotation,
            exempt(SETTER)
        )],
    },
    Row {
        name: "transform_multiply",
        group: GROUP,
        doc: "The transform that does b first, then a, as `a * b`.",
        overloads: &[overload!(
            "(a: transform(F), b: transform(F)) -> transform(F)",
            multiply,
            is(UNIT, |x| {
                let mut out = moved(&x[..7], &x[7..10]);
                out.extend(quat_mul(&x[3..7], &x[10..14]));
                out
            })
        )],
    },
    Row {
        name: "transform_inverse",
        group: GROUP,
        doc: "The transform that undoes one whose rotation has length 1.",
        overloads: &[overload!(
            "(xform: transform(F)) -> transform(F)",
            inverse,
            is(UNIT, |x| {
                let back = [-x[3], -x[4], -x[5], x[6]];
                let mut out: Vec<f64> = sandwich(&back, &x[..3]).iter().map(|x| -x).collect();
                out.extend(back);
                out
            })
        )],
    },
    Row {
        name: "transform_point",
        group: GROUP,
        doc: "A point rotated, then shifted by a transform; or the first three components of a 4 x 4 matrix times the \
              point with a fourth component 1, without division.",
        overloads: &[
            overload!(
                "(xform: transform(F), point: vec(3, F)) -> vec(3, F)",
                point,
                is(UNIT, |x| moved(&x[..7], &x[7..]))
            ),
            overload!(
                "(mat: mat(4, 4, F), point: vec(3, F)) -> vec(3, F)",
                matrix_point,
                is(UNIT, |x| times(&x[..16], &x[16..], 1.0))
            ),
        ],
    },
    Row {
        name: "transform_vector",
        group: GROUP,
        doc: "A direction rotated by a transform and not shifted; or the first three components of a 4 x 4 matrix times the \
              vector with a fourth component 0.",
        overloads: &[
            overload!(
                "(xform: transform(F), vec: vec(3, F)) -> vec(3, F)",
                vector,
                is(UNIT, |x| sandwich(&x[3..7], &x[7..]))
            ),
            overload!(
                "(mat: mat(4, 4, F), vec: vec(3, F)) -> vec(3, F)",
                matrix_vector,
                is(UNIT, |x| times(&x[..16], &x[16..], 0.0))
            ),
        ],
    },
    Row {
        name: "transform_to_matrix",
        group: GROUP,
        doc: "The 4 x 4 matrix that moves column vectors (x, y, z, 1) as the transform moves points.",
        overloads: &[overload!(
            "(xform: transform(F)) -> mat(4, 4, F)",
            to_matrix,
            is(UNIT, |x| placed(&x[..3], &matrix_of(&x[3..]), &[1.0; 3]))
        )],
    },
    Row {
        name: "transform_from_matrix",
        group: GROUP,
        doc: "The transform of a 4 x 4 matrix whose first three columns are those of a rotation.",
        overloads: &[overload!(
            "(mat: mat(4, 4, F)) -> transform(F)",
            from_matrix,
            is(SMALL, |x| {
                let mut out = vec![x[3], x[7], x[11]];
                out.extend(quat_of(&linear(x)));
                out
            })
        )],
    },
    Row {
        name: "transform_compose",
        group: GROUP,
        doc: "The 4 x 4 matrix that scales along the axes, then rotates, then shifts.",
        overloads: &[overload!(
            "(position: vec(3, F), rotation: quat(F), scale: vec(3, F)) -> mat(4, 4, F)",
            compose,
            is(UNIT, |x| placed(&x[..3], &matrix_of(&x[3..7]), &x[7..]))
        )],
    },
    Row {
        name: "transform_decompose",
        group: GROUP,
        doc: "Position, rotation and scale of a 4 x 4 matrix: what `transform_compose` would be called with. Scales are lengths, so \
              they are not negative.",
        overloads: &[overload!(
            "(mat: mat(4, 4, F)) -> (vec(3, F), quat(F), vec(3, F))",
            decompose,
            is(DECOMPOSED, taken_apart)
        )],
    },
];

/// As [`SMALL`]; the columns have lengths then.
const DECOMPOSED: &[(f64, f64)] = &[(0.2, 1.0)];
