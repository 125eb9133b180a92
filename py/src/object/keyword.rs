//! Keywords that a function does not have.

use super::error::{Code, error as refused};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use warp_core::front::nearest;

/// An error of a keyword that a function does not have, with the parameter that it may stand for.
#[cold]
pub fn unknown_keyword(function: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    const UNKNOWN: &str = "got an unexpected keyword argument '";
    let py = function.py();
    if !error.is_instance_of::<PyTypeError>(py) {
        return error;
    }
    let text = error.value(py).to_string();
    let found = text.split_once(UNKNOWN);
    let Some(name) = found.and_then(|(_, rest)| rest.strip_suffix('\'')) else {
        return error;
    };
    let signature = function.getattr("__text_signature__");
    let signature: String = signature.and_then(|s| s.extract()).unwrap_or_default();
    let inside = signature.trim_start_matches('(').trim_end_matches(')');
    let names = inside.split(',').filter_map(|part| {
        let name = part.split('=').next().unwrap_or("").trim();
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic());
        is_name.then_some(name)
    });
    match nearest(name, names.clone()) {
        Some(like) => refused(Code::Type, format!("{text}; did you mean '{like}'?")),
        None => {
            let known = names.collect::<Vec<_>>().join(", ");
            refused(Code::Type, format!("{text}; its parameters are {known}"))
        }
    }
}
