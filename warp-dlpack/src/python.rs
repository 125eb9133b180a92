//! What every adapter of a Python framework needs: a Python reference as an owner, errors as exceptions.

use crate::passing::take_noted;
use pyo3::exceptions::{
    PyAssertionError, PyAttributeError, PyBufferError, PyImportError, PyIndexError, PyKeyError,
    PyMemoryError, PyNameError, PyOSError, PyOverflowError, PyRuntimeError, PySyntaxError,
    PySystemError, PyTypeError, PyValueError, PyZeroDivisionError,
};
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::c_void;
use warp_core::array::Owner;
use warp_core::array::owner::{Counts, Places};
use warp_core::error::{Code, Error, Exception};

/// A Python object as what keeps memory alive: counted by Python itself, so it needs no memory of its own.
#[inline(always)]
pub fn reference(object: Bound<'_, PyAny>) -> Owner {
    let handle = object.unbind().into_ptr();
    // SAFETY: one reference is given away here; each one counted is dropped once, where the gate allows.
    unsafe { Owner::counted(handle.cast(), &REFERENCES) }
}

static REFERENCES: Counts = Counts::of_fixed(retain, release);

/// Counts of Python objects whose memory may be replaced: `moved` says what has happened then.
pub const fn references(places: Places, moved: &'static str) -> Counts {
    Counts {
        retain,
        release,
        places,
        moved,
    }
}

/// The Python object, where one keeps the memory alive: for the collector of cycles.
pub fn referent(owner: &Owner) -> Option<&Py<PyAny>> {
    let handle = owner.counted_by(release)?;
    // SAFETY: a `Py` is a pointer to an object, and this one is a reference that the owner holds.
    Some(unsafe { &*std::ptr::from_ref(handle).cast::<Py<PyAny>>() })
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
pub fn raise(_py: Python<'_>, error: Error) -> PyErr {
    exception(error.code, error.to_string())
}

/// The Python exception that a code stands for, saying `text`; or one that was noted because it must pass.
#[cold]
pub fn exception(code: Code, text: String) -> PyErr {
    if let Some(noted) = take_noted() {
        return noted;
    }
    match code.exception() {
        Exception::AssertionError => PyAssertionError::new_err(text),
        Exception::AttributeError => PyAttributeError::new_err(text),
        Exception::BufferError => PyBufferError::new_err(text),
        Exception::ImportError => PyImportError::new_err(text),
        Exception::IndexError => PyIndexError::new_err(text),
        Exception::KeyError => PyKeyError::new_err(text),
        Exception::MemoryError => PyMemoryError::new_err(text),
        Exception::NameError => PyNameError::new_err(text),
        Exception::OSError => PyOSError::new_err(text),
        Exception::OverflowError => PyOverflowError::new_err(text),
        Exception::RuntimeError => PyRuntimeError::new_err(text),
        Exception::SyntaxError => PySyntaxError::new_err(text),
        Exception::SystemError => PySystemError::new_err(text),
        Exception::TypeError => PyTypeError::new_err(text),
        Exception::ValueError => PyValueError::new_err(text),
        Exception::ZeroDivisionError => PyZeroDivisionError::new_err(text),
    }
}
