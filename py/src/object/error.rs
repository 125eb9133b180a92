//! Every error of this crate: a code of the one enumeration ([`Code`]) and a text, made into an exception here.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use warp_core::error::{Error, Exception};
use warp_core::span::Source;
use warp_dlpack::{Lenient, class, exception, exception_in_text, passes, raise};

pub use warp_core::error::Code;

type Entry = (&'static str, &'static str, &'static str, &'static str);

/// Each code's name, exceptions and meaning, as `docs/errors.md` lists them.
fn codes() -> Vec<Entry> {
    let entry = |code: &Code| {
        let (raised, in_text) = (code.exception().name(), code.exception_in_text().name());
        (code.name(), raised, in_text, code.meaning())
    };
    Code::ALL.iter().map(entry).collect()
}

/// The exception that a code stands for, by its name: for what is written in Python.
#[pyfunction]
fn _error(code: &str, text: String) -> PyErr {
    let known = Code::ALL.iter().find(|c| c.name() == code);
    exception(*known.unwrap_or(&Code::Bug), text)
}

/// Adds the codes, the function and the classes of exceptions to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("ERROR_CODES", codes())?;
    m.add_function(wrap_pyfunction!(_error, m)?)?;
    let mut ours = Exception::ALL.iter().filter(|e| !e.bases().is_empty());
    ours.try_for_each(|e| m.add(e.name(), class(m.py(), *e)?))
}

/// The exception that a code stands for, saying `text`.
#[cold]
pub fn error(code: Code, text: impl Into<String>) -> PyErr {
    exception(code, text.into())
}

/// The exception that a code stands for where a kernel's text is at fault.
#[cold]
pub fn error_in_text(code: Code, text: impl Into<String>) -> PyErr {
    exception_in_text(code, text.into())
}

/// The exception for an error, with its places and its hint.
#[cold]
pub fn raise_at(error: &Error) -> PyErr {
    exception(error.code, error.render(&[]))
}

/// The exception for an error in a kernel's text; `sources` are the texts that its spans point into.
#[cold]
pub fn raise_in_text(error: &Error, sources: &[Source]) -> PyErr {
    exception_in_text(error.code, error.render(sources))
}

/// The same exception as that of another code where it is a plain TypeError or ValueError.
#[cold]
pub fn also(py: Python<'_>, error: PyErr, code: fn(Code) -> Code) -> PyErr {
    let found = error.get_type(py);
    let plain = if found.is(py.get_type::<PyTypeError>()) {
        Code::Type
    } else if found.is(py.get_type::<PyValueError>()) {
        Code::Value
    } else {
        return error;
    };
    match plain_text(py, &error) {
        Some(text) => in_place_of(py, &error, exception(code(plain), text)),
        None => error,
    }
}

/// The text of an exception that is nothing but its class and a text, as ours are and most of Python's own. Others may hold
/// anything, which an exception made anew of their class would not have.
fn plain_text(py: Python<'_>, error: &PyErr) -> Option<String> {
    const PLAIN: [&str; 9] = [
        "TypeError",
        "ValueError",
        "IndexError",
        "KeyError",
        "RuntimeError",
        "NotImplementedError",
        "OverflowError",
        "BufferError",
        "MemoryError",
    ];
    let class = error.get_type(py);
    let module = class.module().or_note()?;
    let known = match module.to_str().or_note()? {
        "builtins" => PLAIN.contains(&class.name().or_note()?.to_str().or_note()?),
        "warp" => true,
        _ => false,
    };
    let value = error.value(py);
    let args = value
        .getattr("args")
        .or_note()?
        .cast_into::<PyTuple>()
        .ok()?;
    let one = args.len() == 1
        && args
            .get_item(0)
            .or_note()?
            .is_exact_instance_of::<PyString>();
    let noted = value.hasattr("__notes__").or_note()?;
    (known && one && !noted).then(|| value.to_string())
}

/// An exception that says more than the one that it takes the place of.
fn in_place_of(py: Python<'_>, error: &PyErr, made: PyErr) -> PyErr {
    made.set_cause(py, error.cause(py));
    made.set_traceback(py, error.traceback(py));
    made
}

/// Makes exceptions of the core's errors about arrays which name the call: `refuse(py, "reshape")`.
pub fn refuse(py: Python<'_>, place: &str) -> impl Fn(Error) -> PyErr {
    move |e| raise(py, e.within(place).of_array())
}

/// Errors of functions that make, index or reshape arrays, as classes that are what NVIDIA Warp raises, too.
#[cold]
pub fn of_array(error: PyErr) -> PyErr {
    Python::attach(|py| also(py, error, Code::of_array))
}

/// Errors of a value that does not fit its place.
#[cold]
pub fn unfit(error: PyErr) -> PyErr {
    Python::attach(|py| also(py, error, |_| Code::Mismatch))
}

/// The same exception with the place in front of its text, or as a note where it holds more than a text. One that is no `Exception`,
/// as `KeyboardInterrupt` and `SystemExit`, is about no place, and stays as it is.
#[cold]
pub fn within(py: Python<'_>, place: &str, error: &PyErr) -> PyErr {
    around(py, place, error, "")
}

/// [`within`], with a text behind that of the exception.
#[cold]
fn around(py: Python<'_>, place: &str, error: &PyErr, after: &str) -> PyErr {
    if passes(error) {
        return error.clone_ref(py);
    }
    match plain_text(py, error) {
        Some(text) => {
            let made = PyErr::from_type(error.get_type(py), format!("{place}: {text}{after}"));
            in_place_of(py, error, made)
        }
        None => {
            let error = error.clone_ref(py);
            // What has no notes says what it says.
            let _ = (error.value(py).call_method1("add_note", (place,))).or_note();
            error
        }
    }
}

/// Why a value does not fit a kernel's parameter.
#[derive(Debug)]
pub struct Mismatch(pub PyErr);

impl Mismatch {
    /// The exception, naming the kernel and the argument; `shown` is where the kernel declares it.
    #[cold]
    pub fn at(self, kernel: &str, argument: &str, shown: &str) -> PyErr {
        Python::attach(|py| {
            let place = format!("launch of kernel '{kernel}': argument '{argument}'");
            let error = around(py, &place, &self.0, shown);
            also(py, error, |code| match code {
                Code::Type => Code::Launch,
                other => other,
            })
        })
    }
}
