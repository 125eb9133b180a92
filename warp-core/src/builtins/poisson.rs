//! Random numbers of the Poisson distribution.

use crate::builtins::algebra;
use crate::builtins::random::{float, uniform};
use crate::dtype::Scalar;
use crate::ir::{Builder, Op, Value};
use std::f64::consts::TAU;

/// From this mean on numbers are proposed and rejected; below it uniform numbers are multiplied.
const LARGE: f64 = 10.0;

/// Draws a number (uint32) of the distribution with mean `mean`: 0 without a draw where that is 0. Gives number and state.
pub fn poisson(b: &mut Builder, state: Value, mean: Value) -> [Value; 2] {
    let (zero, large) = (float(b, 0.0), float(b, LARGE));
    let none = b.op(Op::Eq, &[mean, zero]);
    let large = b.op(Op::Ge, &[mean, large]);
    let found = b.if_(
        none,
        |b| vec![float(b, 0.0), state],
        |b| {
            b.if_(
                large,
                |b| rejection(b, state, mean),
                |b| product(b, state, mean),
            )
        },
    );
    [b.cast(found[0], Scalar::U32), found[1]]
}

/// How many uniform numbers can be multiplied until the product is not above exp(-mean) (D. Knuth).
fn product(b: &mut Builder, mut state: Value, mean: Value) -> Vec<Value> {
    let minus = b.op(Op::Neg, &[mean]);
    let least = b.op(Op::Exp, &[minus]);
    let first = uniform(b, &mut state);
    let none = float(b, 0.0);
    let found = b.while_(
        vec![none, state, first],
        |b, now| b.op(Op::Gt, &[now[2], least]),
        |b, now| {
            let one = float(b, 1.0);
            let count = b.op(Op::Add, &[now[0], one]);
            let mut state = now[1];
            let u = uniform(b, &mut state);
            vec![count, state, b.op(Op::Mul, &[now[2], u])]
        },
    );
    found[..2].into()
}

/// Transformed rejection with a squeeze (W. Hörmann, "The transformed rejection method for generating Poisson random
/// variables", algorithm PTRS), in float32 but for the logarithm of the factorial.
fn rejection(b: &mut Builder, state: Value, mean: Value) -> Vec<Value> {
    let root = b.op(Op::Sqrt, &[mean]);
    let log_mean = b.op(Op::Log, &[mean]);
    let width = affine(b, 0.931, 2.53, root);
    let a = affine(b, -0.059, 0.02483, width);
    let by = |b: &mut Builder, x: f64, y: f64, less: f64| {
        let (x, y, less) = (float(b, x), float(b, y), float(b, less));
        let below = b.op(Op::Sub, &[width, less]);
        let part = b.op(Op::Div, &[y, below]);
        b.op(Op::Add, &[x, part])
    };
    let inverse_alpha = by(b, 1.1239, 1.1328, 3.4);
    let squeeze = by(b, 0.9277, -3.6224, 2.0);
    let [zero, two] = [0.0, 2.0].map(|x| float(b, x));
    let twice = b.op(Op::Mul, &[two, a]);
    let go_on = b.bool(true);
    let found = b.while_(
        vec![zero, state, go_on],
        |_, now| now[2],
        |b, now| {
            let mut state = now[1];
            let half = float(b, 0.5);
            let u = uniform(b, &mut state);
            let u = b.op(Op::Sub, &[u, half]);
            let v = uniform(b, &mut state);
            let size = b.op(Op::Abs, &[u]);
            let from_end = b.op(Op::Sub, &[half, size]);
            let count = {
                let slope = b.op(Op::Div, &[twice, from_end]);
                let slope = b.op(Op::Add, &[slope, width]);
                let x = b.op(Op::Mul, &[slope, u]);
                let x = b.op(Op::Add, &[x, mean]);
                let shift = float(b, 0.43);
                let x = b.op(Op::Add, &[x, shift]);
                b.op(Op::Floor, &[x])
            };
            let [middle, edge] = [0.07, 0.013].map(|x| float(b, x));
            let central = b.op(Op::Ge, &[from_end, middle]);
            let small = b.op(Op::Le, &[v, squeeze]);
            let sure = b.op(Op::And, &[central, small]);
            let impossible = {
                let negative = b.op(Op::Lt, &[count, zero]);
                let outer = b.op(Op::Lt, &[from_end, edge]);
                let above = b.op(Op::Gt, &[v, from_end]);
                let outside = b.op(Op::And, &[outer, above]);
                b.op(Op::Or, &[negative, outside])
            };
            let fits = {
                let square = b.op(Op::Mul, &[from_end, from_end]);
                let x = b.op(Op::Div, &[a, square]);
                let x = b.op(Op::Add, &[x, width]);
                let logs = [v, inverse_alpha, x].map(|x| b.op(Op::Log, &[x]));
                let left = b.op(Op::Add, &[logs[0], logs[1]]);
                let left = b.op(Op::Sub, &[left, logs[2]]);
                let power = b.op(Op::Mul, &[count, log_mean]);
                let count = b.op(Op::Max, &[count, zero]);
                let factorial = log_factorial(b, count);
                let factorial = b.cast(factorial, Scalar::F32);
                let rest = b.op(Op::Add, &[mean, factorial]);
                let right = b.op(Op::Sub, &[power, rest]);
                b.op(Op::Le, &[left, right])
            };
            let possible = b.op(Op::Not, &[impossible]);
            let fits = b.op(Op::And, &[possible, fits]);
            let taken = b.op(Op::Or, &[sure, fits]);
            vec![count, state, b.op(Op::Not, &[taken])]
        },
    );
    found[..2].into()
}

/// `x + y * z`
fn affine(b: &mut Builder, x: f64, y: f64, z: Value) -> Value {
    let (x, y) = (float(b, x), float(b, y));
    let product = b.op(Op::Mul, &[y, z]);
    b.op(Op::Add, &[x, product])
}

/// The logarithm (float64) of the factorial of a whole float32 by Stirling's series, which begins seven numbers further on.
fn log_factorial(b: &mut Builder, n: Value) -> Value {
    const SHIFT: i32 = 7;
    let n = b.cast(n, Scalar::F64);
    let number = |b: &mut Builder, x: f64| b.number(Scalar::F64, x);
    let mut factors = Vec::new();
    for i in 1..=SHIFT {
        let i = number(b, i.into());
        factors.push(b.op(Op::Add, &[n, i]));
    }
    let (first, rest) = factors.split_first().expect("factors");
    let product = rest.iter().fold(*first, |x, y| b.op(Op::Mul, &[x, *y]));
    let shift = number(b, f64::from(SHIFT) + 1.0);
    let x = b.op(Op::Add, &[n, shift]);
    let (half, offset, one) = (number(b, 0.5), number(b, 0.5 * TAU.ln()), number(b, 1.0));
    let log = b.op(Op::Log, &[x]);
    let less = b.op(Op::Sub, &[x, half]);
    let whole = b.op(Op::Mul, &[less, log]);
    let mut terms = vec![b.op(Op::Sub, &[whole, x]), offset];
    let inverse = b.op(Op::Div, &[one, x]);
    let square = b.op(Op::Mul, &[inverse, inverse]);
    let mut power = inverse;
    for coefficient in [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0] {
        let coefficient = number(b, coefficient);
        terms.push(b.op(Op::Mul, &[coefficient, power]));
        power = b.op(Op::Mul, &[power, square]);
    }
    let sum = algebra::sum(b, &terms);
    let log = b.op(Op::Log, &[product]);
    b.op(Op::Sub, &[sum, log])
}
