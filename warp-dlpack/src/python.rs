//! What every adapter of a Python framework needs: a Python reference as an owner, errors as exceptions.

use pyo3::exceptions::PyRuntimeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyType;
use std::ffi::c_void;
use warp_core::array::Owner;
use warp_core::error::{Code, Error};

/// A Python object as what keeps memory alive: counted by Python itself, so it needs no memory of its own.
#[inline(always)]
pub fn reference(object: Bound<'_, PyAny>) -> Owner {
    let handle = object.unbind().into_ptr();
    // SAFETY: one reference is given away here; each one counted is dropped once, where the gate allows.
    unsafe { Owner::counted(handle.cast(), retain, release) }
}

/// # Safety
/// `handle` is a Python object that is alive.
unsafe fn retain(handle: *mut c_void) {
    // An array may be cloned where Python's lock is not held; then it is taken for this.
    Python::attach(|_| {
        // SAFETY: promised by the caller.
        unsafe { ffi::Py_INCREF(handle.cast()) }
    });
}

/// # Safety
/// `handle` is a Python reference that was given away; the gate lets this run only with Python's lock held.
unsafe fn release(handle: *mut c_void) {
    // SAFETY: promised by the caller.
    unsafe { ffi::Py_DECREF(handle.cast()) }
}

/// A user error as the Python exception that its code stands for.
#[cold]
pub fn raise(py: Python<'_>, error: Error) -> PyErr {
    exception(py, error.code, error.to_string())
}

/// The Python exception that a code stands for, saying `text`.
#[cold]
pub fn exception(py: Python<'_>, code: Code, text: String) -> PyErr {
    let named = py
        .import("builtins")
        .and_then(|b| b.getattr(code.exception()));
    match named.and_then(|c| Ok(c.cast_into::<PyType>()?)) {
        Ok(class) => PyErr::from_type(class, text),
        Err(_) => PyRuntimeError::new_err(text),
    }
}
