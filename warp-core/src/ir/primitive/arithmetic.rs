//! Arithmetic on numbers, integers included.

use super::facts::{Facts, Reference};
use super::row::{Builtin, Code, DIVISION, Derivative, OnFloats, OnInts};
use crate::ir::expr::Expr;

family! { $ arithmetic;
    /// Negation; integers wrap.
    Neg: "neg", Num1 {
        floats: OnFloats::Unary(|x| -x),
        ints: OnInts::Unary(|x, _| -x),
        derivative: Derivative::Unary(|d, _, _| -d),
        float_code: Code::Several,
        int_code: Code::Several,
    }

    /// Absolute value.
    Abs: "abs", Num1 {
        floats: OnFloats::Unary(f64::abs),
        ints: OnInts::Unary(|x, _| x.abs()),
        derivative: Derivative::Unary(|d, _, x| d * x.sign()),
        float_code: Code::Exact("fabs"),
        int_code: Code::Several,
    }

    /// -1 for x < 0, else 1, also for -0.0 and NaN.
    Sign: "sign", Num1 {
        floats: OnFloats::Unary(|x| if x < 0.0 { -1.0 } else { 1.0 }),
        ints: OnInts::Unary(|x, _| if x < 0 { -1 } else { 1 }),
        derivative: Derivative::Zero,
        float_code: Code::Several,
        int_code: Code::Several,
    }

    /// x with the sign of y, also that of -0.0. The slope by y is 0.
    CopySign: "copysign", Float2 {
        floats: OnFloats::Binary(|x, y, _| x.copysign(y)),
        derivative: Derivative::Binary(|d, _, x, y| {
            let one = d.number(1.0);
            [Some(d * (one.copysign(x) * one.copysign(y))), None]
        }),
        float_code: Code::Exact("copysign"),
        builtin: Some(Builtin {
            name: "copysign",
            sig: "(x: F, y: F) -> F",
            facts: Facts {
                domain: &[(-2.0, 2.0)],
                reference: Reference::Is(|x| vec![if x[1] < 0.0 { -x[0].abs() } else { x[0].abs() }]),
            },
        }),
    }

    /// Sum.
    Add: "add", Num2 {
        commutes: true,
        floats: OnFloats::Binary(|a, b, _| a + b),
        ints: OnInts::Binary(|a, b, _| a + b),
        derivative: Derivative::Binary(|d, _, _, _| [Some(d), Some(d)]),
        float_code: Code::Instruction("fadd"),
        int_code: Code::Wrapping("add"),
    }

    /// Difference.
    Sub: "sub", Num2 {
        floats: OnFloats::Binary(|a, b, _| a - b),
        ints: OnInts::Binary(|a, b, _| a - b),
        derivative: Derivative::Binary(|d, _, _, _| [Some(d), Some(-d)]),
        float_code: Code::Instruction("fsub"),
        int_code: Code::Wrapping("sub"),
    }

    /// Product.
    Mul: "mul", Num2 {
        commutes: true,
        floats: OnFloats::Binary(|a, b, _| a * b),
        // Two uint64 may exceed 127 bits; the low 64, which are kept, stay right.
        ints: OnInts::Binary(|a, b, _| a.wrapping_mul(b)),
        derivative: Derivative::Binary(|d, _, x, y| [Some(d * y), Some(d * x)]),
        float_code: Code::Instruction("fmul"),
        int_code: Code::Wrapping("mul"),
    }

    /// Quotient; of integers truncated towards zero, 0 where the divisor is 0.
    Div: "div", Num2 {
        cost: DIVISION,
        floats: OnFloats::Binary(|a, b, _| a / b),
        ints: OnInts::Binary(|a, b, _| if b == 0 { 0 } else { a / b }),
        derivative: Derivative::Binary(|d, out, _, y| {
            let dx = d / y;
            [Some(dx), Some(-(dx * out))]
        }),
        float_code: Code::Instruction("fdiv"),
        int_code: Code::Several,
    }

    /// Quotient rounded down; of integers 0 where the divisor is 0.
    FloorDiv: "floordiv", Num2 {
        cost: DIVISION,
        floats: OnFloats::Binary(|a, b, ty| ty.round(a / b).floor()),
        ints: OnInts::Binary(|a, b, _| match b {
            0 => 0,
            _ => a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0),
        }),
        derivative: Derivative::Zero,
        float_code: Code::Several,
        int_code: Code::Several,
    }

    /// Remainder with the sign of the dividend; of integers 0 where the divisor is 0.
    Mod: "mod", Num2 {
        cost: DIVISION,
        floats: OnFloats::Binary(|a, b, _| a % b),
        ints: OnInts::Binary(|a, b, _| if b == 0 { 0 } else { a % b }),
        derivative: Derivative::Binary(|d, out, x, y| {
            // How often y was taken from x: exact, unlike trunc(x / y), also where x / y rounds up.
            let times = ((x - out) / y).rint();
            [Some(d), Some(-(times * d))]
        }),
        float_code: Code::Several,
        int_code: Code::Several,
    }

    /// Smaller one, the first of equals (zeros are); the other one if one is NaN.
    Min: "min", Num2 {
        floats: OnFloats::Binary(|a, b, _| match b < a || a.is_nan() {
            true => b,
            false => a,
        }),
        ints: OnInts::Binary(|a, b, _| a.min(b)),
        derivative: Derivative::Binary(|d, out, x, _| to_one(d, out, x)),
        float_code: Code::Several,
        int_code: Code::Intrinsic("min"),
    }

    /// Larger one, the first of equals (zeros are); the other one if one is NaN.
    Max: "max", Num2 {
        floats: OnFloats::Binary(|a, b, _| match b > a || a.is_nan() {
            true => b,
            false => a,
        }),
        ints: OnInts::Binary(|a, b, _| a.max(b)),
        derivative: Derivative::Binary(|d, out, x, _| to_one(d, out, x)),
        float_code: Code::Several,
        int_code: Code::Intrinsic("max"),
    }
}

/// All of the adjoint goes to `x` where that came out, else to the other one.
fn to_one<'s>(d: Expr<'s>, out: Expr<'s>, x: Expr<'s>) -> [Option<Expr<'s>>; 2] {
    let first = x.eq(out);
    let zero = d.number(0.0);
    [Some(first.select(d, zero)), Some(first.select(zero, d))]
}
