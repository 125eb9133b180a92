//! Inverses by cofactors (Cramer's rule): no branches, so that threads stay in step.

use crate::ir::expr::vector::dot;
use crate::ir::{Expr, Exprs};

/// The inverse of an `n x n` matrix of up to 4 rows; all 0 where the determinant is 0.
pub(super) fn inverse<'s>(a: &[Expr<'s>], n: usize) -> Exprs<'s> {
    let cofactors = match n {
        2 => Exprs::from_slice(&[a[3], -a[2], -a[1], a[0]]),
        3 => cofactors3(a),
        _ => cofactors4(a),
    };
    let det = dot(&a[..n], &cofactors[..n]);
    let [zero, one] = det.numbers([0.0, 1.0]);
    let regular = det.ne(zero);
    let scale = regular.select(one / regular.select(det, one), zero);
    (0..n * n)
        .map(|k| cofactors[k % n * n + k / n] * scale)
        .collect()
}

/// Rows and columns in cyclic order: their signs are all positive.
fn cofactors3<'s>(a: &[Expr<'s>]) -> Exprs<'s> {
    let at = |row: usize, col: usize| a[row % 3 * 3 + col % 3];
    let cofactor = |k: usize| {
        let (i, j) = (k / 3, k % 3);
        at(i + 1, j + 1) * at(i + 2, j + 2) - at(i + 1, j + 2) * at(i + 2, j + 1)
    };
    (0..9).map(cofactor).collect()
}

/// By the determinants of pairs of rows (Laplace's expansion): each is used four times.
fn cofactors4<'s>(a: &[Expr<'s>]) -> Exprs<'s> {
    // At `4 * i + j` the determinant of columns i < j of rows `row` and `row + 1`.
    let [upper, lower] = [0, 2].map(|row| {
        let at = |down: usize, col: usize| a[4 * (row + down) + col];
        let mut pairs = [None; 16];
        for i in 0..4 {
            for j in i + 1..4 {
                pairs[4 * i + j] = Some(at(0, i) * at(1, j) - at(0, j) * at(1, i));
            }
        }
        pairs
    });
    let cofactor = |at: usize| {
        let (row, col) = (at / 4, at % 4);
        let pairs = if row < 2 { &lower } else { &upper };
        let cols: [usize; 3] = std::array::from_fn(|k| k + usize::from(k >= col));
        // The other row of the pair, by the pairs of the others' columns.
        let [first, second, third] = [[0, 1, 2], [1, 0, 2], [2, 0, 1]].map(|[k, i, j]| {
            let pair = pairs[4 * cols[i] + cols[j]].expect("columns ascend");
            a[4 * (row ^ 1) + cols[k]] * pair
        });
        let minor = first - second + third;
        let odd = (row + col) % 2 == 1;
        if odd { -minor } else { minor }
    };
    (0..16).map(cofactor).collect()
}
