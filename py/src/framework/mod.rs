//! Level 8: what users call for each framework: `from_torch`, `to_torch`, types and devices by the framework's names.

mod dlpack;
mod functions;
#[cfg(feature = "jax")]
mod jax;
mod numpy;
mod tensor;

pub use tensor::{array, rebind};

use crate::registry::{for_each_framework, for_each_tensor_framework};
use pyo3::prelude::*;
use tensor::Tensors;
use warp_dlpack::Adapter;

/// Adds the functions of all frameworks to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    dlpack::register(m)?;
    numpy::register(m)?;
    for_each_framework!(F => { F::register(m.py())?; });
    for_each_tensor_framework!(F => { F::add(m)?; });
    #[cfg(feature = "jax")]
    jax::register(m)?;
    Ok(())
}
