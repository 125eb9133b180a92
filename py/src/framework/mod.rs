//! Level 8: what users call for each framework: `from_torch`, `to_torch`, types and devices by the framework's names.

mod dlpack;
#[cfg(any(feature = "torch", feature = "paddle"))]
mod functions;
#[cfg(feature = "jax")]
mod jax;
mod numpy;
#[cfg(feature = "paddle")]
mod paddle;
#[cfg(any(feature = "torch", feature = "paddle"))]
mod tensor;
#[cfg(feature = "torch")]
mod torch;

#[cfg(any(feature = "torch", feature = "paddle"))]
pub use tensor::{array, rebind};

use pyo3::prelude::*;

/// Adds the functions of all frameworks to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    dlpack::register(m)?;
    numpy::register(m)?;
    #[cfg(feature = "torch")]
    torch::register(m)?;
    #[cfg(feature = "paddle")]
    paddle::register(m)?;
    #[cfg(feature = "jax")]
    jax::register(m)?;
    Ok(())
}
