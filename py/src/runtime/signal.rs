//! Signals during work that runs no Python code: their handlers run now and then, and what one raises ends the work.

use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};

/// What a signal's handler raised during one piece of work.
#[derive(Default)]
pub struct Signal(Mutex<Option<PyErr>>);

impl Signal {
    /// Runs the handlers of signals that came; whether one raised. Only the main thread runs handlers.
    #[cold]
    pub fn came(&self, py: Python<'_>) -> bool {
        match py.check_signals() {
            Ok(()) => false,
            Err(error) => self.fails(error),
        }
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
        let raised = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        raised.unwrap_or_else(error)
    }
}
