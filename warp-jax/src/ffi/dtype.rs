//! XLA's numbers of element types.

use std::ffi::c_int;
use warp_core::dtype::{Scalar, TABLE};

/// XLA's numbers of the two complex types, and how many bytes such numbers have.
pub const COMPLEX: [(c_int, usize); 2] = [(15, 8), (18, 16)];

/// The type that one of XLA's numbers stands for.
pub fn scalar_of(dtype: c_int) -> Option<Scalar> {
    let mut scalars = TABLE.iter().map(|row| row.scalar);
    scalars.find(|s| number_of(*s) == dtype)
}

/// XLA's number for a type.
#[inline]
pub(super) const fn number_of(scalar: Scalar) -> c_int {
    match scalar {
        Scalar::Bool => 1,
        Scalar::I8 => 2,
        Scalar::I16 => 3,
        Scalar::I32 => 4,
        Scalar::I64 => 5,
        Scalar::U8 => 6,
        Scalar::U16 => 7,
        Scalar::U32 => 8,
        Scalar::U64 => 9,
        Scalar::F16 => 10,
        Scalar::F32 => 11,
        Scalar::F64 => 12,
        Scalar::BF16 => 16,
    }
}
