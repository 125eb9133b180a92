//! `Function`: a decorated Python function that kernels call.

use crate::definition::{Definition, Written};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use warp_core::front::{FuncRef, SourceText};

/// A function that kernels can call.
#[pyclass(frozen, extends = Definition, module = "warp", name = "Function")]
pub struct Function {
    id: u64,
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
        static NEXT: AtomicU64 = AtomicU64::new(0);
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
        let written = Written::new(py, function, &annotations, source);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Definition::of(&written).add_subclass(Function { id, written })
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

impl Function {
    /// The function as the front knows it.
    pub fn reference(&self, _py: Python<'_>) -> FuncRef {
        FuncRef {
            id: self.id,
            source: self.written.source.clone(),
            scope: self.written.scope.clone(),
        }
    }
}

/// Adds the class to the module.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    crate::definition::add::<Function>(m)
}
