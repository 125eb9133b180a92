//! Instances of structs: Python objects whose `_values` hold a value for each field; `warp/_struct.py` has the class.

use super::elem::elem_of;
use crate::object::error::{Code, error};
use crate::object::message::describe;
use pyo3::prelude::*;
use pyo3::types::PyList;
use warp_core::ty::{Elem, Struct};
use warp_dlpack::Lenient;

/// The values of an instance's fields; None if it is no instance of this struct.
pub fn values<'py>(value: &Bound<'py, PyAny>, s: Struct) -> Option<Bound<'py, PyList>> {
    if elem_of(value.get_type().as_any()) != Some(Elem::Struct(s)) {
        return None;
    }
    let values = (value.getattr(pyo3::intern!(value.py(), "_values"))).or_note()?;
    let values = values.cast_into::<PyList>().ok()?;
    (values.len() == s.fields().len()).then_some(values)
}

/// An error about a value that is no instance of a struct.
pub fn expected(s: Struct, value: &Bound<'_, PyAny>) -> PyErr {
    let found = match elem_of(value.get_type().as_any()) {
        // One of the same name: what is in it tells.
        Some(Elem::Struct(other)) if other.name() == s.name() => {
            let text = format!("expected {}, found {}", s.describe(), other.describe());
            return error(Code::Type, text);
        }
        Some(Elem::Struct(other)) => format!("an instance of {other}"),
        _ => describe(value),
    };
    error(
        Code::Type,
        format!("expected an instance of {s}, found {found}"),
    )
}
