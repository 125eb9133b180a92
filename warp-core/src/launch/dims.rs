//! Launch dimensions.

use crate::backend::Grid;
use crate::ty::MAX_NDIM;

/// Launch dimensions; unused ones are 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dims {
    /// Extents.
    pub shape: [i32; MAX_NDIM],
    /// How many the caller gave.
    pub ndim: usize,
    /// How they are spread over blocks on a GPU.
    pub grid: Grid,
}

impl Dims {
    /// Number of threads.
    pub fn total(&self) -> i64 {
        self.shape.iter().map(|d| i64::from(*d)).product()
    }
}

/// One thread.
impl Default for Dims {
    #[inline]
    fn default() -> Dims {
        Dims {
            shape: [1; MAX_NDIM],
            ndim: 1,
            grid: Grid::default(),
        }
    }
}

/// All extents count, and the backend chooses the grid.
impl From<[i32; MAX_NDIM]> for Dims {
    fn from(shape: [i32; MAX_NDIM]) -> Dims {
        Dims {
            shape,
            ndim: MAX_NDIM,
            grid: Grid::default(),
        }
    }
}
