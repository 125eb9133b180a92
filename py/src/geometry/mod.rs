//! Objects that kernels query: what builds them.

mod arrays;
mod blosc;
mod bvh;
mod described;
mod hash_grid;
mod mesh;
mod volume;

use pyo3::prelude::*;

/// Adds the classes to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    blosc::register(m)?;
    bvh::register(m)?;
    described::register(m)?;
    hash_grid::register(m)?;
    mesh::register(m)?;
    volume::register(m)
}
