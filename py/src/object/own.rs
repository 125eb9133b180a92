//! Attributes of a program's own on objects that are not arrays.
//!
//! Not a dictionary that PyO3 gives a class (`dict`): Python's `object.__new__`, by which PyO3 makes objects, makes that before
//! the value is written, in Python 3.11 and 3.12, and so may run the collector, which would look at a value that is not there.

use pyo3::exceptions::PyAttributeError;
use pyo3::ffi;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::sync::OnceLock;

/// The attributes; there is no dictionary until a program sets one.
#[derive(Default)]
pub struct Own(OnceLock<Py<PyDict>>);

impl Own {
    /// Shows Python's collector what is held.
    ///
    /// # Errors
    /// The collector wants to see no more.
    pub fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(self.0.get())
    }

    /// Lets go of what is held, to break a cycle.
    pub fn clear(&self, py: Python<'_>) {
        if let Some(kept) = self.0.get() {
            kept.bind(py).clear();
        }
    }

    /// An attribute that the class does not have.
    ///
    /// # Errors
    /// The program has set none of this name.
    pub fn get<'py>(
        &self,
        of: &Bound<'py, PyAny>,
        name: &Bound<'py, PyString>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let kept = self.0.get().map(|kept| kept.bind(of.py()).get_item(name));
        kept.transpose()?.flatten().ok_or_else(|| lacks(of, name))
    }

    /// Sets an attribute, or deletes it: of the class if that has one of this name.
    ///
    /// # Errors
    /// The class does not let it be written, or there is none to delete.
    pub fn set(
        &self,
        of: &Bound<'_, PyAny>,
        name: &Bound<'_, PyString>,
        value: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let py = of.py();
        if of.get_type().hasattr(name)? {
            let value = value.map_or(std::ptr::null_mut(), Bound::as_ptr);
            // SAFETY: all are alive; null deletes.
            let done = unsafe { ffi::PyObject_GenericSetAttr(of.as_ptr(), name.as_ptr(), value) };
            return match done {
                0 => Ok(()),
                _ => Err(PyErr::fetch(py)),
            };
        }
        match (value, self.0.get()) {
            (Some(value), _) => {
                let kept = self.0.get_or_init(|| PyDict::new(py).unbind());
                kept.bind(py).set_item(name, value)
            }
            (None, Some(kept)) if kept.bind(py).contains(name)? => kept.bind(py).del_item(name),
            (None, _) => Err(lacks(of, name)),
        }
    }
}

fn lacks(of: &Bound<'_, PyAny>, name: &Bound<'_, PyString>) -> PyErr {
    let class = of.get_type().fully_qualified_name();
    let class = class.map_or_else(|_| "object".into(), |name| name.to_string());
    PyAttributeError::new_err(format!("'{class}' object has no attribute '{name}'"))
}
