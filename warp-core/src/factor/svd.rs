//! The singular value decomposition by one-sided Jacobi rotations (M. R. Hestenes, "Inversion of Matrices by
//! Biorthogonalization and Related Results", 1958).
//!
//! Rotations of pairs of columns make the columns of `A V` orthogonal; their lengths are the singular values. Small ones come
//! out as exact as the columns are, unlike those from the eigenvalues of `Aᵀ A`.

use crate::factor::expression::{epsilon, jacobi, scale, tiny, turn, unit};
use crate::ir::expr::vector::{
    cross, divided, dot, map, neg, scaled, select, square, sub, transpose,
};
use crate::ir::{Expr, ExprBuilder, Exprs};

/// More rounds than any matrix of numbers takes; one that holds NaN takes all of them.
const ROUNDS: i32 = 90;

/// A matrix as its columns.
type Columns<'s> = Vec<Exprs<'s>>;

/// `A V` with orthogonal columns, and V. Each round turns the first two columns, then the columns move on by one, so that
/// the text holds one rotation.
fn orthogonal<'s>(b: &'s ExprBuilder<'_>, a: &[Expr<'s>], n: usize) -> [Columns<'s>; 2] {
    let [zero, one] = a[0].numbers([0.0, 1.0]);
    let mut init: Vec<Expr<'s>> = transpose(a, n, n);
    init.extend((0..n * n).map(|i| if i / n == i % n { one } else { zero }));
    let last = init.len();
    init.extend([b.i32(0); 2]);
    let pairs = if n == 2 { 1 } else { 3 };
    let done = b.while_(
        &init,
        |now| now[last].lt(pairs) & now[last + 1].lt(ROUNDS),
        |now| {
            let (x, y) = (&now[..n], &now[n..2 * n]);
            let (alpha, beta, gamma) = (square(x), square(y), dot(x, y));
            let (first, second) = (alpha.sqrt(), beta.sqrt());
            let small = gamma.abs().le(epsilon(gamma.ty()) * (first * second));
            let tiny = gamma.number(tiny(gamma.ty()));
            let small = small | (first.lt(tiny) | second.lt(tiny));
            let (by, _) = jacobi([alpha, beta, gamma], small);
            let mut next = Vec::with_capacity(now.len());
            for m in [&now[..n * n], &now[n * n..last]] {
                let turned: Vec<_> = (0..n).map(|i| turn(by, m[i], m[n + i])).collect();
                let (x, y) = (turned.iter().map(|t| t[0]), turned.iter().map(|t| t[1]));
                match n {
                    2 => next.extend(x.chain(y)),
                    _ => next.extend(y.chain(m[2 * n..].iter().copied()).chain(x)),
                }
            }
            let one = b.i32(1);
            next.push(small.select(now[last] + one, 0));
            next.push(now[last + 1] + one);
            next
        },
    );
    let columns = |m: &[Expr<'s>]| m.chunks(n).map(Exprs::from_slice).collect();
    [columns(&done[..n * n]), columns(&done[n * n..last])]
}

/// U, s, V.
pub(super) fn svd<'s>(b: &'s ExprBuilder<'_>, a: &[Expr<'s>], n: usize) -> Exprs<'s> {
    let scale = scale(a);
    let [mut av, mut v] = orthogonal(b, &divided(a, scale), n);
    let mut squares: Exprs<'s> = av.iter().map(|x| square(x)).collect();
    // Columns by descending length. One of two that change places changes its sign, so that V stays a rotation.
    let swaps: &[(usize, usize)] = match n {
        2 => &[(0, 1)],
        _ => &[(0, 1), (1, 2), (0, 1)],
    };
    for (i, j) in swaps.iter().copied() {
        let (x, y) = (squares[i], squares[j]);
        let wrong = x.lt(y);
        (squares[i], squares[j]) = (wrong.select(y, x), wrong.select(x, y));
        for m in [&mut av, &mut v] {
            let (x, y) = (&m[i], &m[j]);
            let minus = neg(x);
            (m[i], m[j]) = (select(wrong, y, x), select(wrong, &minus, y));
        }
    }
    let (u, sizes) = match n {
        2 => left2(&av),
        _ => left3(&av),
    };
    let rows = |columns: &Columns<'s>| -> Exprs<'s> {
        (0..n * n).map(|i| columns[i % n][i / n]).collect()
    };
    let mut out = rows(&u);
    out.extend(sizes.into_iter().map(|size| size * scale));
    out.extend(rows(&v));
    out
}

fn left2<'s>(av: &[Exprs<'s>]) -> (Columns<'s>, Vec<Expr<'s>>) {
    let [zero, one] = av[0][0].numbers([0.0, 1.0]);
    let (first, s0) = unit(&av[0], &[one, zero]);
    let across = [-first[1], first[0]];
    let signed = dot(&across, &av[1]);
    let second = select(signed.lt(zero), &neg(&across), &across);
    (vec![first, second], vec![s0, signed.abs()])
}

fn left3<'s>(av: &[Exprs<'s>]) -> (Columns<'s>, Vec<Expr<'s>>) {
    let [zero, one] = av[0][0].numbers([0.0, 1.0]);
    let (first, s0) = unit(&av[0], &[one, zero, zero]);
    // A direction across the first: its cross product with the axis along which it is shortest.
    let sizes = map(&first, |x| x.abs());
    let least0 = sizes[0].le(sizes[1]) & sizes[0].le(sizes[2]);
    let least1 = sizes[1].le(sizes[2]);
    let [e0, e1, e2] = [[one, zero, zero], [zero, one, zero], [zero, zero, one]];
    let axis = select(least0, &e0, &select(least1, &e1, &e2));
    let (across, _) = unit(&cross(&first, &axis), &e1);
    // What rounding left of the first column in the second goes.
    let along = dot(&first, &av[1]);
    let rest = sub(&av[1], &scaled(&first, along));
    let (second, s1) = unit(&rest, &across);
    let third = cross(&first, &second);
    let s2 = dot(&third, &av[2]);
    (vec![first, second, third], vec![s0, s1, s2])
}
