//! Launch dimensions.

use crate::ty::MAX_NDIM;

/// Launch dimensions; unused ones are 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dims {
    /// Extents.
    pub shape: [i32; MAX_NDIM],
    /// How many the caller gave.
    pub ndim: usize,
}

impl Dims {
    /// Number of threads.
    pub fn total(&self) -> i64 {
        self.shape.iter().map(|d| i64::from(*d)).product()
    }
}
