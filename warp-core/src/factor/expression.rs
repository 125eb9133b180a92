//! What the formulas of decompositions share.

use crate::dtype::Scalar;
use crate::ir::expr::vector::{divided, join, select, square};
use crate::ir::{Expr, Exprs};

/// The distance of 1 from the next larger number.
pub(super) fn epsilon(ty: Scalar) -> f64 {
    match ty {
        Scalar::F64 => f64::EPSILON,
        _ => f32::EPSILON.into(),
    }
}

/// Squares of numbers above this are normal.
pub(super) fn tiny(ty: Scalar) -> f64 {
    match ty {
        Scalar::F64 => 1e-150,
        _ => 1e-18,
    }
}

/// The largest absolute value.
pub(super) fn largest<'s>(x: &[Expr<'s>]) -> Expr<'s> {
    let sizes: Exprs<'s> = x.iter().map(|x| x.abs()).collect();
    join(&sizes, |most, x| most.max(x))
}

/// `(c x - s y, s x + c y)`: a plane rotation.
pub(super) fn turn<'s>([c, s]: [Expr<'s>; 2], x: Expr<'s>, y: Expr<'s>) -> [Expr<'s>; 2] {
    [c * x - s * y, s * x + c * y]
}

/// What a matrix is divided by so that squares of its components neither overflow nor vanish: 1 for most.
pub(super) fn scale<'s>(a: &[Expr<'s>]) -> Expr<'s> {
    let most = largest(a);
    let (low, high) = match most.ty() {
        Scalar::F64 => (1e-100, 1e100),
        _ => (1e-10, 1e10),
    };
    let [zero, one, high] = most.numbers([0.0, 1.0, high]);
    let outside = (most.lt(low) | high.lt(most)) & zero.lt(most);
    outside.select(most, one)
}

/// A vector of length 1 in the direction of `x`, and the length of `x`; `otherwise` and 0 where that is 0.
pub(super) fn unit<'s>(x: &[Expr<'s>], otherwise: &[Expr<'s>]) -> (Exprs<'s>, Expr<'s>) {
    let most = largest(x);
    let [zero, one] = most.numbers([0.0, 1.0]);
    let some = zero.lt(most);
    let near = divided(x, some.select(most, one));
    let length = some.select(square(&near), one).sqrt();
    let unit = select(some, &divided(&near, length), otherwise);
    (unit, most * length)
}

/// The rotation by which one of Jacobi's methods makes the off-diagonal `g` of the symmetric matrix `[[a, g], [g, b]]`
/// zero: `[c, s]` and the tangent. Nothing where `small`.
pub(super) fn jacobi<'s>([a, b, g]: [Expr<'s>; 3], small: Expr<'s>) -> ([Expr<'s>; 2], Expr<'s>) {
    let [zero, one, far] = g.numbers([0.0, 1.0, 1.0 / epsilon(g.ty())]);
    let z = (b - a) / (2.0 * small.select(one, g));
    let size = z.abs();
    let root = (one + z * z).sqrt();
    // Beyond this the square would at last overflow, and 1 is lost in it long before.
    let root = far.lt(size).select(size, root);
    let t = one / (size + root);
    let t = z.lt(zero).select(-t, t);
    let t = small.select(zero, t);
    let c = one / (one + t * t).sqrt();
    ([c, c * t], t)
}
