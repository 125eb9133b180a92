//! What kernels and functions have in common: the Python function that was decorated, its text, and what its names mean.

use crate::object::Own;
use pyo3::PyClass;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use warp_core::front::SourceText;
use warp_core::ty::Pattern;

/// A Python function as it was written. An object of its own, so that Python's collector sees each reference to the function
/// once: kernels that are derived of one another share this.
#[pyclass(frozen, module = "warp._warp", name = "_Written")]
pub struct Written {
    /// For what kernels can call: its number among all functions.
    pub callable: Option<u64>,
    /// The function.
    pub function: Py<PyAny>,
    /// Its name and text.
    pub source: SourceText,
    /// Its evaluated annotations, by parameter.
    pub annotations: HashMap<String, Py<PyAny>>,
    /// The types of its parameters in order, where they are known: what tells overloads apart.
    pub types: Vec<Option<Pattern>>,
    /// Functions of the same name that were defined before it for other types.
    pub overloads: Vec<Py<Written>>,
    /// What says how it is differentiated, if its author does.
    pub rules: Mutex<Rules>,
    /// Its key, module and options (`warp/_language/modules.py`), unless it belongs to no module. It refers to no kernel.
    pub about: Option<Py<PyAny>>,
}

/// What `wp.func_grad` and `wp.func_replay` have made of a function.
#[derive(Default)]
pub struct Rules {
    /// Its derivative.
    pub gradient: Option<Py<Written>>,
    /// What replaces it where adjoints run forward.
    pub replay: Option<Py<Written>>,
}

/// Whether `def name` stands in a text.
pub fn defines(text: &str, name: &str) -> bool {
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    text.split(&format!("def {name}")).skip(1).any(ends)
}

/// The name after `def` in the text of a function. A program may have given the function another one since.
///
/// # Errors
/// The function has no name.
pub fn name_in_text(function: &Bound<'_, PyAny>, text: &str) -> PyResult<String> {
    let name: String = function.getattr("__name__")?.extract()?;
    let defines = |name: &str| defines(text, name);
    let first = function
        .getattr("__code__")
        .and_then(|c| c.getattr("co_name"));
    match first.and_then(|first| first.extract::<String>()) {
        Ok(first) if !defines(&name) && defines(&first) => Ok(first),
        _ => Ok(name),
    }
}

impl Written {
    /// What says how it is differentiated.
    pub fn rules(&self) -> MutexGuard<'_, Rules> {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An attribute of the function.
    ///
    /// # Errors
    /// The function has no such attribute.
    pub fn attribute(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        Ok(self.function.bind(py).getattr(name)?.unbind())
    }
}

// Nothing is let go in a `__clear__`: a cycle through a function goes through its globals or its closure, which Python clears.
#[pymethods]
impl Written {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.function)?;
        visit.call(&self.about)?;
        self.annotations.values().try_for_each(|a| visit.call(a))?;
        self.overloads.iter().try_for_each(|o| visit.call(o))?;
        // Whoever holds the lock uses what is behind it.
        let Ok(rules) = self.rules.try_lock() else {
            return Ok(());
        };
        let mut both = rules.gradient.iter().chain(&rules.replay);
        both.try_for_each(|rule| visit.call(rule))
    }
}

/// What kernels and functions are to Python.
#[pyclass(frozen, subclass, weakref, module = "warp", name = "Definition")]
pub struct Definition {
    /// What was decorated.
    pub written: Py<Written>,
    /// Attributes of the program's own.
    own: Own,
}

impl Definition {
    /// Something of what is known about it.
    fn about(&self, py: Python<'_>, name: &str) -> PyResult<Option<Py<PyAny>>> {
        let about = self.written.get().about.as_ref();
        about.map(|about| about.getattr(py, name)).transpose()
    }

    /// The part that kernels and functions share.
    pub fn of(py: Python<'_>, written: &Py<Written>) -> PyClassInitializer<Definition> {
        PyClassInitializer::from(Definition {
            written: written.clone_ref(py),
            own: Own::default(),
        })
    }
}

#[pymethods]
impl Definition {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.written)?;
        self.own.visit(&visit)
    }
    fn __clear__(&self, py: Python<'_>) {
        self.own.clear(py);
    }
    fn __getattr__<'py>(
        slf: &Bound<'py, Self>,
        name: &Bound<'py, PyString>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.get().own.get(slf.as_any(), name)
    }
    fn __setattr__(
        slf: &Bound<'_, Self>,
        name: &Bound<'_, PyString>,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        slf.get().own.set(slf.as_any(), name, Some(value))
    }
    fn __delattr__(slf: &Bound<'_, Self>, name: &Bound<'_, PyString>) -> PyResult<()> {
        slf.get().own.set(slf.as_any(), name, None)
    }

    /// The name in its module; by default the name of the function.
    #[getter]
    fn key(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match &self.written.get().about {
            Some(about) => about.getattr(py, "key"),
            None => self.name(py),
        }
    }

    #[setter]
    fn set_key(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<()> {
        match &self.written.get().about {
            Some(about) => about.bind(py).setattr("key", key),
            None => self.set_name(py, key),
        }
    }

    /// Its module: a `wp.Module`.
    #[getter(module)]
    fn owner(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.about(py, "module")
    }

    /// What it says of the options of its module.
    #[getter]
    fn options(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.about(py, "options")
    }

    /// Its parameters: `adj.args`, each with `label` and `type`.
    #[getter]
    fn adj(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.about(py, "adj")
    }

    #[getter(__name__)]
    fn name(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.written.get().attribute(py, "__name__")
    }

    #[setter(__name__)]
    fn set_name(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<()> {
        self.written
            .get()
            .function
            .bind(py)
            .setattr("__name__", name)
    }

    /// The Python function.
    #[getter]
    fn func(&self, py: Python<'_>) -> Py<PyAny> {
        self.written.get().function.clone_ref(py)
    }

    #[getter]
    fn _doc(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.written.get().attribute(py, "__doc__")
    }

    #[setter(_doc)]
    fn set_doc(&self, py: Python<'_>, doc: &Bound<'_, PyAny>) -> PyResult<()> {
        self.written.get().function.bind(py).setattr("__doc__", doc)
    }

    #[getter(__qualname__)]
    fn qualname(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.written.get().attribute(py, "__qualname__")
    }

    #[setter(__qualname__)]
    fn set_qualname(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<()> {
        self.written
            .get()
            .function
            .bind(py)
            .setattr("__qualname__", name)
    }

    #[getter]
    fn _module(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.written.get().attribute(py, "__module__")
    }

    #[getter(__wrapped__)]
    fn wrapped(&self, py: Python<'_>) -> Py<PyAny> {
        self.written.get().function.clone_ref(py)
    }

    /// By name, as functions are pickled: unpickling imports the module.
    fn __reduce__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.written.get().attribute(py, "__qualname__")
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
