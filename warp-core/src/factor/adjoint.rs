//! Derivatives of decompositions and inverses in closed form.
//!
//! With `dU = U X` and `dV = V Y`, X and Y skew, `Uᵀ dA V = X S - Y S + dS` and the like say what X and Y are: each component is
//! one of `Uᵀ dA V` divided by a difference or a sum of singular values (of eigenvalues, of components of R). Where that is zero up to
//! rounding, the factors have no derivative, and the quotient counts as 0. For what does not depend on how equal values are told
//! apart, as `U Vᵀ` and sums over singular values, that is right: the dividend is zero, too, whatever the difference is. For a function
//! of the matrix that goes through the factors, as `U diag(s²) Vᵀ`, the limit of the quotient is lost: it is not in the adjoints.
//!
//! The inverse `B` of `A` has `dB = -B dA B`; where there is none, B is 0, and so is the adjoint.

use crate::factor::body::computed_in;
use crate::factor::expression::{epsilon, largest};
use crate::ir::expr::vector::{dot, neg, transpose};
use crate::ir::{Builder, Expr, ExprBuilder, Exprs, Factorization, Value};

/// Two singular values or eigenvalues count as equal if they differ by less than this many times the rounding of the largest.
const ROUNDINGS: f64 = 64.0;

/// The adjoint of the matrix. `outs` are the results, `ds` their adjoints.
pub fn adjoint(b: &mut Builder, of: Factorization, outs: &[Value], ds: &[Value]) -> Vec<Value> {
    let scalar = b.ty(outs[0]);
    let ty = computed_in(scalar);
    let b = ExprBuilder::new(b);
    let [outs, ds] = [outs, ds].map(|list| -> Exprs<'_> {
        let exprs = list.iter().map(|x| b.expr(*x).cast(ty));
        exprs.collect()
    });
    let parts = match of {
        Factorization::Svd2 | Factorization::Svd3 => svd(&outs, &ds, of.size()),
        Factorization::Qr3 => qr3(&outs, &ds),
        Factorization::Eig3 => eig3(&outs, &ds),
        Factorization::Inverse2 | Factorization::Inverse3 | Factorization::Inverse4 => {
            inverse(&outs, &ds, of.size())
        }
    };
    parts.iter().map(|x| x.cast(scalar).value()).collect()
}

/// `1 / x`, and 0 where x is 0 up to rounding of `size`.
fn reciprocal<'s>(x: Expr<'s>, size: Expr<'s>) -> Expr<'s> {
    let [zero, one, rounding] = x.numbers([0.0, 1.0, ROUNDINGS * epsilon(x.ty())]);
    let distance = x.abs();
    let apart = (rounding * size.abs()).lt(distance);
    apart.select(one / apart.select(x, one), zero)
}

/// `x y` of square matrices.
fn product<'s>(x: &[Expr<'s>], y: &[Expr<'s>], n: usize) -> Exprs<'s> {
    let columns = transposed(y, n);
    let cell = |k: usize| {
        let (row, column) = (k / n * n, k % n * n);
        dot(&x[row..row + n], &columns[column..column + n])
    };
    (0..n * n).map(cell).collect()
}

fn transposed<'s>(x: &[Expr<'s>], n: usize) -> Exprs<'s> {
    transpose(x, n, n)
}

/// `m[i, j] - m[j, i]`.
fn skew<'s>(m: &[Expr<'s>], n: usize, i: usize, j: usize) -> Expr<'s> {
    m[i * n + j] - m[j * n + i]
}

fn svd<'s>(outs: &[Expr<'s>], ds: &[Expr<'s>], n: usize) -> Exprs<'s> {
    let (u, s, v) = (&outs[..n * n], &outs[n * n..n * n + n], &outs[n * n + n..]);
    let (du, d, dv) = (&ds[..n * n], &ds[n * n..n * n + n], &ds[n * n + n..]);
    let left = product(&transposed(u, n), du, n);
    let right = product(&transposed(v, n), dv, n);
    let half = s[0].number(0.5);
    let mut p: Exprs<'s> = (0..n * n).map(|k| d[k / n]).collect();
    for i in 0..n {
        for j in i + 1..n {
            let (x, y) = (skew(&left, n, i, j), skew(&right, n, i, j));
            let gap = reciprocal(s[j] - s[i], s[0]);
            let sum = reciprocal(s[j] + s[i], s[0]);
            let (both, one) = (half * (x + y) * gap, half * (x - y) * sum);
            (p[i * n + j], p[j * n + i]) = (both + one, both - one);
        }
    }
    product(&product(u, &p, n), &transposed(v, n), n)
}

fn eig3<'s>(outs: &[Expr<'s>], ds: &[Expr<'s>]) -> Exprs<'s> {
    let (q, d) = (&outs[..9], &outs[9..]);
    let turned = product(&transposed(q, 3), &ds[..9], 3);
    let most = largest(d);
    let half = most.number(0.5);
    let mut p: Exprs<'s> = (0..9).map(|k| ds[9 + k / 3]).collect();
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        let x = skew(&turned, 3, i, j);
        let gap = reciprocal(d[j] - d[i], most);
        let x = half * x * gap;
        (p[3 * i + j], p[3 * j + i]) = (x, x);
    }
    product(&product(q, &p, 3), &transposed(q, 3), 3)
}

/// The components of R below the diagonal are constants: their adjoints count for nothing. The last column of Q follows
/// from the others, so only the first two columns of A must be independent.
fn qr3<'s>(outs: &[Expr<'s>], ds: &[Expr<'s>]) -> Exprs<'s> {
    let (q, r) = (&outs[..9], &outs[9..]);
    let zero = r[0].number(0.0);
    let mut p: Exprs<'s> = (0..9)
        .map(|k| if k % 3 < k / 3 { zero } else { ds[9 + k] })
        .collect();
    let turned = product(&transposed(q, 3), &ds[..9], 3);
    let taken = product(&p, &transposed(r, 3), 3);
    // What each component of X below the diagonal counts for.
    let below = |i: usize, j: usize| skew(&turned, 3, i, j) - skew(&taken, 3, i, j);
    let (x10, x20, x21) = (below(1, 0), below(2, 0), below(2, 1));
    let first = reciprocal(r[0], zero);
    let second = reciprocal(r[4], largest(&[r[1], r[4]]));
    p[3] = x10 * first;
    p[7] = x21 * second;
    p[6] = (x20 - p[7] * r[1]) * first;
    product(q, &p, 3)
}

fn inverse<'s>(outs: &[Expr<'s>], ds: &[Expr<'s>], n: usize) -> Exprs<'s> {
    let across = transposed(outs, n);
    neg(&product(&product(&across, ds, n), &across, n))
}
