//! Eigenvalues and eigenvectors of symmetric matrices by the Jacobi eigenvalue method (C. G. J. Jacobi, 1846): plane
//! rotations, each of which makes one component off the diagonal zero.

use crate::factor::expression::{epsilon, jacobi, largest, scale, turn};
use crate::ir::expr::vector::{divided, transpose};
use crate::ir::{Expr, ExprBuilder, Exprs};

/// As for singular values.
const ROUNDS: i32 = 90;

/// Q, d of the symmetric part. Each round turns the first two axes, then the axes move on by one; after a number of
/// rounds that three divides they stand where they began.
pub(super) fn eig3<'s>(b: &'s ExprBuilder<'_>, a: &[Expr<'s>]) -> Exprs<'s> {
    let scale = scale(a);
    let a = divided(a, scale);
    let [zero, half, one] = scale.numbers([0.0, 0.5, 1.0]);
    let off = |i: usize, j: usize| half * (a[3 * i + j] + a[3 * j + i]);
    let (a01, a02, a12) = (off(0, 1), off(0, 2), off(1, 2));
    // d0 d1 d2, a01 a02 a12, the columns of Q.
    let mut init = vec![a[0], a[4], a[8], a01, a02, a12];
    let most = largest(&init);
    init.extend([one, zero, zero, zero, one, zero, zero, zero, one]);
    init.extend([b.i32(0); 3]);
    let done = b.while_(
        &init,
        |now| {
            let (quiet, phase, round) = (now[15], now[16], now[17]);
            (quiet.lt(3) | phase.ne(0)) & round.lt(ROUNDS)
        },
        |now| rotated(b, now, most),
    );
    let mut out: Exprs<'s> = transpose(&done[6..15], 3, 3);
    out.extend(done[..3].iter().map(|d| *d * scale));
    out
}

/// One round; `most` is the largest component.
fn rotated<'s>(b: &'s ExprBuilder<'_>, now: &[Expr<'s>], most: Expr<'s>) -> Vec<Expr<'s>> {
    let [d0, d1, d2, a01, a02, a12] = [0, 1, 2, 3, 4, 5].map(|i| now[i]);
    let epsilon = epsilon(most.ty());
    let near = 0.25 * epsilon * (d0.abs().sqrt() * d1.abs().sqrt());
    let bound = near.max(epsilon * epsilon * most);
    let small = a01.abs().le(bound);
    let (by, t) = jacobi([d0, d1, a01], small);
    let moved = t * a01;
    let (d0, d1) = (d0 - moved, d1 + moved);
    let a01 = small.select(a01, 0.0);
    let [a02, a12] = turn(by, a02, a12);
    let q = &now[6..15];
    let turned = [0, 1, 2].map(|i| turn(by, q[i], q[3 + i]));
    // The new axes 0, 1, 2 are 1, 2, 0.
    let mut next = vec![d1, d2, d0, a12, a01, a02];
    next.extend(turned.map(|t| t[1]));
    next.extend(&q[6..]);
    next.extend(turned.map(|t| t[0]));
    let [zero, one] = [0, 1].map(|n| b.i32(n));
    let (quiet, phase, round) = (now[15], now[16], now[17]);
    next.push(small.select(quiet + one, zero));
    next.push(phase.eq(2).select(zero, phase + one));
    next.push(round + one);
    next
}
