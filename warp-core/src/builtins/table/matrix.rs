//! Matrices.

use crate::builtins::formula::algebra;
use crate::builtins::operation::composite::matrix;
use crate::builtins::signature::call::Call;
use crate::builtins::signature::row::Row;
use crate::builtins::table::facts::{UNIT, exempt, is};
use crate::builtins::table::overload::overload;
use crate::builtins::value::Tree;
use crate::error::Result;
use crate::ir::expr::vector::{sum, transpose};
use crate::ir::{Exprs, Factorization};
use crate::ty::Elem;

const GROUP: &str = "Matrices";

/// Rows and columns of the first argument.
fn shape(c: &Call<'_>) -> (usize, usize) {
    match c.elem(0) {
        Elem::Mat { rows, cols, .. } => (rows as usize, cols as usize),
        other => panic!("`{}` got {other}", c.name),
    }
}

fn transposed(c: &mut Call<'_>) -> Result<Tree> {
    let (rows, cols) = shape(c);
    let parts = transpose(&c.parts(0), rows, cols);
    Ok(c.matrix(cols, rows, parts))
}

fn determinant(c: &mut Call<'_>) -> Result<Tree> {
    let n = shape(c).0;
    Ok(c.tree(algebra::determinant(&c.parts(0), n)))
}

fn inverse(c: &mut Call<'_>) -> Result<Tree> {
    let n = shape(c).0;
    let of = match n {
        2 => Factorization::Inverse2,
        3 => Factorization::Inverse3,
        _ => Factorization::Inverse4,
    };
    let parts = c.builder().factor(of, &c.operand(0).parts);
    Ok(c.matrix(n, n, c.b.exprs(&parts)))
}

fn trace(c: &mut Call<'_>) -> Result<Tree> {
    Ok(c.tree(sum(&diagonal(c))))
}

fn diagonal<'s>(c: &Call<'s>) -> Exprs<'s> {
    let (rows, cols) = shape(c);
    let parts = c.parts(0);
    (0..rows.min(cols)).map(|i| parts[i * cols + i]).collect()
}

fn diag(c: &mut Call<'_>) -> Result<Tree> {
    let v = c.parts(0);
    let n = v.len();
    let zero = c.number(0, 0.0);
    let cell = |i: usize| if i / n == i % n { v[i % n] } else { zero };
    let parts = (0..n * n).map(cell).collect();
    Ok(c.matrix(n, n, parts))
}

/// The largest size of `wp.identity`: a matrix is a list of scalars in the compiler.
const MAX_IDENTITY: i64 = 32;

fn identity(c: &mut Call<'_>) -> Result<Tree> {
    let n = c.static_int(0)?;
    let ty = c.type_arg(1);
    if !(1..=MAX_IDENTITY).contains(&n) {
        return Err(c.error(0, &format!("is {n}, a size is 1 to {MAX_IDENTITY}")));
    }
    let n = n as usize;
    let [zero, one] = c.b.numbers(ty, [0.0, 1.0]);
    let cell = |i: usize| if i / n == i % n { one } else { zero };
    let parts = (0..n * n).map(cell).collect();
    Ok(c.matrix(n, n, parts))
}

fn from_rows(c: &mut Call<'_>) -> Result<Tree> {
    let rows = c.args.len();
    let cols = c.parts(0).len();
    let parts = (0..rows).flat_map(|i| c.parts(i)).collect();
    Ok(c.matrix(rows, cols, parts))
}

fn from_cols(c: &mut Call<'_>) -> Result<Tree> {
    let (cols, rows) = (c.args.len(), c.parts(0).len());
    let parts: Exprs<'_> = (0..cols).flat_map(|i| c.parts(i)).collect();
    Ok(c.matrix(rows, cols, transpose(&parts, cols, rows)))
}

/// Determinant by elimination with pivots: not how the row does it.
fn det(x: &[f64]) -> f64 {
    let n = x.len().isqrt();
    let mut m = x.to_vec();
    let mut det = 1.0;
    for k in 0..n {
        let by_size = |a: &usize, b: &usize| m[a * n + k].abs().total_cmp(&m[b * n + k].abs());
        let pivot = (k..n).max_by(by_size).expect("rows are left");
        if pivot != k {
            det = -det;
            (0..n).for_each(|j| m.swap(k * n + j, pivot * n + j));
        }
        det *= m[k * n + k];
        for i in k + 1..n {
            let factor = m[i * n + k] / m[k * n + k];
            (k..n).for_each(|j| m[i * n + j] -= factor * m[k * n + j]);
        }
    }
    det
}

/// Column by column by Cramer's rule.
fn inv(x: &[f64]) -> Vec<f64> {
    let n = x.len().isqrt();
    let whole = det(x);
    let cell = |at: usize| {
        let (i, j) = (at / n, at % n);
        let mut m = x.to_vec();
        (0..n).for_each(|row| m[row * n + i] = f64::from(u8::from(row == j)));
        det(&m) / whole
    };
    (0..n * n).map(cell).collect()
}

