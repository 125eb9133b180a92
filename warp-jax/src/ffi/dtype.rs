//! XLA's numbers of element types.

use std::ffi::c_int;
use warp_core::dtype::Scalar;

/// `Scalar`s in the order of the one table.
const TYPES: [(c_int, Scalar); 13] = [
    (1, Scalar::Bool),
    (2, Scalar::I8),
    (3, Scalar::I16),
    (4, Scalar::I32),
    (5, Scalar::I64),
    (6, Scalar::U8),
    (7, Scalar::U16),
    (8, Scalar::U32),
    (9, Scalar::U64),
    (10, Scalar::F16),
    (16, Scalar::BF16),
    (11, Scalar::F32),
    (12, Scalar::F64),
];

/// XLA's numbers of the two complex types, and how many bytes such numbers have.
pub const COMPLEX: [(c_int, usize); 2] = [(15, 8), (18, 16)];

/// The type that one of XLA's numbers stands for.
pub fn scalar_of(dtype: c_int) -> Option<Scalar> {
    TYPES.iter().find(|t| t.0 == dtype).map(|t| t.1)
}

/// XLA's number for a type.
#[inline]
pub(super) const fn number_of(scalar: Scalar) -> c_int {
    TYPES[scalar as usize].0
}

#[cfg(test)]
mod tests {
    use super::TYPES;

    #[test]
    fn types_stand_at_their_index() {
        for (i, (_, scalar)) in TYPES.iter().enumerate() {
            assert_eq!(*scalar as usize, i);
        }
    }
}
