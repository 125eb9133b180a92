//! Exponentials, logarithms, roots and powers.

use super::facts::{Facts, Reference};
use super::row::{Builtin, Code, DIVISION, Derivative, FUNCTION, OnFloats};
use crate::ir::expr::Expr;
use crate::ir::op::Const;
use std::f64::consts::{LN_2, LN_10};

family! { $ power;
    /// Exponential function.
    Exp: "exp", Float1 {
        cost: FUNCTION,
        floats: OnFloats::Unary(f64::exp),
        derivative: Derivative::Unary(|d, out, _| d * out),
        float_code: library!(expf, exp),
        builtin: of_float!("exp", [-2.0, 2.0], f64::exp),
    }

    /// Power of two.
    Exp2: "exp2", Float1 {
        cost: FUNCTION,
        floats: OnFloats::Unary(f64::exp2),
        derivative: Derivative::Unary(|d, out, _| d * (out * LN_2)),
        float_code: library!(exp2f, exp2),
    }

    /// Natural logarithm.
    Log: "log", Float1 {
        cost: FUNCTION,
        floats: OnFloats::Unary(f64::ln),
        derivative: Derivative::Unary(|d, _, x| d / x),
        float_code: library!(logf, log),
        builtin: of_float!("log", [0.2, 9.0], f64::ln),
    }

    /// Logarithm to base 2.
    Log2: "log2", Float1 {
        cost: FUNCTION,
        floats: OnFloats::Unary(f64::log2),
        derivative: Derivative::Unary(|d, _, x| d / (x * LN_2)),
        float_code: library!(log2f, log2),
        builtin: of_float!("log2", [0.2, 9.0], f64::log2),
    }

    /// Logarithm to base 10.
    Log10: "log10", Float1 {
        cost: FUNCTION,
        floats: OnFloats::Unary(f64::log10),
        derivative: Derivative::Unary(|d, _, x| d / (x * LN_10)),
        float_code: library!(log10f, log10),
        builtin: of_float!("log10", [0.2, 9.0], f64::log10),
    }

    /// Square root; NaN below 0.
    Sqrt: "sqrt", Float1 {
        cost: DIVISION,
        floats: OnFloats::Unary(f64::sqrt),
        derivative: Derivative::Unary(|d, out, _| over_root(d, out) * 0.5),
        float_code: Code::Intrinsic("sqrt"),
        builtin: of_float!("sqrt", [0.2, 9.0], f64::sqrt),
    }

    /// Square root whose derivative at 0 is 0: lengths of vectors.
    Norm: "norm", Float1 {
        cost: DIVISION,
        floats: OnFloats::Unary(f64::sqrt),
        derivative: Derivative::Unary(norm),
        float_code: Code::Intrinsic("sqrt"),
    }

    /// Cube root, negative for negative arguments.
    Cbrt: "cbrt", Float1 {
        cost: FUNCTION,
        floats: OnFloats::Unary(f64::cbrt),
        derivative: Derivative::Unary(|d, out, _| over_root(d, out * out) / 3.0),
        float_code: library!(cbrtf, cbrt),
        builtin: of_float!("cbrt", [-9.0, -0.2], f64::cbrt),
    }

    /// x to the power of y, as `x ** y`. The slope by y is 0 where x is not positive.
    Pow: "pow", Float2 {
        cost: FUNCTION,
        floats: OnFloats::Binary(|x, y, _| x.powf(y)),
        derivative: Derivative::Binary(pow),
        float_code: library!(powf, pow, binary),
        builtin: Some(Builtin {
            name: "pow",
            sig: "(x: F, y: F) -> F",
            facts: Facts {
                domain: &[(0.2, 3.0), (-3.0, 3.0)],
                reference: Reference::Is(|x| vec![x[0].powf(x[1])]),
            },
        }),
    }
}

/// `d / x`, but 0 where both are 0: a root at 0 whose value nothing depends on.
pub(super) fn over_root<'s>(d: Expr<'s>, x: Expr<'s>) -> Expr<'s> {
    let [zero, one] = d.numbers([0.0, 1.0]);
    let unused_root = x.eq(zero) & d.eq(zero);
    d / unused_root.select(one, x)
}

fn norm<'s>(d: Expr<'s>, out: Expr<'s>, _: Expr<'s>) -> Expr<'s> {
    let [zero, one] = d.numbers([0.0, 1.0]);
    let regular = out.ne(zero);
    let slope = d / regular.select(out, one) * 0.5;
    regular.select(slope, zero)
}

/// By x for any x whose power exists, by y only where x is positive.
fn pow<'s>(d: Expr<'s>, out: Expr<'s>, x: Expr<'s>, y: Expr<'s>) -> [Option<Expr<'s>>; 2] {
    if let Some(Const::Float(exponent)) = y.as_const() {
        let slope = match exponent {
            0.0 => return [None, None],
            1.0 => d,
            2.0 => d * (x * 2.0),
            _ => d * (x.pow(exponent - 1.0) * y),
        };
        return [Some(slope), None];
    }
    let [zero, one] = d.numbers([0.0, 1.0]);
    // 0 ** 0 is 1 whatever x is: the slope y * x ** -1 would be 0 * inf.
    let both = x.eq(zero) & y.eq(zero);
    let base = both.select(one, x);
    let dx = d * (base.pow(y - one) * y);

    let positive = x.gt(zero);
    let log = positive.select(x, one).log();
    let dy = positive.select(d * (out * log), zero);
    [Some(dx), Some(dy)]
}
