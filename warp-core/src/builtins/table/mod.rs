//! The rows, by group.

use crate::builtins::row::Row;

mod array;
mod facts;
mod matrix;
mod operator;
mod output;
mod overload;
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
