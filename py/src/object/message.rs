//! How messages describe an object: one way for all of them.

use super::array::Array;
use super::error::{Code, error};
use pyo3::prelude::*;
use pyo3::types::PyType;

/// Longer texts of objects are left out of messages.
const LONGEST_TEXT: usize = 40;

/// An object in words: "None", "the class Foo", "the Python function bar", "a Warp array of float32 with shape [3]",
/// "a numpy.ndarray of float64 with shape [2, 2]", "3 (int)", "an object of type Foo".
#[cold]
pub fn describe(value: &Bound<'_, PyAny>) -> String {
    if value.is_none() {
        return "None".into();
    }
    if value.is_instance_of::<PyType>() {
        return format!("the class {}", name_of(value));
    }
    if let Ok(array) = value.cast::<Array>() {
        let view = array.get().view();
        let shape = view.layout();
        return format!(
            "a Warp array of {} with shape {:?}",
            view.elem,
            shape.shape()
        );
    }
    let class = value
        .get_type()
        .fully_qualified_name()
        .map_or_else(|_| "an object".into(), |n| n.to_string());
    if class == "function" || class == "builtin_function_or_method" {
        return format!("the Python function {}", name_of(value));
    }
    let array_like = (value.getattr("dtype").ok()).zip(value.getattr("shape").ok());
    match array_like.and_then(|(d, s)| Some((d.str().ok()?, s.try_iter().ok()?))) {
        Some((dtype, shape)) => {
            let shape: Vec<String> = shape.flatten().map(|n| n.to_string()).collect();
            format!("a {class} of {dtype} with shape [{}]", shape.join(", "))
        }
        None => match value.repr() {
            Ok(text) if text.len().is_ok_and(|n| n <= LONGEST_TEXT) => format!("{text} ({class})"),
            _ => format!("an object of type {class}"),
        },
    }
}

fn name_of(value: &Bound<'_, PyAny>) -> String {
    let name = value.getattr("__name__");
    name.and_then(|n| n.extract()).unwrap_or_default()
}

/// A type error that says what was found.
pub fn type_error(expected: &str, found: &Bound<'_, PyAny>) -> PyErr {
    error(
        Code::Type,
        format!("expected {expected}, found {}", describe(found)),
    )
}
