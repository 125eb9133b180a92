//! `Function`: a decorated Python function that kernels call.

use super::definition::{self, Definition, Written};
use super::{names, scope};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use warp_core::front::SourceText;

/// A function that kernels can call.
#[pyclass(frozen, extends = Definition, module = "warp", name = "Function")]
pub struct Function {
    written: Arc<Written>,
}

#[pymethods]
impl Function {
    #[new]
    fn new(
        py: Python<'_>,
        function: Py<PyAny>,
        name: String,
        file: String,
        line: u32,
        text: String,
        annotations: Vec<(String, Py<PyAny>)>,
    ) -> PyClassInitializer<Function> {
        let annotations: Vec<(String, Py<PyAny>)> = annotations
            .into_iter()
            .filter(|(_, a)| !a.is_none(py))
            .collect();
        let source = SourceText {
            name,
            file,
            first_line: line,
            text,
        };
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let written = scope::written(py, Some(number), function, &annotations, source);
        names::_defined();
        Definition::of(&written).add_subclass(Function { written })
    }

    fn __repr__(&self) -> String {
        format!("<warp function '{}'>", self.written.source.name)
    }

    /// Runs the function as plain Python.
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        Ok(self.written.function.bind(py).call(args, kwargs)?.unbind())
    }
}

/// Adds the class to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    definition::add::<Function>(m)
}
