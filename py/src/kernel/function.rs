//! `Function`: a decorated Python function that kernels call.

use super::annotation::annotation_type;
use super::definition::{self, Definition, Written};
use super::names;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use warp_core::front::SourceText;
use warp_core::ty::Pattern;

/// A function that kernels can call.
#[pyclass(frozen, extends = Definition, module = "warp", name = "Function")]
pub struct Function {
    written: Py<Written>,
}

#[pymethods]
impl Function {
    #[new]
    fn new(
        py: Python<'_>,
        function: Py<PyAny>,
        name: String,
        source: (String, u32, String),
        annotations: Vec<(String, Py<PyAny>)>,
        earlier: Option<Py<Function>>,
    ) -> PyResult<PyClassInitializer<Function>> {
        let types = annotations
            .iter()
            .map(|(_, a)| annotation_type(a.bind(py)).ok());
        let types: Vec<Option<Pattern>> = types.collect();
        let overloads = earlier.map_or(Vec::new(), |earlier| {
            let earlier = &earlier.get().written;
            let all = earlier.get().overloads.iter().chain([earlier]);
            let others = all.filter(|other| other.get().types != types);
            others.map(|other| other.clone_ref(py)).collect()
        });
        let annotations = annotations.into_iter().filter(|(_, a)| !a.is_none(py));
        let (file, first_line, text) = source;
        let source = SourceText {
            name,
            file,
            first_line,
            text,
        };
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let written = Written {
            callable: Some(number),
            function,
            source,
            annotations: annotations.collect(),
            types,
            overloads,
            about: OnceLock::new(),
        };
        let written = Py::new(py, written)?;
        names::_defined();
        Ok(Definition::of(py, &written).add_subclass(Function { written }))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.written)
    }

    fn __repr__(&self) -> String {
        format!("<warp function '{}'>", self.written.get().source.name)
    }

    /// Runs the function as plain Python.
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        Ok(self
            .written
            .get()
            .function
            .bind(py)
            .call(args, kwargs)?
            .unbind())
    }
}

/// Adds the class to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    definition::add::<Function>(m)
}
