//! Primitive operations: the whole vocabulary of pure expressions.

use crate::dtype::Scalar;
use crate::ir::id::ParamId;

/// A constant. The type of the value that it defines says how wide it is.
#[derive(Clone, Copy, Debug)]
pub enum Const {
    /// `true` or `false`.
    Bool(bool),
    /// Any integer; uint64 as the same bits.
    Int(i64),
    /// Any float, already rounded to the type of its value.
    Float(f64),
}

impl PartialEq for Const {
    /// Bitwise: a NaN equals itself, 0.0 differs from -0.0.
    fn eq(&self, other: &Const) -> bool {
        match (self, other) {
            (Const::Bool(a), Const::Bool(b)) => a == b,
            (Const::Int(a), Const::Int(b)) => a == b,
            (Const::Float(a), Const::Float(b)) => a.to_bits() == b.to_bits(),
            _ => false,
        }
    }
}

/// What types an operation takes and gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// float -> the same float
    Float1,
    /// (float, float) -> the same float
    Float2,
    /// number -> the same number
    Num1,
    /// (number, number) -> the same number
    Num2,
    /// (integer, integer) -> the same integer
    Int2,
    /// (integer or bool, the same) -> the same
    Bits2,
    /// integer or bool -> the same
    Bits1,
    /// (anything, the same) -> bool
    Same,
    /// (number, the same) -> bool
    Order,
    /// float -> bool
    Test,
}

