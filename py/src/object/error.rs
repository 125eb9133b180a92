//! Every error of this crate: a code of the one enumeration ([`Code`]) and a text, made into an exception here.

use pyo3::prelude::*;
use warp_core::error::Error;
use warp_core::span::Source;
use warp_dlpack::{exception, passes, raise};

pub use warp_core::error::Code;

/// Each code's name, exception and meaning, as `docs/errors.md` lists them.
pub fn codes() -> Vec<(&'static str, &'static str, &'static str)> {
    let entry = |code: &Code| (code.name(), code.exception().name(), code.meaning());
    Code::ALL.iter().map(entry).collect()
}

/// The exception that a code stands for, saying `text`.
#[cold]
pub fn error(code: Code, text: impl Into<String>) -> PyErr {
    exception(code, text.into())
}

/// The exception for an error in a kernel's text; `sources` are the texts that its spans point into.
#[cold]
pub fn raise_at(error: &Error, sources: &[Source]) -> PyErr {
    exception(error.code, error.render(sources))
}

/// Makes exceptions of the core's errors which name the call: `refuse(py, "reshape")`.
pub fn refuse(py: Python<'_>, place: &str) -> impl Fn(Error) -> PyErr {
    move |e| raise(py, e.within(place))
}

/// The same exception with the place in front of its text. One that is no `Exception`, as `KeyboardInterrupt` and `SystemExit`,
/// is about no place, and stays as it is.
#[cold]
pub fn within(py: Python<'_>, place: &str, error: &PyErr) -> PyErr {
    if passes(error) {
        return error.clone_ref(py);
    }
    PyErr::from_type(error.get_type(py), format!("{place}: {}", error.value(py)))
}

/// Why a value does not fit a kernel's parameter.
#[derive(Debug)]
pub struct Mismatch(pub PyErr);

impl Mismatch {
    /// The exception, naming the kernel and the argument.
    #[cold]
    pub fn at(self, kernel: &str, argument: &str) -> PyErr {
        Python::attach(|py| {
            let place = format!("launch of kernel '{kernel}': argument '{argument}'");
            let error = within(py, &place, &self.0);
            error.set_cause(py, self.0.cause(py));
            error
        })
    }
}
