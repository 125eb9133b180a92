//! Circular and hyperbolic functions and their inverses.

use super::derivative::Chain;
use super::facts::{Facts, Reference};
use super::row::{Builtin, Derivative, FUNCTION, OnFloats};
use crate::ir::id::Value;
use crate::ir::op::Op;

family! { $ trigonometric;
    /// Sine of an angle in radians.
    Sin: "sin", Float1 {
        cost: FUNCTION,
        floats: OnFloats::Unary(f64::sin),
        derivative: Derivative::Unary(|c, x| {
            let cos = c.op1(Op::Cos, x);
            c.mul(c.d, cos)
        }),
        float_code: library!(sinf, sin),
        builtin: of_float!("sin", [-4.0, 4.0], f64::sin),
    }

    /// Cosine of an angle in radians.
    Cos: "cos", Float1 {
        cost: FUNCTION,
        floats: OnFloats::Unary(f64::cos),
        derivative: Derivative::Unary(|c, x| {
            let sin = c.op1(Op::Sin, x);
            let slope = c.mul(c.d, sin);
            c.neg(slope)
        }),
        float_code: library!(cosf, cos),
        builtin: of_float!("cos", [-4.0, 4.0], f64::cos),
    }

    /// Tangent of an angle in radians.
    Tan: "tan", Float1 {
        cost: FUNCTION,
        floats: OnFloats::Unary(f64::tan),
        derivative: Derivative::Unary(|c, _| {
            let slope = c.one_plus_square(c.out);
            c.mul(c.d, slope)
        }),
        float_code: library!(tanf, tan),
        builtin: of_float!("tan", [-1.3, 1.3], f64::tan),
    }

    /// Inverse sine in radians; NaN outside [-1, 1].
    Asin: "asin", Float1 {
        cost: FUNCTION,
        floats: OnFloats::Unary(f64::asin),
        derivative: Derivative::Unary(over_cosine),
        float_code: library!(asinf, asin),
        builtin: of_float!("asin", [-0.9, 0.9], f64::asin),
    }

    /// Inverse cosine in radians; NaN outside [-1, 1].
    Acos: "acos", Float1 {
        cost: FUNCTION,
        floats: OnFloats::Unary(f64::acos),
        derivative: Derivative::Unary(|c, x| {
            let over = over_cosine(c, x);
            c.neg(over)
        }),
        float_code: library!(acosf, acos),
        builtin: of_float!("acos", [-0.9, 0.9], f64::acos),
    }

    /// Inverse tangent in radians.
    Atan: "atan", Float1 {
        cost: FUNCTION,
        floats: OnFloats::Unary(f64::atan),
        derivative: Derivative::Unary(|c, x| {
            let rest = c.one_plus_square(x);
            c.div(c.d, rest)
        }),
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
        derivative: Derivative::Unary(|c, x| {
            let cosh = c.op1(Op::Cosh, x);
            c.mul(c.d, cosh)
        }),
        float_code: library!(sinhf, sinh),
        builtin: of_float!("sinh", [-2.0, 2.0], f64::sinh),
    }

    /// Hyperbolic cosine.
    Cosh: "cosh", Float1 {
        cost: FUNCTION,
        floats: OnFloats::Unary(f64::cosh),
        derivative: Derivative::Unary(|c, x| {
            let sinh = c.op1(Op::Sinh, x);
            c.mul(c.d, sinh)
        }),
        float_code: library!(coshf, cosh),
        builtin: of_float!("cosh", [-2.0, 2.0], f64::cosh),
    }

    /// Hyperbolic tangent.
    Tanh: "tanh", Float1 {
        cost: FUNCTION,
        floats: OnFloats::Unary(f64::tanh),
        derivative: Derivative::Unary(|c, _| {
            let slope = c.one_minus_square(c.out);
            c.mul(c.d, slope)
        }),
        float_code: library!(tanhf, tanh),
        builtin: of_float!("tanh", [-2.0, 2.0], f64::tanh),
    }
}

/// `d / sqrt(1 - x * x)`
fn over_cosine(c: &mut Chain<'_>, x: Value) -> Value {
    let rest = c.one_minus_square(x);
    let root = c.op1(Op::Sqrt, rest);
    c.over_root(root)
}

/// At the origin, where there is no angle, both get nothing.
fn atan2(c: &mut Chain<'_>, y: Value, x: Value) -> [Option<Value>; 2] {
    let (yy, xx) = (c.mul(y, y), c.mul(x, x));
    let square = c.op2(Op::Add, yy, xx);
    let zero = c.number(0.0);
    let one = c.number(1.0);
    let origin = c.op2(Op::Eq, square, zero);
    let safe = c.select(origin, one, square);
    let over = c.div(c.d, safe);
    let dy = c.mul(over, x);
    let dx = c.mul(over, y);
    [Some(dy), Some(c.neg(dx))]
}
