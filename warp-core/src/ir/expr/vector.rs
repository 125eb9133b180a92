//! Arithmetic on lists of expressions: vectors, and other composites component by component.

use super::{Expr, Exprs};

/// Applies `f` to pairs.
pub fn zip<'s>(
    x: &[Expr<'s>],
    y: &[Expr<'s>],
    f: impl Fn(Expr<'s>, Expr<'s>) -> Expr<'s>,
) -> Exprs<'s> {
    x.iter().zip(y).map(|(x, y)| f(*x, *y)).collect()
}

/// Applies `f` to each.
pub fn map<'s>(x: &[Expr<'s>], f: impl Fn(Expr<'s>) -> Expr<'s>) -> Exprs<'s> {
    x.iter().map(|x| f(*x)).collect()
}

/// `x + y`
pub fn add<'s>(x: &[Expr<'s>], y: &[Expr<'s>]) -> Exprs<'s> {
    zip(x, y, |x, y| x + y)
}

/// `x - y`
pub fn sub<'s>(x: &[Expr<'s>], y: &[Expr<'s>]) -> Exprs<'s> {
    zip(x, y, |x, y| x - y)
}

/// `-x`
pub fn neg<'s>(x: &[Expr<'s>]) -> Exprs<'s> {
    map(x, |x| -x)
}

/// `x * by`
pub fn scaled<'s>(x: &[Expr<'s>], by: Expr<'s>) -> Exprs<'s> {
    map(x, |x| x * by)
}

/// `x / by`
pub fn divided<'s>(x: &[Expr<'s>], by: Expr<'s>) -> Exprs<'s> {
    map(x, |x| x / by)
}

/// `cond ? x : y`
pub fn select<'s>(cond: Expr<'s>, x: &[Expr<'s>], y: &[Expr<'s>]) -> Exprs<'s> {
    zip(x, y, |x, y| cond.select(x, y))
}

/// All of a list joined by `f`, from the first on.
///
/// # Panics
/// If the list is empty.
pub fn join<'s>(x: &[Expr<'s>], f: impl Fn(Expr<'s>, Expr<'s>) -> Expr<'s>) -> Expr<'s> {
    let (first, rest) = x.split_first().expect("a list that is not empty");
    rest.iter().fold(*first, |joined, x| f(joined, *x))
}

/// Sum of a list that is not empty.
pub fn sum<'s>(x: &[Expr<'s>]) -> Expr<'s> {
    join(x, |sum, x| sum + x)
}

/// Sum of products of two lists; at least one pair.
pub fn dot<'s>(x: &[Expr<'s>], y: &[Expr<'s>]) -> Expr<'s> {
    sum(&zip(x, y, |x, y| x * y))
}

/// `dot(x, x)`
pub fn square<'s>(x: &[Expr<'s>]) -> Expr<'s> {
    dot(x, x)
}

/// Cross product.
pub fn cross<'s>(x: &[Expr<'s>], y: &[Expr<'s>]) -> Exprs<'s> {
    let component = |(i, j): (usize, usize)| x[i] * y[j] - x[j] * y[i];
    [(1, 2), (2, 0), (0, 1)]
        .into_iter()
        .map(component)
        .collect()
}

/// Rows of a matrix as columns.
pub fn transpose<T: Copy, L: FromIterator<T>>(x: &[T], rows: usize, cols: usize) -> L {
    let cells = (0..rows * cols).map(|i| x[i % rows * cols + i / rows]);
    cells.collect()
}
