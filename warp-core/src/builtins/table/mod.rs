//! The rows, by group.

use crate::builtins::row::Row;

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
mod facts;
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
