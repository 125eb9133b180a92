//! Core errors as Python exceptions.

use pyo3::exceptions::{
    PyAttributeError, PyNameError, PyOSError, PyRuntimeError, PySyntaxError, PyTypeError, PyValueError,
};
use pyo3::prelude::*;
use warp_core::error::{Code, Error};
use warp_core::span::Source;

/// The exception for an error; `sources` are the texts that its spans point into.
pub fn raise(error: &Error, sources: &[Source]) -> PyErr {
    let text = error.render(sources);
    match error.code {
        Code::Syntax => PySyntaxError::new_err(text),
        Code::Name => PyNameError::new_err(text),
        Code::Type | Code::Argument => PyTypeError::new_err(text),
        Code::Value => PyValueError::new_err(text),
        Code::Attribute => PyAttributeError::new_err(text),
        Code::Launch => PyTypeError::new_err(text),
        Code::System => PyOSError::new_err(text),
        Code::Gradient | Code::Runtime => PyRuntimeError::new_err(text),
    }
}