pub const ROWS: &[Row] = &[
    Row {
        name: "transpose",
        group: GROUP,
        doc: "Rows as columns.",
        overloads: &[overload!(
            "(a: mat(M, N, S)) -> mat(N, M, S)",
            transposed,
            is(UNIT, |x| (0..6).map(|i| x[i % 2 * 3 + i / 2]).collect())
        )],
    },
    Row {
        name: "determinant",
        group: GROUP,
        doc: "Determinant of a square matrix of up to 4 rows.",
        overloads: &[
            overload!(
                "(a: mat(2, 2, F)) -> F",
                determinant,
                is(UNIT, |x| vec![det(x)])
            ),
            overload!(
                "(a: mat(3, 3, F)) -> F",
                determinant,
                is(UNIT, |x| vec![det(x)])
            ),
            overload!(
                "(a: mat(4, 4, F)) -> F",
                determinant,
                is(UNIT, |x| vec![det(x)])
            ),
        ],
    },
    Row {
        name: "inverse",
        group: GROUP,
        doc: "Inverse of a square matrix of up to 4 rows; all 0 where the determinant is 0.",
        overloads: &[
            overload!("(a: mat(2, 2, F)) -> mat(2, 2, F)", inverse, is(UNIT, inv)),
            overload!("(a: mat(3, 3, F)) -> mat(3, 3, F)", inverse, is(UNIT, inv)),
            overload!("(a: mat(4, 4, F)) -> mat(4, 4, F)", inverse, is(UNIT, inv)),
        ],
    },
    Row {
        name: "inverse_approx",
        group: GROUP,
        doc: "As `inverse`; a device may compute it faster and less exactly.",
        overloads: &[
            overload!("(a: mat(2, 2, F)) -> mat(2, 2, F)", inverse, is(UNIT, inv)),
            overload!("(a: mat(3, 3, F)) -> mat(3, 3, F)", inverse, is(UNIT, inv)),
            overload!("(a: mat(4, 4, F)) -> mat(4, 4, F)", inverse, is(UNIT, inv)),
        ],
    },
    Row {
        name: "trace",
        group: GROUP,
        doc: "Sum of the diagonal of a square matrix.",
        overloads: &[overload!(
            "(a: mat(N, N, S)) -> S",
            trace,
            is(UNIT, |x| vec![x[0] + x[4] + x[8]])
        )],
    },
    Row {
        name: "diag",
        group: GROUP,
        doc: "Square matrix with a vector on its diagonal and 0 elsewhere.",
        overloads: &[overload!(
            "(vec: vec(N, S)) -> mat(N, N, S)",
            diag,
            is(UNIT, |v| vec![
                v[0], 0.0, 0.0, 0.0, v[1], 0.0, 0.0, 0.0, v[2]
            ])
        )],
    },
    Row {
        name: "get_diag",
        group: GROUP,
        doc: "The diagonal of a square matrix.",
        overloads: &[overload!(
            "(mat: mat(N, N, S)) -> vec(N, S)",
            |c| Ok(c.vector(diagonal(c))),
            is(UNIT, |x| vec![x[0], x[4], x[8]])
        )],
    },
    Row {
        name: "identity",
        group: GROUP,
        doc: "Square matrix with 1 on its diagonal and 0 elsewhere. The size must be known when compiling.",
        overloads: &[overload!(
            "(n: int32, dtype: type = float32) -> mat(N, N, S)",
            identity,
            exempt("its arguments are static")
        )],
    },
    Row {
        name: "matrix",
        group: GROUP,
        doc: "A matrix of the components given, row by row; of one number for all of them, of zeros, or of the components \
              of another matrix, converted to dtype.",
        overloads: &[overload!(
            "(*args: any, shape: any = none, dtype: any = none) -> mat(M, N, S)",
            matrix,
            exempt("as constructors of types, which have tests of their own")
        )],
    },
    Row {
        name: "matrix_from_rows",
        group: GROUP,
        doc: "Matrix of the row vectors given.",
        overloads: &[overload!(
            "(row: vec(N, S), *more: vec(N, S)) -> mat(M, N, S)",
            from_rows,
            is(UNIT, <[f64]>::to_vec)
        )],
    },
    Row {
        name: "matrix_from_cols",
        group: GROUP,
        doc: "Matrix of the column vectors given.",
        overloads: &[overload!(
            "(column: vec(M, S), *more: vec(M, S)) -> mat(M, N, S)",
            from_cols,
            is(UNIT, |x| {
                // The test gives vectors of 2.
                let n = x.len() / 2;
                (0..x.len()).map(|i| x[i % n * 2 + i / n]).collect()
            })
        )],
    },
];
