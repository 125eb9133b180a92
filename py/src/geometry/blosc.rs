//! What `warp._geometry.nvdb` asks of files of volumes.

use crate::object::error::{Code, error};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use warp_core::geometry::unpack_blosc;

/// The content of a frame of Blosc, which may have at most `limit` bytes.
///
/// # Errors
/// ValueError: it is no frame, damaged, or packed in a way that is not read.
#[pyfunction]
fn _unpack_blosc<'py>(py: Python<'py>, data: &[u8], limit: usize) -> PyResult<Bound<'py, PyBytes>> {
    let content = py.detach(|| unpack_blosc(data, limit));
    let content = content.map_err(|why| error(Code::Value, why))?;
    Ok(PyBytes::new(py, &content))
}

/// Adds the function to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_unpack_blosc, m)?)
}
