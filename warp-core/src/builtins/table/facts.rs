//! How rows state what their tests need: intervals of the arguments, and an independent result.

use crate::ir::primitive::{Facts, Reference};

/// Test facts: the interval of each argument's components and the result.
pub(super) const fn is(domain: &'static [(f64, f64)], reference: fn(&[f64]) -> Vec<f64>) -> Facts {
    Facts {
        domain,
        reference: Reference::Is(reference),
    }
}

/// Test facts of functions of integers.
pub(super) const fn is_int(reference: fn(&[i32]) -> i32) -> Facts {
    Facts::of_ints(reference)
}

/// What cannot be tested on values alone, and why.
pub(super) const fn exempt(why: &'static str) -> Facts {
    Facts {
        domain: &[],
        reference: Reference::Exempt(why),
    }
}

/// The components of two arguments of one type.
pub(super) fn halves(x: &[f64]) -> (&[f64], &[f64]) {
    x.split_at(x.len() / 2)
}

/// The default interval.
pub(super) const UNIT: &[(f64, f64)] = &[(-2.0, 2.0)];
