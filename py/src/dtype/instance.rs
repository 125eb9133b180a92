//! Instances of structs: Python objects whose `_values` hold a value for each field; `warp/_language/struct.py` has the class.

use super::elem::{elem_of, indexed_of};
use crate::object::error::{Code, error};
use crate::object::message::{array_of, describe};
use pyo3::prelude::*;
use pyo3::types::PyList;
use warp_core::front;
use warp_core::library;
use warp_core::ty::{Elem, Struct};
use warp_dlpack::Lenient;

/// The values of an instance's fields; None if it is no instance of this struct.
pub fn values<'py>(value: &Bound<'py, PyAny>, s: Struct) -> Option<Bound<'py, PyList>> {
    if s.is_indexed() {
        return indexed(value, s);
    }
    if elem_of(value.get_type().as_any()) != Some(Elem::Struct(s)) {
        // No texture is one that is zero everywhere.
        let none = value.is_none()
            && library::may_be_none(s.name())
            && front::struct_of(s.name()) == Some(s);
        return none.then(|| PyList::new(value.py(), vec![0; s.fields().len()]).ok())?;
    }
    let values = (value.getattr(pyo3::intern!(value.py(), "_values"))).or_note()?;
    let values = values.cast_into::<PyList>().ok()?;
    (values.len() == s.fields().len()).then_some(values)
}

/// The arrays that an indexed array is passed as.
fn indexed<'py>(value: &Bound<'py, PyAny>, s: Struct) -> Option<Bound<'py, PyList>> {
    if indexed_of(value) != Some(Elem::Struct(s)) {
        return None;
    }
    let parts = value.call_method0(pyo3::intern!(value.py(), "_parts"));
    // An annotation has none.
    let parts = parts.or_note()?.cast_into::<PyList>().ok()?;
    (parts.len() == s.fields().len()).then_some(parts)
}

/// An error about a value that is no instance of a struct.
pub fn expected(s: Struct, value: &Bound<'_, PyAny>) -> PyErr {
    if s.is_indexed() {
        let found = match indexed_of(value) {
            Some(Elem::Struct(other)) if other != s => other.to_string(),
            Some(_) => "an annotation".to_string(),
            None if value.is_none() => {
                "None, which can be passed for a wp.array, not for a wp.indexedarray".to_string()
            }
            None => format!("{}{}", describe(value), array_of(value)),
        };
        return error(Code::Launch, format!("expected {s}, found {found}"));
    }
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
