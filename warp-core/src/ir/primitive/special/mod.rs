//! The error function and its relatives.

mod check;
mod host;
mod reference;

use super::row::{Code, Derivative, FUNCTION, Library, OnFloats};
use crate::ir::expr::Expr;
use std::f64::consts::PI;

family! { $ special;
    /// Error function.
    Erf: "erf", Float1 {
        cost: FUNCTION,
        floats: OnFloats::Unary(reference::erf),
        derivative: Derivative::Unary(|d, _, x| gauss(d, x, 2.0 / PI.sqrt(), -1.0)),
        float_code: library!(erff, erf),
        builtin: of_float!("erf", [-2.0, 2.0], check::erf),
    }

    /// Complementary error function, 1 - erf(x).
    Erfc: "erfc", Float1 {
        cost: FUNCTION,
        floats: OnFloats::Unary(reference::erfc),
        derivative: Derivative::Unary(|d, _, x| gauss(d, x, -2.0 / PI.sqrt(), -1.0)),
        float_code: library!(erfcf, erfc),
        builtin: of_float!("erfc", [-2.0, 2.0], |x| 1.0 - check::erf(x)),
    }

    /// Inverse of the error function, on (-1, 1).
    Erfinv: "erfinv", Float1 {
        cost: FUNCTION,
        floats: OnFloats::Unary(reference::erfinv),
        derivative: Derivative::Unary(|d, out, _| gauss(d, out, PI.sqrt() / 2.0, 1.0)),
        float_code: Code::Function(Library::Unary(host::erfinvf, host::erfinv)),
        builtin: of_float!("erfinv", [-0.9, 0.9], check::erfinv),
    }

    /// Inverse of the complementary error function, on (0, 2).
    Erfcinv: "erfcinv", Float1 {
        cost: FUNCTION,
        floats: OnFloats::Unary(reference::erfcinv),
        derivative: Derivative::Unary(|d, out, _| gauss(d, out, -PI.sqrt() / 2.0, 1.0)),
        float_code: Code::Function(Library::Unary(host::erfcinvf, host::erfcinv)),
        builtin: of_float!("erfcinv", [0.1, 1.9], |x| check::erfinv(1.0 - x)),
    }
}

/// `scale * d * exp(sign * x * x)`
fn gauss<'s>(d: Expr<'s>, x: Expr<'s>, scale: f64, sign: f64) -> Expr<'s> {
    let square = x * x;
    let square = if sign < 0.0 { -square } else { square };
    d * (square.exp() * scale)
}
