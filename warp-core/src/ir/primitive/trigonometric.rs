//! Circular and hyperbolic functions and their inverses.

use super::facts::{Facts, Reference};
use super::power::over_root;
use super::row::{Builtin, Derivative, FUNCTION, OnFloats};
use crate::ir::expr::Expr;

family! { $ trigonometric;
    /// Sine of an angle in radians.
    Sin: "sin", Float1 {
        cost: FUNCTION,
        floats: OnFloats::Unary(f64::sin),
        derivative: Derivative::Unary(|d, _, x| d * x.cos()),
        float_code: library!(sinf, sin),
        builtin: of_float!("sin", [-4.0, 4.0], f64::sin),
    }

    /// Cosine of an angle in radians.
    Cos: "cos", Float1 {
        cost: FUNCTION,
        floats: OnFloats::Unary(f64::cos),
        derivative: Derivative::Unary(|d, _, x| -(d * x.sin())),
        float_code: library!(cosf, cos),
        builtin: of_float!("cos", [-4.0, 4.0], f64::cos),
    }

    /// Tangent of an angle in radians.
    Tan: "tan", Float1 {
        cost: FUNCTION,
        floats: OnFloats::Unary(f64::tan),
        derivative: Derivative::Unary(|d, out, _| d * (1.0 + out * out)),
        float_code: library!(tanf, tan),
        builtin: of_float!("tan", [-1.3, 1.3], f64::tan),
    }

    /// Inverse sine in radians; NaN outside [-1, 1].
    Asin: "asin", Float1 {
        cost: FUNCTION,
        floats: OnFloats::Unary(f64::asin),
        derivative: Derivative::Unary(|d, _, x| over_cosine(d, x)),
        float_code: library!(asinf, asin),
        builtin: of_float!("asin", [-0.9, 0.9], f64::asin),
    }

    /// Inverse cosine in radians; NaN outside [-1, 1].
    Acos: "acos", Float1 {
        cost: FUNCTION,
        floats: OnFloats::Unary(f64::acos),
        derivative: Derivative::Unary(|d, _, x| -over_cosine(d, x)),
        float_code: library!(acosf, acos),
        builtin: of_float!("acos", [-0.9, 0.9], f64::acos),
    }

    /// Inverse tangent in radians.
    Atan: "atan", Float1 {
        cost: FUNCTION,
        floats: OnFloats::Unary(f64::atan),
        derivative: Derivative::Unary(|d, _, x| d / (1.0 + x * x)),
        float_code: library!(atanf, atan),
        builtin: of_float!("atan", [-4.0, 4.0], f64::atan),
    }

    /// Angle of the point (x, y) in radians, from -pi to pi; 0 at the origin.
    Atan2: "atan2", Float2 {
        cost: FUNCTION,
        floats: OnFloats::Binary(|y, x, _| y.atan2(x)),
        derivative: Derivative::Binary(atan2),
        float_code: library!(atan2f, atan2, binary),
        builtin: Some(Builtin {
            name: "atan2",
            sig: "(y: F, x: F) -> F",
            facts: Facts {
                domain: &[(0.2, 2.0), (-2.0, 2.0)],
                reference: Reference::Is(|x| vec![x[0].atan2(x[1])]),
            },
        }),
    }

    /// Hyperbolic sine.
    Sinh: "sinh", Float1 {
        cost: FUNCTION,
        floats: OnFloats::Unary(f64::sinh),
        derivative: Derivative::Unary(|d, _, x| d * x.cosh()),
        float_code: library!(sinhf, sinh),
        builtin: of_float!("sinh", [-2.0, 2.0], f64::sinh),
    }

    /// Hyperbolic cosine.
    Cosh: "cosh", Float1 {
        cost: FUNCTION,
        floats: OnFloats::Unary(f64::cosh),
        derivative: Derivative::Unary(|d, _, x| d * x.sinh()),
        float_code: library!(coshf, cosh),
        builtin: of_float!("cosh", [-2.0, 2.0], f64::cosh),
    }

    /// Hyperbolic tangent.
    Tanh: "tanh", Float1 {
        cost: FUNCTION,
        floats: OnFloats::Unary(f64::tanh),
        derivative: Derivative::Unary(|d, out, _| d * (1.0 - out * out)),
        float_code: library!(tanhf, tanh),
        builtin: of_float!("tanh", [-2.0, 2.0], f64::tanh),
    }
}

/// `d / sqrt(1 - x * x)`
fn over_cosine<'s>(d: Expr<'s>, x: Expr<'s>) -> Expr<'s> {
    over_root(d, (1.0 - x * x).sqrt())
}

/// At the origin, where there is no angle, both get nothing.
fn atan2<'s>(d: Expr<'s>, _: Expr<'s>, y: Expr<'s>, x: Expr<'s>) -> [Option<Expr<'s>>; 2] {
    let square = y * y + x * x;
    let [zero, one] = d.numbers([0.0, 1.0]);
    let over = d / square.eq(zero).select(one, square);
    let (dy, dx) = (over * x, over * y);
    [Some(dy), Some(-dx)]
}
