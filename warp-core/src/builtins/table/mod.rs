//! The rows, by group.

use crate::builtins::row::Row;

mod array;
mod facts;
mod matrix;
mod noise;
mod operator;
mod output;
mod overload;
mod primitive;
mod quaternion;
mod random;
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
        random::ROWS,
        noise::ROWS,
        output::ROWS,
    ];
    primitive::ROWS.iter().chain(written.into_iter().flatten())
}
