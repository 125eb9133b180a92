//! What a function of kernels returns for arguments of given types: what `wp.map` makes its outputs of.

use super::definition::{Written, name_in_text};
use super::scope::PyScope;
use crate::dtype;
use crate::object::error::{Code, error, raise_in_text};
use pyo3::prelude::*;
use warp_core::front::{self, Failure, SourceText};
use warp_core::ty::{Elem, Type};
use warp_dlpack::raise_noted;

/// The dtypes of what a function returns, from its text and the annotations of its parameters; one for each of several.
#[pyfunction]
fn _result_types<'py>(
    py: Python<'py>,
    function: Py<PyAny>,
    source: (String, u32, String),
    annotations: Vec<(String, Py<PyAny>)>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let (file, first_line, text) = source;
    let source = SourceText {
        name: name_in_text(function.bind(py), &text)?,
        file,
        first_line,
        text,
    };
    let written = Written {
        rules: Default::default(),
        about: None,
        callable: None,
        types: Vec::new(),
        overloads: Vec::new(),
        function,
        source: source.clone(),
        annotations: annotations.into_iter().collect(),
    };
    let scope = PyScope::new(Py::new(py, written)?, None);
    let outcome = py.detach(move || {
        let scope = scope;
        front::result(&source, &scope)
    });
    raise_noted()?;
    let ty = outcome.map_err(|failure: Failure| raise_in_text(&failure.error, &failure.sources))?;
    match &ty {
        Type::Tuple(items) => items.iter().map(|ty| class(py, ty)).collect(),
        one => Ok(vec![class(py, one)?]),
    }
}

fn class<'py>(py: Python<'py>, ty: &Type) -> PyResult<Bound<'py, PyAny>> {
    match ty {
        Type::Elem(elem) => dtype::class_of(py, *elem),
        Type::Struct(s) if s.is_plain() => dtype::class_of(py, Elem::Struct(*s)),
        Type::None => Err(error(
            Code::Type,
            "map: the function returns nothing; it must return a value for each element",
        )),
        other => Err(error(
            Code::Type,
            format!("map: the function returns {other}, which no array holds"),
        )),
    }
}

/// Adds the function to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_result_types, m)?)
}
