//! Declaring structs, and what Python asks about them.

use super::elem::{PyElem, annotation, class_of, indexed_of, require_elem};
use super::pattern::{PyPattern, open_elem};
use crate::object::Array;
use crate::object::error::{Code, error};
use crate::object::message::describe;
use pyo3::prelude::*;
use std::sync::Arc;
use warp_core::front;
use warp_core::ty::{Elem, Pattern, Struct, Type};
use warp_dlpack::raise;

/// Declares a struct: the key distinguishes structs of the same name.
#[pyfunction]
fn _struct(
    py: Python<'_>,
    key: &str,
    name: &str,
    fields: Vec<(String, Py<PyAny>)>,
) -> PyResult<PyElem> {
    let mut types = Vec::new();
    for (field, declared) in fields {
        let declared = declared.bind(py);
        let Some(ty) = annotation(declared) else {
            return Err(error(
                Code::Type,
                format!(
                    "struct '{name}': field '{field}' is declared as {}, which is no type of kernels; for example float, \
                 wp.vec3, wp.array(dtype=float) or another struct",
                    describe(declared)
                ),
            ));
        };
        types.push((field, ty));
    }
    let made = Struct::new(key, name, types).map_err(|e| raise(py, e))?;
    Ok(PyElem(Elem::Struct(made)))
}

/// A struct that the compiler itself declares, as that of a query.
#[pyfunction]
fn _library_struct(name: &str) -> Option<PyElem> {
    front::struct_of(name).map(|s| PyElem(Elem::Struct(s)))
}

/// What an indexed array of a dtype is to kernels; a pattern if the dtype admits several types.
#[pyfunction]
fn _indexed_type<'py>(dtype: &Bound<'py, PyAny>, ndim: u8) -> PyResult<Bound<'py, PyAny>> {
    let py = dtype.py();
    if let Some(of) = open_elem(dtype) {
        let of = Arc::new(of);
        let pattern = PyPattern(Pattern::Indexed { of, ndim });
        return Ok(Bound::new(py, pattern)?.into_any());
    }
    let elem = require_elem(dtype)?;
    let made = Struct::indexed(elem, ndim).map_err(|e| raise(py, e))?;
    Ok(Bound::new(py, PyElem(Elem::Struct(made)))?.into_any())
}

/// Refuses what a field that is an array cannot hold.
#[pyfunction]
fn _check_array(declared: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
    if let Some(wanted) = indexed_of(declared) {
        return match indexed_of(value) == Some(wanted) && value.hasattr("data")? {
            true => Ok(()),
            false => Err(error(
                Code::Type,
                format!("expected {wanted}, found {}", describe(value)),
            )),
        };
    }
    let declared = declared.cast::<Array>()?;
    let want = declared.get().view();
    if let Ok(array) = value.cast::<Array>() {
        let have = array.get().view();
        if (have.elem, have.ndim) == (want.elem, want.ndim) && !array.get().is_annotation() {
            return Ok(());
        }
    }
    let (elem, ndim) = (want.elem, want.ndim);
    let hint = match value.cast::<Array>() {
        Err(_) if value.hasattr("__array__")? || value.hasattr("__dlpack__")? => {
            "; make it a Warp array, as with wp.array(a, dtype=..., copy=False)"
        }
        _ => "",
    };
    Err(error(
        Code::Type,
        format!(
            "expected {}, found {}{hint}",
            Type::Array { elem, ndim },
            describe(value)
        ),
    ))
}

type FieldFacts<'py> = (&'static str, Option<Bound<'py, PyAny>>, usize);

/// Fields of a struct: name, type of the values (None for arrays), bytes from the start.
#[pyfunction]
fn _fields<'py>(py: Python<'py>, elem: &PyElem) -> PyResult<Vec<FieldFacts<'py>>> {
    let Elem::Struct(s) = elem.0 else {
        return Ok(Vec::new());
    };
    let fields = s.fields().iter().map(|f| {
        let class = match f.ty {
            Type::Elem(elem) => Some(class_of(py, elem)?),
            Type::Struct(s) if !s.is_indexed() => Some(class_of(py, Elem::Struct(s))?),
            _ => None,
        };
        Ok((f.name.as_str(), class, f.offset))
    });
    fields.collect()
}

/// Adds the functions to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_struct, m)?)?;
    m.add_function(wrap_pyfunction!(_library_struct, m)?)?;
    m.add_function(wrap_pyfunction!(_indexed_type, m)?)?;
    m.add_function(wrap_pyfunction!(_check_array, m)?)?;
    m.add_function(wrap_pyfunction!(_fields, m)?)
}
