//! NumPy's C API in this process: imported when it is first needed, and not before.

use numpy::npyffi::{self, NpyTypes};
use pyo3::ffi;
use pyo3::prelude::*;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};
use warp_core::error::Code;
use warp_dlpack::{exception, passes};

static NDARRAY: AtomicPtr<ffi::PyTypeObject> = AtomicPtr::new(null_mut());

/// The type `numpy.ndarray`, which lives for ever; null before [`require`] has succeeded.
#[inline]
pub(crate) fn ndarray() -> *mut ffi::PyTypeObject {
    NDARRAY.load(Ordering::Relaxed)
}

/// Imports NumPy, without which its C API must not be touched.
///
/// # Errors
/// NumPy cannot be imported.
#[inline]
pub fn require(py: Python<'_>) -> PyResult<()> {
    if ndarray().is_null() {
        load(py)?;
    }
    Ok(())
}

#[cold]
fn load(py: Python<'_>) -> PyResult<()> {
    py.import("numpy").map_err(|e| {
        if passes(&e) {
            return e;
        }
        let text = "NumPy, which this needs, cannot be imported; without it there are a.list(), bytes(a) and DLPack";
        let error = exception(Code::Import, text.to_owned());
        error.set_cause(py, Some(e));
        error
    })?;
    // SAFETY: Python is attached and NumPy imported.
    let class = unsafe { npyffi::get_type_object(py, NpyTypes::PyArray_Type) };
    NDARRAY.store(class, Ordering::Relaxed);
    Ok(())
}
