//! Functions whose errors of unknown keywords name the parameter that was meant, as Python 3.13 does for functions of Python.

use crate::object::keyword::unknown_keyword;
use crate::runtime::fastcall::{Raw, define};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyCFunction;
use std::sync::OnceLock;

/// A function as PyO3 made it.
struct Inner {
    raw: Raw,
    function: Py<PyAny>,
}

/// How many functions there is room for.
const ROOM: usize = 48;
static INNER: [OnceLock<Inner>; ROOM] = [const { OnceLock::new() }; ROOM];

/// What Python calls for function `N`.
///
/// # Safety
/// As any function of Python's: it is called with the lock held, and with as many arguments as it is told.
unsafe extern "C" fn entry<const N: usize>(
    module: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    count: isize,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    let inner = INNER[N].get().expect("set before Python knows of it");
    // SAFETY: promised by the caller.
    let done = unsafe { (inner.raw)(module, args, count, keywords) };
    if done.is_null() && !keywords.is_null() {
        // SAFETY: promised by the caller.
        explain(unsafe { Python::assume_attached() }, inner);
    }
    done
}

/// Puts what is known of a keyword into the error that is raised.
#[cold]
fn explain(py: Python<'_>, inner: &Inner) {
    if let Some(error) = PyErr::take(py) {
        unknown_keyword(inner.function.bind(py), error).restore(py);
    }
}

macro_rules! entries {
    ($($n:literal)+) => {
        const ENTRIES: [Raw; ROOM] = [$(entry::<$n>),+];
    };
}

entries!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39
    40 41 42 43 44 45 46 47);

/// Puts such entries in front of the public functions of the module. A call costs a jump more.
///
/// # Errors
/// What Python raises while the module is made.
pub fn explain_keywords(m: &Bound<'_, PyModule>) -> PyResult<()> {
    let fast = ffi::METH_FASTCALL | ffi::METH_KEYWORDS;
    let mut free = INNER.iter().zip(ENTRIES);
    for (name, value) in m.dict().iter() {
        let name: String = name.extract()?;
        if name.starts_with('_') || !value.is_instance_of::<PyCFunction>() {
            continue;
        }
        // SAFETY: it is such a function, and its flags say what its pointer is.
        let (raw, module) = unsafe {
            let at = value.as_ptr();
            let Some(raw) = ffi::PyCFunction_GetFunction(at) else {
                continue;
            };
            if ffi::PyCFunction_GetFlags(at) != fast {
                continue;
            }
            let raw = std::mem::transmute::<ffi::PyCFunction, Raw>(raw);
            (raw, ffi::PyCFunction_GetSelf(at))
        };
        let (inner, entry) = free.next().expect("room for the public functions");
        let function = value.clone().unbind();
        // A module that is initialised twice keeps the first.
        let _ = inner.set(Inner { raw, function });
        // SAFETY: the owner is what PyO3 gave the function.
        let made = unsafe { define(m, &value, entry, module) }?;
        m.setattr(name.as_str(), made)?;
    }
    Ok(())
}
