//! What kernels and functions have in common: the Python function that was decorated, its text, and what its names mean.

use pyo3::PyClass;
use pyo3::prelude::*;
use std::sync::Arc;
use warp_core::front::{FuncRef, Scope, SourceText};

/// A Python function as it was written.
pub struct Written {
    /// For what kernels can call: its number among all functions.
    pub callable: Option<u64>,
    /// The function.
    pub function: Py<PyAny>,
    /// Its name and text.
    pub source: SourceText,
    /// What names outside it mean.
    pub scope: Arc<dyn Scope + Send + Sync>,
}

impl Written {
    /// An attribute of the function.
    ///
    /// # Errors
    /// The function has no such attribute.
    pub fn attribute(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        Ok(self.function.bind(py).getattr(name)?.unbind())
    }
}

/// What kernels and functions are to Python.
#[pyclass(frozen, subclass, module = "warp", name = "_Definition")]
pub struct Definition {
    written: Arc<Written>,
}

impl Definition {
    /// The part that kernels and functions share.
    pub fn of(written: &Arc<Written>) -> PyClassInitializer<Definition> {
        PyClassInitializer::from(Definition {
            written: written.clone(),
        })
    }
    /// The function as the front knows it; None for a kernel.
    pub fn reference(&self) -> Option<FuncRef> {
        Some(FuncRef {
            id: self.written.callable?,
            source: self.written.source.clone(),
            scope: self.written.scope.clone(),
        })
    }
}

#[pymethods]
impl Definition {
    /// Name of the function.
    #[getter]
    fn key(&self) -> &str {
        &self.written.source.name
    }

    #[getter(__name__)]
    fn name(&self) -> &str {
        &self.written.source.name
    }

    /// The Python function.
    #[getter]
    fn func(&self, py: Python<'_>) -> Py<PyAny> {
        self.written.function.clone_ref(py)
    }

    #[getter]
    fn _doc(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.written.attribute(py, "__doc__")
    }

    #[getter]
    fn _module(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.written.attribute(py, "__module__")
    }

    #[getter(__wrapped__)]
    fn wrapped(&self, py: Python<'_>) -> Py<PyAny> {
        self.written.function.clone_ref(py)
    }

    /// By name, as functions are pickled: who unpickles it imports the module.
    fn __reduce__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.written.attribute(py, "__qualname__")
    }
}

/// Adds a class of definitions to the module.
///
/// Its objects answer with their function's `__doc__` and `__module__`. A class that is made has strings of its own under
/// these names, which hide what it inherits, so that they are put in place afterwards.
///
/// # Errors
/// What Python raises while the module is made.
pub fn add<T>(m: &Bound<'_, PyModule>) -> PyResult<()>
where
    T: PyClass<BaseType = Definition>,
{
    let py = m.py();
    m.add_class::<T>()?;
    let own = py.get_type::<Definition>().getattr("__dict__")?;
    let class = py.get_type::<T>();
    class.setattr("__doc__", own.get_item("_doc")?)?;
    class.setattr("__module__", own.get_item("_module")?)
}

/// Adds the class to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Definition>()
}
