//! NumPy arrays in and out, through NumPy's C API.
//!
//! Not here: any decision about what an array means for us; that is `warp_core::interop`. Nothing touches NumPy, or
//! imports it, before an object is known to be worth asking.

mod array;
mod dtype;

pub use array::{Numpy, describe, is_array, wrap};
pub use dtype::{from_descr, to_descr, type_number};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyType;
use warp_core::error::Error;

/// A user error as the Python exception that its code stands for.
#[cold]
pub fn raise(py: Python<'_>, error: Error) -> PyErr {
    let named = py
        .import("builtins")
        .and_then(|b| b.getattr(error.code.exception()));
    let class = named.and_then(|c| Ok(c.cast_into::<PyType>()?));
    match class {
        Ok(class) => PyErr::from_type(class, error.to_string()),
        Err(_) => PyRuntimeError::new_err(error.to_string()),
    }
}
