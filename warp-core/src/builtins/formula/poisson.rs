//! Random numbers of the Poisson distribution.

use crate::builtins::formula::random::uniform;
use crate::dtype::Scalar;
use crate::ir::expr::vector::join;
use crate::ir::{Expr, ExprBuilder, Exprs};
use std::f64::consts::TAU;

/// From this mean on numbers are proposed and rejected; below it uniform numbers are multiplied.
const LARGE: f64 = 10.0;

/// Draws a number (uint32) of the distribution with mean `mean`: 0 without a draw where that is 0. Gives number and state.
pub fn poisson<'s>(b: &'s ExprBuilder<'_>, state: Expr<'s>, mean: Expr<'s>) -> [Expr<'s>; 2] {
    let (none, large) = (mean.eq(0.0), mean.ge(LARGE));
    let found = b.if_(
        none,
        || Exprs::from_slice(&[mean.number(0.0), state]),
        || {
            b.if_(
                large,
                || rejection(b, state, mean),
                || product(b, state, mean),
            )
        },
    );
    [found[0].cast(Scalar::U32), found[1]]
}

/// How many uniform numbers can be multiplied until the product is not above exp(-mean) (D. Knuth).
fn product<'s>(b: &'s ExprBuilder<'_>, mut state: Expr<'s>, mean: Expr<'s>) -> Exprs<'s> {
    let least = (-mean).exp();
    let first = uniform(&mut state);
    let mut found = b.while_(
        &[mean.number(0.0), state, first],
        |now| now[2].gt(least),
        |now| {
            let mut state = now[1];
            let u = uniform(&mut state);
            [now[0] + 1.0, state, now[2] * u]
        },
    );
    found.truncate(2);
    found
}

/// Transformed rejection with a squeeze (W. Hörmann, "The transformed rejection method for generating Poisson random
/// variables", algorithm PTRS), in float32 but for the logarithm of the factorial.
fn rejection<'s>(b: &'s ExprBuilder<'_>, state: Expr<'s>, mean: Expr<'s>) -> Exprs<'s> {
    let log_mean = mean.log();
    let width = 0.931 + 2.53 * mean.sqrt();
    let a = -0.059 + 0.02483 * width;
    let inverse_alpha = 1.1239 + 1.1328 / (width - 3.4);
    let squeeze = 0.9277 + -3.6224 / (width - 2.0);
    let twice = 2.0 * a;
    let zero = mean.number(0.0);
    let go_on = b.bool(true);
    let mut found = b.while_(
        &[zero, state, go_on],
        |now| now[2],
        |now| {
            let mut state = now[1];
            let half = mean.number(0.5);
            let u = uniform(&mut state) - half;
            let v = uniform(&mut state);
            let from_end = half - u.abs();
            let count = ((twice / from_end + width) * u + mean + 0.43).floor();
            let sure = from_end.ge(0.07) & v.le(squeeze);
            let outside = from_end.lt(0.013) & v.gt(from_end);
            let impossible = count.lt(zero) | outside;
            let fits = {
                let x = a / (from_end * from_end) + width;
                let left = v.log() + inverse_alpha.log() - x.log();
                let factorial = log_factorial(count.max(zero)).cast(Scalar::F32);
                left.le(count * log_mean - (mean + factorial))
            };
            let taken = sure | (!impossible & fits);
            [count, state, !taken]
        },
    );
    found.truncate(2);
    found
}

/// The logarithm (float64) of the factorial of a whole float32 by Stirling's series, which begins seven numbers further on.
fn log_factorial<'s>(n: Expr<'s>) -> Expr<'s> {
    const SHIFT: i32 = 7;
    let n = n.cast(Scalar::F64);
    let factors: Exprs<'s> = (1..=SHIFT).map(|i| n + i).collect();
    let product = join(&factors, |x, y| x * y);
    let x = n + (SHIFT + 1);
    let mut sum = (x - 0.5) * x.log() - x + 0.5 * TAU.ln();
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    let mut power = inverse;
    for coefficient in [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0] {
        sum = sum + coefficient * power;
        power = power * square;
    }
    sum - product.log()
}
