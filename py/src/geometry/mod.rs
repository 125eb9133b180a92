//! Objects that kernels query: what builds them.

mod arrays;
mod blosc;
mod bvh;
mod described;
mod hash_grid;
mod mesh;
mod volume;

use pyo3::prelude::*;
use warp_core::objects;

/// Whether a number is the id of an object.
#[pyfunction]
fn _is_object(id: u64) -> bool {
    objects::hold(id).is_some()
}

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
    volume::register(m)?;
    m.add_function(wrap_pyfunction!(_is_object, m)?)
}
