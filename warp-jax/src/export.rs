//! Our arrays as arrays of jax's.

use crate::dtype::wide;
use pyo3::intern;
use pyo3::prelude::*;
use warp_core::array::View;
use warp_core::error::{Code, Error};
use warp_dlpack::raise;

/// A jax array on the memory of an array. `array` is the Python object of ours with this view, which speaks DLPack.
///
/// jax shares memory that is contiguous and starts at a multiple of 64 bytes, which ours does; else it copies.
///
/// # Errors
/// The elements have 64 bits and jax has no such types switched on, or jax refuses the memory.
pub fn to_jax<'py>(array: &Bound<'py, PyAny>, view: &View) -> PyResult<Bound<'py, PyAny>> {
    let py = array.py();
    let jax = py.import(intern!(py, "jax"))?;
    let scalar = view.elem.scalar();
    if wide(scalar) {
        let config = jax.getattr(intern!(py, "config"))?;
        if !config.getattr(intern!(py, "jax_enable_x64"))?.is_truthy()? {
            let error = Error::new(
                Code::Type,
                format!("jax would turn the {scalar} elements of this array into 32-bit ones"),
            )
            .hint("jax.config.update(\"jax_enable_x64\", True) keeps them, or convert the array first");
            return Err(raise(py, error.within("to_jax")));
        }
    }
    let from = py
        .import(intern!(py, "jax.dlpack"))?
        .getattr(intern!(py, "from_dlpack"))?;
    from.call1((array,))
}
