//! Declaring structs, and what Python asks about them.

use super::elem::{PyElem, annotation, class_of, require_elem};
use crate::object::Array;
use crate::object::error::{Code, error};
use crate::object::message::describe;
use pyo3::prelude::*;
use warp_core::ty::{Elem, Struct, Type};
use warp_dlpack::raise;

/// Declares a struct: the key tells apart what has the same name.
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
        if let Type::Struct(s) = ty
            && s.is_indexed()
        {
            let text = format!(
                "struct '{name}': field '{field}' is an indexed array, which structs cannot hold; pass it to the kernel by \
                 itself"
            );
            return Err(error(Code::Type, text));
        }
        types.push((field, ty));
    }
    let made = Struct::new(key, name, types).map_err(|e| raise(py, e))?;
    Ok(PyElem(Elem::Struct(made)))
}

/// What an indexed array of a dtype is to kernels.
#[pyfunction]
fn _indexed_type(py: Python<'_>, dtype: &Bound<'_, PyAny>, ndim: u8) -> PyResult<PyElem> {
    let elem = require_elem(dtype)?;
    let made = Struct::indexed(elem, ndim).map_err(|e| raise(py, e))?;
    Ok(PyElem(Elem::Struct(made)))
}

/// Refuses what a field that is an array cannot hold.
#[pyfunction]
fn _check_array(declared: &Bound<'_, Array>, value: &Bound<'_, PyAny>) -> PyResult<()> {
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
            Type::Struct(s) => Some(class_of(py, Elem::Struct(s))?),
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
    m.add_function(wrap_pyfunction!(_indexed_type, m)?)?;
    m.add_function(wrap_pyfunction!(_check_array, m)?)?;
    m.add_function(wrap_pyfunction!(_fields, m)?)
}
