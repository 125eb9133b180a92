//! Exceptions that pass through us: those that are no `Exception`, as `KeyboardInterrupt` and `SystemExit`. Code that
//! tries something else, or raises something else, after an error of Python's asks here first.

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use std::cell::RefCell;

thread_local! {
    /// One that waits on this thread for the next error.
    static NOTED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Whether an exception must pass.
#[cold]
pub fn passes(error: &PyErr) -> bool {
    Python::attach(|py| !error.is_instance_of::<PyException>(py))
}

/// Keeps an exception that must pass, where no exception can be given back: [`exception`](crate::exception) gives it instead of
/// the next one on this thread, and [`raise_noted`] raises it.
#[cold]
pub fn note(error: PyErr) {
    if passes(&error) {
        NOTED.with_borrow_mut(|noted| {
            noted.get_or_insert(error);
        });
    }
}

/// The exception that was noted on this thread, if one was.
pub(crate) fn take_noted() -> Option<PyErr> {
    NOTED.take()
}

/// Raises the exception that was noted on this thread.
///
/// # Errors
/// That.
pub fn raise_noted() -> PyResult<()> {
    take_noted().map_or(Ok(()), Err)
}

/// What Python answered, where an exception means that something else is tried or said.
pub trait Lenient<T> {
    /// The answer; none for an exception.
    ///
    /// # Errors
    /// The exception must pass.
    fn lenient(self) -> PyResult<Option<T>>;

    /// The answer; none for an exception. One that must pass is noted: for what is followed by an error of ours.
    fn or_note(self) -> Option<T>;
}

impl<T> Lenient<T> for PyResult<T> {
    #[inline]
    fn lenient(self) -> PyResult<Option<T>> {
        match self {
            Ok(answer) => Ok(Some(answer)),
            Err(error) if passes(&error) => Err(error),
            Err(_) => Ok(None),
        }
    }

    #[inline]
    fn or_note(self) -> Option<T> {
        self.map_err(note).ok()
    }
}
