//! The rows, by group.

use crate::builtins::row::{Facts, Reference, Row};

/// One signature of a row.
macro_rules! overload {
    ($sig:literal, $f:expr, $facts:expr) => {
        $crate::builtins::row::Overload {
            sig: $sig,
            expand: $f,
            facts: $facts,
        }
    };
}

mod array;
mod matrix;
mod operator;
mod output;
mod quaternion;
mod scalar;
mod vector;

/// Every group of rows.
pub const GROUPS: &[&[Row]] = &[
    scalar::ROWS,
    vector::ROWS,
    matrix::ROWS,
    quaternion::ROWS,
    operator::ROWS,
    array::ROWS,
    output::ROWS,
];

/// Test facts: the interval of each argument's components and the result.
const fn is(domain: &'static [(f64, f64)], reference: fn(&[f64]) -> Vec<f64>) -> Facts {
    Facts {
        domain,
        reference: Reference::Is(reference),
    }
}

/// Test facts of functions of integers.
const fn is_int(reference: fn(&[i32]) -> i32) -> Facts {
    Facts {
        domain: &[(-40.0, 40.0)],
        reference: Reference::IsInt(reference),
    }
}

/// What cannot be tested on values alone, and why.
const fn exempt(why: &'static str) -> Facts {
    Facts {
        domain: &[],
        reference: Reference::Exempt(why),
    }
}

/// The components of two arguments of one type.
fn halves(x: &[f64]) -> (&[f64], &[f64]) {
    x.split_at(x.len() / 2)
}

/// The default interval.
const UNIT: &[(f64, f64)] = &[(-2.0, 2.0)];
