//! Mathematics on scalars.

use crate::builtins::row::{Overload, Row};
use crate::builtins::table::is;
use crate::ir::Op;

const GROUP: &str = "Scalar mathematics";

macro_rules! float1 {
    ($name:literal, $op:ident, [$lo:literal, $hi:literal], $reference:expr, $doc:literal) => {
        Row {
            name: $name,
            group: GROUP,
            doc: $doc,
            overloads: &[Overload {
                sig: "(x: F) -> F",
                expand: |c| c.op(Op::$op),
                facts: is(&[($lo, $hi)], |x| {
                    let f: fn(f64) -> f64 = $reference;
                    vec![f(x[0])]
                }),
            }],
        }
    };
}

pub const ROWS: &[Row] = &[
    float1!(
        "sin",
        Sin,
        [-4.0, 4.0],
        f64::sin,
        "Sine of an angle in radians."
    ),
    float1!(
        "cos",
        Cos,
        [-4.0, 4.0],
        f64::cos,
        "Cosine of an angle in radians."
    ),
    float1!(
        "tan",
        Tan,
        [-1.3, 1.3],
        f64::tan,
        "Tangent of an angle in radians."
    ),
    float1!(
        "asin",
        Asin,
        [-0.9, 0.9],
        f64::asin,
        "Inverse sine in radians."
    ),
    float1!(
        "acos",
        Acos,
        [-0.9, 0.9],
        f64::acos,
        "Inverse cosine in radians."
    ),
    float1!(
        "atan",
        Atan,
        [-4.0, 4.0],
        f64::atan,
        "Inverse tangent in radians."
    ),
    float1!("sinh", Sinh, [-2.0, 2.0], f64::sinh, "Hyperbolic sine."),
    float1!("cosh", Cosh, [-2.0, 2.0], f64::cosh, "Hyperbolic cosine."),
    float1!("tanh", Tanh, [-2.0, 2.0], f64::tanh, "Hyperbolic tangent."),
    float1!("exp", Exp, [-2.0, 2.0], f64::exp, "Exponential function."),
    float1!("log", Log, [0.2, 9.0], f64::ln, "Natural logarithm."),
    float1!("log2", Log2, [0.2, 9.0], f64::log2, "Logarithm to base 2."),
    float1!(
        "log10",
        Log10,
        [0.2, 9.0],
        f64::log10,
        "Logarithm to base 10."
    ),
    float1!("sqrt", Sqrt, [0.2, 9.0], f64::sqrt, "Square root."),
    float1!(
        "cbrt",
        Cbrt,
        [-9.0, -0.2],
        f64::cbrt,
        "Cube root, negative for negative arguments."
    ),
];
