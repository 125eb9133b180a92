//! Objects that kernels query: what builds them.

mod hash_grid;

use pyo3::prelude::*;

/// Adds the classes to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    hash_grid::register(m)
}
