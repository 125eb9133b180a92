//! `A = Q R` by Givens rotations (W. Givens, 1958): each makes one component below the diagonal zero, so that Q is a rotation
//! whatever the rank of A.

use crate::factor::expression::{turn, unit};
use crate::ir::expr::vector::transpose;
use crate::ir::{Expr, Exprs};

/// Q, R.
pub(super) fn qr3<'s>(a: &[Expr<'s>]) -> Exprs<'s> {
    let [zero, one] = a[0].numbers([0.0, 1.0]);
    let mut r = a.to_vec();
    // Rows of the transpose of Q.
    let mut q = vec![one, zero, zero, zero, one, zero, zero, zero, one];
    for (top, row, col) in [(0, 1, 0), (0, 2, 0), (1, 2, 1)] {
        let pair = [r[3 * top + col], r[3 * row + col]];
        let (by, length) = unit(&pair, &[one, zero]);
        let back = [by[0], -by[1]];
        for m in [&mut r, &mut q] {
            for k in 0..3 {
                let turned = turn(back, m[3 * top + k], m[3 * row + k]);
                [m[3 * top + k], m[3 * row + k]] = turned;
            }
        }
        (r[3 * top + col], r[3 * row + col]) = (length, zero);
    }
    let mut out: Exprs<'s> = transpose(&q, 3, 3);
    out.extend(r);
    out
}
