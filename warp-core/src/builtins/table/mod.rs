//! The rows, by group.

use crate::builtins::row::Row;
use crate::ir::primitive::{Facts, Reference};

/// One signature of a row.
macro_rules! overload {
    ($sig:literal, $f:expr, $facts:expr) => {
        $crate::builtins::row::Overload {
            sig: $sig,
            expand: $crate::builtins::row::Expand::By($f),
            facts: $facts,
        }
    };
}

mod array;
mod matrix;
mod operator;
mod output;
mod primitive;
mod quaternion;
mod scalar;
mod vector;

/// Every row, by group.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    let written = [
        scalar::ROWS,
        vector::ROWS,
        matrix::ROWS,
        quaternion::ROWS,
        operator::ROWS,
        array::ROWS,
        output::ROWS,
    ];
    primitive::ROWS.iter().chain(written.into_iter().flatten())
}

/// Test facts: the interval of each argument's components and the result.
const fn is(domain: &'static [(f64, f64)], reference: fn(&[f64]) -> Vec<f64>) -> Facts {
    Facts {
        domain,
        reference: Reference::Is(reference),
    }
}

/// Test facts of functions of integers.
const fn is_int(reference: fn(&[i32]) -> i32) -> Facts {
    Facts::of_ints(reference)
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
