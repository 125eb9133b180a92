//! Exponentials, logarithms, roots and powers.

use super::derivative::Chain;
use super::facts::{Facts, Reference};
use super::row::{Builtin, Code, DIVISION, Derivative, FUNCTION, OnFloats};
use crate::ir::id::Value;
use crate::ir::op::{Const, Op};
use std::f64::consts::{LN_2, LN_10};

family! { $ power;
    /// Exponential function.
    Exp: "exp", Float1 {
        cost: FUNCTION,
        floats: OnFloats::Unary(f64::exp),
        derivative: Derivative::Unary(|c, _| c.mul(c.d, c.out)),
        float_code: library!(expf, exp),
        builtin: of_float!("exp", [-2.0, 2.0], f64::exp),
    }

    /// Power of two.
    Exp2: "exp2", Float1 {
        cost: FUNCTION,
        floats: OnFloats::Unary(f64::exp2),
        derivative: Derivative::Unary(|c, _| {
            let slope = c.scale(c.out, LN_2);
            c.mul(c.d, slope)
        }),
        float_code: library!(exp2f, exp2),
    }

    /// Natural logarithm.
    Log: "log", Float1 {
        cost: FUNCTION,
        floats: OnFloats::Unary(f64::ln),
        derivative: Derivative::Unary(|c, x| c.div(c.d, x)),
        float_code: library!(logf, log),
        builtin: of_float!("log", [0.2, 9.0], f64::ln),
    }

    /// Logarithm to base 2.
    Log2: "log2", Float1 {
        cost: FUNCTION,
        floats: OnFloats::Unary(f64::log2),
        derivative: Derivative::Unary(|c, x| {
            let scaled = c.scale(x, LN_2);
            c.div(c.d, scaled)
        }),
        float_code: library!(log2f, log2),
        builtin: of_float!("log2", [0.2, 9.0], f64::log2),
    }

    /// Logarithm to base 10.
    Log10: "log10", Float1 {
        cost: FUNCTION,
        floats: OnFloats::Unary(f64::log10),
        derivative: Derivative::Unary(|c, x| {
            let scaled = c.scale(x, LN_10);
            c.div(c.d, scaled)
        }),
        float_code: library!(log10f, log10),
        builtin: of_float!("log10", [0.2, 9.0], f64::log10),
    }

    /// Square root; NaN below 0.
    Sqrt: "sqrt", Float1 {
        cost: DIVISION,
        floats: OnFloats::Unary(f64::sqrt),
        derivative: Derivative::Unary(|c, _| {
            let over = c.over_root(c.out);
            c.scale(over, 0.5)
        }),
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
        derivative: Derivative::Unary(|c, _| {
            let square = c.mul(c.out, c.out);
            let over = c.over_root(square);
            let three = c.number(3.0);
            c.div(over, three)
        }),
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

fn norm(c: &mut Chain<'_>, _: Value) -> Value {
    let zero = c.number(0.0);
    let one = c.number(1.0);
    let regular = c.op2(Op::Ne, c.out, zero);
    let safe = c.select(regular, c.out, one);
    let slope = c.div(c.d, safe);
    let slope = c.scale(slope, 0.5);
    c.select(regular, slope, zero)
}

/// By x for any x whose power exists, by y only where x is positive.
fn pow(c: &mut Chain<'_>, x: Value, y: Value) -> [Option<Value>; 2] {
    let (out, d) = (c.out, c.d);
    if let Some(Const::Float(exponent)) = c.as_const(y) {
        let slope = match exponent {
            0.0 => return [None, None],
            1.0 => d,
            2.0 => {
                let double = c.scale(x, 2.0);
                c.mul(d, double)
            }
            _ => {
                let less = c.number(exponent - 1.0);
                let power = c.op2(Op::Pow, x, less);
                let slope = c.mul(power, y);
                c.mul(d, slope)
            }
        };
        return [Some(slope), None];
    }
    let (zero, one) = (c.number(0.0), c.number(1.0));
    // 0 ** 0 is 1 whatever x is: the slope y * x ** -1 would be 0 * inf.
    let (x0, y0) = (c.op2(Op::Eq, x, zero), c.op2(Op::Eq, y, zero));
    let both = c.op2(Op::And, x0, y0);
    let base = c.select(both, one, x);
    let less = c.op2(Op::Sub, y, one);
    let power = c.op2(Op::Pow, base, less);
    let slope = c.mul(power, y);
    let dx = c.mul(d, slope);

    let positive = c.op2(Op::Gt, x, zero);
    let safe = c.select(positive, x, one);
    let log = c.op1(Op::Log, safe);
    let slope = c.mul(out, log);
    let slope = c.mul(d, slope);
    let dy = c.select(positive, slope, zero);
    [Some(dx), Some(dy)]
}
