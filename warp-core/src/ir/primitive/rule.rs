//! Typing rules of primitives.

use crate::dtype::Scalar;

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
