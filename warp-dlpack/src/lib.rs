//! DLPack: arrays in and out as legacy capsules, versioned capsules and through exchange tables.
//!
//! Not here: which types of which framework may be trusted with their exchange table; the
//! framework's own adapter knows. Invariants: a managed tensor that is taken over is owned from that moment on, whatever
//! fails after; what we export keeps its memory alive without any Python object.

mod dtype;
mod exchange;
mod export;
pub mod ffi;
mod import;

pub use dtype::{dtype_of, scalar_of};
pub use exchange::{api_of, view};
pub use export::{Versioned, capsule, export};
pub use import::{consume, describe, hold};

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
