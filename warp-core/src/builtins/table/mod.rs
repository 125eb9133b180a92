//! The rows, by group.

use crate::builtins::row::{Facts, Reference, Row};

mod array;
mod scalar;

/// Every group of rows.
pub const GROUPS: &[&[Row]] = &[scalar::ROWS, array::ROWS];

/// Test facts: the interval of each argument's components and the result.
const fn is(domain: &'static [(f64, f64)], reference: fn(&[f64]) -> Vec<f64>) -> Facts {
    Facts {
        domain,
        reference: Reference::Is(reference),
    }
}

/// What cannot be tested on values alone, and why.
const fn exempt(why: &'static str) -> Facts {
    Facts {
        domain: &[],
        reference: Reference::Exempt(why),
    }
}
