//! Level 3: any object's memory as an array's, and arrays as other libraries' objects. A file for each protocol, with both
//! directions; `data` chooses between lists, records, and memory.

mod arrow;
pub mod buffer;
pub mod cuda;
pub mod data;
pub mod descriptor;
pub mod dlpack_in;
pub mod dlpack_out;
mod instances;
pub mod interface;
mod list;
pub mod memory;
pub mod numpy_out;
mod protocol;
pub mod reader;
pub mod structure;
#[cfg(feature = "numpy")]
pub mod structured;

pub use list::is_list;

use pyo3::prelude::*;

/// Adds the classes and the functions to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    arrow::register(m)?;
    buffer::register(m)?;
    dlpack_out::register(m)?;
    descriptor::register(m)?;
    cuda::register(m)
}
