//! Signals during work that runs no Python code: their handlers run now and then, and what one raises ends the work.

use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};

/// What a signal's handler raised during one piece of work.
#[derive(Default)]
pub struct Signal(Mutex<Option<PyErr>>);

impl Signal {
    /// Runs the handlers of signals that came; whether one has raised. Only the main thread runs handlers.
    #[cold]
    pub fn came(&self, py: Python<'_>) -> bool {
        let mut raised = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if raised.is_none() {
            *raised = py.check_signals().err();
        }
        raised.is_some()
    }

    /// What a handler raised, if one did.
    ///
    /// # Errors
    /// That.
    pub fn check(self) -> PyResult<()> {
        let raised = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        raised.map_or(Ok(()), Err)
    }

    /// Keeps an error that ends the work, and says so: `true`.
    #[cold]
    pub fn fails(&self, error: PyErr) -> bool {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        true
    }

    /// What a handler raised, else what the work itself says.
    #[cold]
    pub fn or_else(self, error: impl FnOnce() -> PyErr) -> PyErr {
        self.check().err().unwrap_or_else(error)
    }
}
