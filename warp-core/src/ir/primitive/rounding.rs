//! Floats to whole numbers. Piecewise constant, so without a gradient.

use super::row::{Code, Derivative, OnFloats};

family! { $ rounding;
    /// Largest integer that is not above x. No gradient.
    Floor: "floor", Float1 {
        floats: OnFloats::Unary(f64::floor),
        derivative: Derivative::Zero,
        float_code: Code::Exact("floor"),
        builtin: of_float!("floor", [-4.0, 4.0], f64::floor),
    }

    /// Smallest integer that is not below x. No gradient.
    Ceil: "ceil", Float1 {
        floats: OnFloats::Unary(f64::ceil),
        derivative: Derivative::Zero,
        float_code: Code::Exact("ceil"),
        builtin: of_float!("ceil", [-4.0, 4.0], f64::ceil),
    }

    /// Integer part, towards 0. No gradient.
    Trunc: "trunc", Float1 {
        floats: OnFloats::Unary(f64::trunc),
        derivative: Derivative::Zero,
        float_code: Code::Exact("trunc"),
        builtin: of_float!("trunc", [-4.0, 4.0], f64::trunc),
    }

    /// Nearest integer, halves away from 0. No gradient.
    Round: "round", Float1 {
        floats: OnFloats::Unary(f64::round),
        derivative: Derivative::Zero,
        float_code: Code::Exact("round"),
        builtin: of_float!("round", [-4.0, 4.0], f64::round),
    }

    /// Nearest integer, halves to the even one. No gradient.
    Rint: "rint", Float1 {
        floats: OnFloats::Unary(f64::round_ties_even),
        derivative: Derivative::Zero,
        float_code: Code::Exact("roundeven"),
        builtin: of_float!("rint", [-4.0, 4.0], f64::round_ties_even),
    }
}
