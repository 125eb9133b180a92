//! How messages describe an object: the same in all of them.

use super::array::Array;
use super::error::{Code, error};
use super::package::PACKAGE;
use pyo3::PyTypeInfo;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple, PyType};
use std::ffi::CString;
use warp_dlpack::Lenient;

/// Longer texts of objects are left out of messages.
const LONGEST_TEXT: usize = 40;

/// Warns, at the place in Python that called.
///
/// # Errors
/// The program wants warnings to be errors.
#[cold]
pub fn warn<W: PyTypeInfo>(py: Python<'_>, text: &str) -> PyResult<()> {
    let text = CString::new(text.replace('\0', "")).unwrap_or_default();
    PyErr::warn(py, &py.get_type::<W>(), &text, 1)
}

/// An object in words: "None", "the class Foo", "the Python function bar", "a Warp array of float32 with shape [3]",
/// "a numpy.ndarray of float64 with shape [2, 2]", "3 (int)", "an object of type Foo". An error that says so follows: it is what
/// the object itself raises, if that must pass.
#[cold]
pub fn describe(value: &Bound<'_, PyAny>) -> String {
    if value.is_none() {
        return "None".into();
    }
    if let Some(instead) = absent(value) {
        return format!("wp.{}, which is not supported ({instead})", name_of(value));
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
    let class = class_of(value);
    if class == "numpy._ArrayFunctionDispatcher" || class == "numpy.ufunc" {
        return format!("NumPy's function {}", name_of(value));
    }
    if class == "function" || class == "builtin_function_or_method" {
        let module = value
            .getattr("__module__")
            .and_then(|m| m.extract::<String>());
        let whose = match module.as_deref() {
            Ok("builtins") => "Python's function",
            _ => "the Python function",
        };
        return format!("{whose} {}", name_of(value));
    }
    if let Some((dtype, shape)) = array_like(value).or_note() {
        return format!("a {class} of {dtype} with shape [{}]", shape.join(", "));
    }
    match value.repr().or_note() {
        Some(text) if text.len().is_ok_and(|n| n <= LONGEST_TEXT) => format!("{text} ({class})"),
        _ => format!("an object of type {class}"),
    }
}

/// The name of an object's class with its module; of ours without private modules and what is in them.
fn class_of(value: &Bound<'_, PyAny>) -> String {
    let class = value.get_type();
    let (Ok(name), Ok(class)) = (class.fully_qualified_name(), class.qualname()) else {
        return "an object".into();
    };
    let (name, class) = (name.to_string(), class.to_string());
    let module = name.strip_suffix(&class).unwrap_or_default();
    if !module.starts_with("warp.") {
        return name;
    }
    let is_public = |part: &&str| !part.starts_with('_');
    let folders = module.split_terminator('.').take_while(is_public);
    let public: Vec<_> = folders.chain(class.split('.').filter(is_public)).collect();
    public.join(".")
}

/// What to do instead of a name of NVIDIA's Warp that this library does not have.
#[cold]
pub fn absent(value: &Bound<'_, PyAny>) -> Option<String> {
    let instead = PACKAGE.instead_of.call(value.py(), (value,));
    instead.and_then(|text| text.extract()).or_note().flatten()
}

/// What an error says after [`describe`] if an array is expected: how to pass what a list or a tuple holds.
#[cold]
pub fn array_of(value: &Bound<'_, PyAny>) -> &'static str {
    let several = value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>();
    match several {
        true => "; make it a Warp array: wp.array(values, dtype=...)",
        false => "",
    }
}

/// Dtype and shape of what looks like an array.
fn array_like(value: &Bound<'_, PyAny>) -> PyResult<(String, Vec<String>)> {
    let text = |object: &Bound<'_, PyAny>| Ok::<_, PyErr>(object.str()?.to_string());
    let (dtype, shape) = (value.getattr("dtype")?, value.getattr("shape")?);
    let shape = shape
        .try_iter()?
        .map(|n| text(&n?))
        .collect::<PyResult<_>>()?;
    Ok((text(&dtype)?, shape))
}

/// The name of a class or a function.
pub fn name_of(value: &Bound<'_, PyAny>) -> String {
    let name = value.getattr("__name__").and_then(|n| n.extract());
    name.or_note().unwrap_or_default()
}

/// A type error that says what was found.
pub fn type_error(expected: &str, found: &Bound<'_, PyAny>) -> PyErr {
    error(
        Code::Type,
        format!("expected {expected}, found {}", describe(found)),
    )
}
