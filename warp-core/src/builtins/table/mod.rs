//! The rows, by group.

use crate::builtins::signature::row::Row;

mod array;
mod decomposition;
mod facts;
mod geometry;
mod matrix;
mod noise;
mod operator;
mod output;
mod overload;
mod primitive;
mod quaternion;
mod random;
mod rotation;
mod scalar;
mod spatial;
mod transform;
mod vector;

/// Every row, by group.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    let written = [
        scalar::ROWS,
        vector::ROWS,
        matrix::ROWS,
        decomposition::ROWS,
        quaternion::ROWS,
        rotation::ROWS,
        transform::ROWS,
        spatial::ROWS,
        geometry::ROWS,
        operator::ROWS,
        array::ROWS,
        random::ROWS,
        noise::ROWS,
        output::ROWS,
    ];
    primitive::ROWS.iter().chain(written.into_iter().flatten())
}
