//! Decompositions of small matrices.

use crate::builtins::signature::call::Call;
use crate::builtins::signature::row::Row;
use crate::builtins::table::facts::exempt;
use crate::builtins::table::overload::overload;
use crate::builtins::value::Tree;
use crate::error::Result;
use crate::ir::primitive::Facts;
use crate::ir::{Exprs, Factorization};

const GROUP: &str = "Decompositions";

const ITERATED: Facts =
    exempt("a statement of its own: tests/python/language/builtins/test_decompositions.py");

/// The factors: matrices of nine or four components, vectors of three or two.
fn factors(c: &mut Call<'_>, of: Factorization) -> Vec<Tree> {
    let values = c.builder().factor(of, &c.operand(0).parts);
    let values = c.b.exprs(&values);
    let n = of.size();
    let lengths: &[usize] = match of {
        Factorization::Svd2 | Factorization::Svd3 => &[n * n, n, n * n],
        Factorization::Qr3 => &[n * n, n * n],
        Factorization::Eig3 => &[n * n, n],
        _ => &[n * n],
    };
    let mut rest = &values[..];
    let trees = lengths.iter().map(|len| {
        let (parts, behind) = rest.split_at(*len);
        rest = behind;
        let parts = Exprs::from_slice(parts);
        match *len == n {
            true => c.vector(parts),
            false => c.matrix(n, n, parts),
        }
    });
    trees.collect()
}

/// Gives the factors.
fn given(c: &mut Call<'_>, of: Factorization) -> Result<Tree> {
    let factors = factors(c, of);
    Ok(c.tuple(factors))
}

/// Writes the factors to the arguments after the first.
fn written(c: &mut Call<'_>, of: Factorization) -> Result<Tree> {
    for (n, factor) in factors(c, of).into_iter().enumerate() {
        c.args[n + 1] = factor;
    }
    Ok(Tree::None)
}

pub const ROWS: &[Row] = &[
    Row {
        name: "svd2",
        group: GROUP,
        doc: "Singular value decomposition `A = U diag(sigma) Vᵀ` of a 2 x 2 matrix. sigma descends and is not negative; V is a \
              rotation, U has the sign of A's determinant. With variables for the factors, these get them. Where the singular values are \
              equal up to rounding, or both zero, U and V have no derivative: what a gradient would divide by their difference or sum counts as \
              0. That is right for what depends on sigma (in any order) and on `U * transpose(V)`.",
        overloads: &[
            overload!(
                "(A: mat(2, 2, F)) -> (mat(2, 2, F), vec(2, F), mat(2, 2, F))",
                |c| given(c, Factorization::Svd2),
                ITERATED
            ),
            overload!(
                "(A: mat(2, 2, F), U: ref(mat(2, 2, F)), sigma: ref(vec(2, F)), V: ref(mat(2, 2, F))) -> None",
                |c| written(c, Factorization::Svd2),
                ITERATED
            ),
        ],
    },
    Row {
        name: "svd3",
        group: GROUP,
        doc: "Singular value decomposition `A = U diag(sigma) Vᵀ` of a 3 x 3 matrix. U and V are rotations; sigma descends by \
              magnitude, and the last one has the sign of A's determinant. With variables for the factors, these get them. Gradients where two \
              singular values are equal up to rounding, or add up to zero, are as those of `svd2`.",
        overloads: &[
            overload!(
                "(A: mat(3, 3, F)) -> (mat(3, 3, F), vec(3, F), mat(3, 3, F))",
                |c| given(c, Factorization::Svd3),
                ITERATED
            ),
            overload!(
                "(A: mat(3, 3, F), U: ref(mat(3, 3, F)), sigma: ref(vec(3, F)), V: ref(mat(3, 3, F))) -> None",
                |c| written(c, Factorization::Svd3),
                ITERATED
            ),
        ],
    },
    Row {
        name: "qr3",
        group: GROUP,
        doc: "`A = Q R` of a 3 x 3 matrix: Q is a rotation, R an upper triangle whose first two diagonal components are not negative. \
              With variables for the factors, these get them. The gradient needs the first two columns of A to be independent: where they \
              are not, the components of the derivative that do not exist count as 0.",
        overloads: &[
            overload!(
                "(A: mat(3, 3, F)) -> (mat(3, 3, F), mat(3, 3, F))",
                |c| given(c, Factorization::Qr3),
                ITERATED
            ),
            overload!(
                "(A: mat(3, 3, F), Q: ref(mat(3, 3, F)), R: ref(mat(3, 3, F))) -> None",
                |c| written(c, Factorization::Qr3),
                ITERATED
            ),
        ],
    },
    Row {
        name: "eig3",
        group: GROUP,
        doc: "Eigenvectors, the columns of a rotation Q, and eigenvalues d, in no order, of a symmetric 3 x 3 matrix: \
              `A = Q diag(d) Qᵀ`. Of another matrix those of its symmetric part `(A + Aᵀ) / 2`. With variables for the results, these get them. \
              Where two eigenvalues are equal up to rounding, their eigenvectors have no derivative: what a gradient would divide by their \
              difference counts as 0. That is right for what depends on d, in any order.",
        overloads: &[
            overload!(
                "(A: mat(3, 3, F)) -> (mat(3, 3, F), vec(3, F))",
                |c| given(c, Factorization::Eig3),
                ITERATED
            ),
            overload!(
                "(A: mat(3, 3, F), Q: ref(mat(3, 3, F)), d: ref(vec(3, F))) -> None",
                |c| written(c, Factorization::Eig3),
                ITERATED
            ),
        ],
    },
];
