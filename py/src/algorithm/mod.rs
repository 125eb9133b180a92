//! Level 7: algorithms on whole arrays, as `warp.utils` offers them: what they accept, and what they refuse by name.
//! `warp_core::algorithm` does the work where the arrays are, without Python's lock.

mod cast;
mod coloring;
pub mod operand;
pub mod perform;
mod runs;
mod sorts;
mod sums;

use pyo3::prelude::*;

/// Adds the functions to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    sums::register(m)?;
    sorts::register(m)?;
    runs::register(m)?;
    cast::register(m)?;
    coloring::register(m)
}