macro_rules! ops {
    ($($variant:ident, $name:literal, $rule:ident, $doc:literal;)*) => {
        /// A pure operation. Integers wrap.
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub enum Op {
            /// A constant.
            Const(Const),
            /// Thread index (int32) along a launch dimension.
            Tid(u8),
            /// Extent (int32) of a dimension of an array parameter.
            Shape(ParamId, u8),
            /// One component of a scalar, vector, matrix or quaternion parameter.
            Param(ParamId, u32),
            /// bool: whether an array parameter has data (a missing gradient has none).
            Present(ParamId),
            /// Conversion to the type of the result. Float to integer truncates, saturates, and
            /// turns NaN into 0; integer to integer wraps; anything to bool is `!= 0`.
            Cast,
            /// (bool, T, T) -> T without evaluating lazily.
            Select,
            /// Number of rounds of `range(start, stop, step)`: never negative, 0 if step is 0.
            RangeLen,
            $(#[doc = $doc] $variant),*
        }

        /// The operations that are a plain name with a typing rule.
        pub const NAMED: &[(Op, &str, Rule)] = &[$((Op::$variant, $name, Rule::$rule)),*];
    };
}

ops! {
    Neg, "neg", Num1, "Negation; integers wrap.";
    Abs, "abs", Num1, "Absolute value.";
    Sign, "sign", Num1, "1 for x >= 0, -1 for x < 0 (as 1 at -0.0); NaN stays NaN.";
    Not, "not", Bits1, "Complement of all bits; logical not of a bool.";
    Sqrt, "sqrt", Float1, "Square root.";
    Norm, "norm", Float1, "Square root whose derivative at 0 is 0: lengths of vectors.";
    Cbrt, "cbrt", Float1, "Cube root.";
    Sin, "sin", Float1, "Sine.";
    Cos, "cos", Float1, "Cosine.";
    Tan, "tan", Float1, "Tangent.";
    Asin, "asin", Float1, "Inverse sine.";
    Acos, "acos", Float1, "Inverse cosine.";
    Atan, "atan", Float1, "Inverse tangent.";
    Sinh, "sinh", Float1, "Hyperbolic sine.";
    Cosh, "cosh", Float1, "Hyperbolic cosine.";
    Tanh, "tanh", Float1, "Hyperbolic tangent.";
    Exp, "exp", Float1, "Exponential.";
    Exp2, "exp2", Float1, "Power of two.";
    Log, "log", Float1, "Natural logarithm.";
    Log2, "log2", Float1, "Logarithm to base 2.";
    Log10, "log10", Float1, "Logarithm to base 10.";
    Floor, "floor", Float1, "Largest integer not above.";
    Ceil, "ceil", Float1, "Smallest integer not below.";
    Trunc, "trunc", Float1, "Integer part, towards zero.";
    Round, "round", Float1, "Nearest integer, halves away from zero.";
    Rint, "rint", Float1, "Nearest integer, halves to even.";
    Erf, "erf", Float1, "Error function.";
    Erfc, "erfc", Float1, "Complementary error function.";
    Erfinv, "erfinv", Float1, "Inverse of the error function.";
    Erfcinv, "erfcinv", Float1, "Inverse of the complementary error function.";
    IsNan, "isnan", Test, "Whether the value is not a number.";
    IsInf, "isinf", Test, "Whether the value is infinite.";
    IsFinite, "isfinite", Test, "Whether the value is neither infinite nor NaN.";
    Add, "add", Num2, "Sum.";
    Sub, "sub", Num2, "Difference.";
    Mul, "mul", Num2, "Product.";
    Div, "div", Num2, "Quotient; of integers truncated towards zero, 0 where the divisor is 0.";
    FloorDiv, "floordiv", Num2, "Quotient rounded down; of integers 0 where the divisor is 0.";
    Mod, "mod", Num2, "Remainder with the sign of the dividend; of integers 0 where the divisor is 0.";
    Pow, "pow", Float2, "Power.";
    Atan2, "atan2", Float2, "Angle of the point (second, first).";
    Min, "min", Num2, "Smaller one; NaN if either is NaN.";
    Max, "max", Num2, "Larger one; NaN if either is NaN.";
    And, "and", Bits2, "Bitwise and.";
    Or, "or", Bits2, "Bitwise or.";
    Xor, "xor", Bits2, "Bitwise exclusive or.";
    Shl, "shl", Int2, "Shift left; 0 if the amount is negative or not below the width.";
    Shr, "shr", Int2, "Shift right, keeping the sign; amounts not in range shift everything out.";
    Eq, "eq", Same, "Equal.";
    Ne, "ne", Same, "Not equal (true for NaN).";
    Lt, "lt", Order, "Less.";
    Le, "le", Order, "Less or equal.";
    Gt, "gt", Order, "Greater.";
    Ge, "ge", Order, "Greater or equal.";
}

impl Op {
    /// Name in the text form, for operations that are a plain name.
    pub fn name(self) -> Option<&'static str> {
        NAMED.iter().find(|row| row.0 == self).map(|row| row.1)
    }
    /// Typing rule, for operations that are a plain name.
    pub fn rule(self) -> Option<Rule> {
        NAMED.iter().find(|row| row.0 == self).map(|row| row.2)
    }
}

impl Rule {
    /// Number of arguments.
    pub const fn arity(self) -> usize {
        match self {
            Rule::Float1 | Rule::Num1 | Rule::Bits1 | Rule::Test => 1,
            _ => 2,
        }
    }
    /// Type of the result for arguments of these types; None if they do not fit.
    pub fn result(self, args: &[Scalar]) -> Option<Scalar> {
        let first = *args.first()?;
        if args.len() != self.arity() || args.iter().any(|a| *a != first) {
            return None;
        }
        let number = first != Scalar::Bool;
        let (fits, result) = match self {
            Rule::Float1 | Rule::Float2 => (first.is_float(), first),
            Rule::Num1 | Rule::Num2 => (number, first),
            Rule::Int2 => (first.is_int(), first),
            Rule::Bits1 | Rule::Bits2 => (!first.is_float(), first),
            Rule::Same => (true, Scalar::Bool),
            Rule::Order => (number, Scalar::Bool),
            Rule::Test => (first.is_float(), Scalar::Bool),
        };
        fits.then_some(result)
    }
}
