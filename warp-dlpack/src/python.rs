//! What every adapter of a Python framework needs: a Python reference as an owner, errors as exceptions.

use crate::passing::take_noted;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple, PyType};
use std::ffi::c_void;
use warp_core::array::Owner;
use warp_core::array::owner::{Counts, Places};
use warp_core::error::{Code, Error, Exception};

/// A Python object as what keeps memory alive: counted by Python itself, so it needs no memory of its own.
#[inline(always)]
pub fn reference(object: Bound<'_, PyAny>) -> Owner {
    let handle = object.unbind().into_ptr();
    // SAFETY: one reference is given away here; each one counted is dropped once, where the gate allows.
    unsafe { Owner::counted(handle.cast(), &REFERENCES) }
}

static REFERENCES: Counts = Counts::of_fixed(retain, release);

/// Counts of Python objects whose memory may be replaced: `moved` says what has happened then.
pub const fn references(places: Places, moved: &'static str) -> Counts {
    Counts {
        retain,
        release,
        places,
        moved,
    }
}

/// The Python object, where one keeps the memory alive: for the collector of cycles.
pub fn referent(owner: &Owner) -> Option<&Py<PyAny>> {
    let handle = owner.counted_by(release)?;
    // SAFETY: a `Py` is a pointer to an object, and this one is a reference that the owner holds.
    Some(unsafe { &*std::ptr::from_ref(handle).cast::<Py<PyAny>>() })
}

/// # Safety
/// `handle` is a Python object that is alive.
unsafe fn retain(handle: *mut c_void) {
    // An array may be cloned where Python's lock is not held; then it is taken for this.
    Python::attach(|_| {
        // SAFETY: promised by the caller.
        unsafe { ffi::Py_INCREF(handle.cast()) }
    });
}

/// # Safety
/// `handle` is a Python reference that was given away; the gate lets this run only with Python's lock held.
unsafe fn release(handle: *mut c_void) {
    // SAFETY: promised by the caller.
    unsafe { ffi::Py_DECREF(handle.cast()) }
}

/// A user error as the Python exception that its code stands for.
#[cold]
pub fn raise(_py: Python<'_>, error: Error) -> PyErr {
    exception(error.code, error.to_string())
}

/// The Python exception that a code stands for, saying `text`; or one that was noted because it must pass.
#[cold]
pub fn exception(code: Code, text: String) -> PyErr {
    raised(code.exception(), text)
}

/// As [`exception`], where a kernel's text is at fault.
#[cold]
pub fn exception_in_text(code: Code, text: String) -> PyErr {
    raised(code.exception_in_text(), text)
}

fn raised(what: Exception, text: String) -> PyErr {
    take_noted().unwrap_or_else(|| {
        Python::attach(|py| match class(py, what) {
            Ok(class) => PyErr::from_type(class, text),
            Err(error) => error,
        })
    })
}

/// The Python class of an exception: those of this library are made when they are first asked for.
///
/// # Errors
/// Python has no memory.
pub fn class(py: Python<'_>, what: Exception) -> PyResult<Bound<'_, PyType>> {
    static MADE: [PyOnceLock<Py<PyType>>; Exception::ALL.len()] =
        [const { PyOnceLock::new() }; Exception::ALL.len()];
    let made = MADE[what as usize].get_or_try_init(py, || -> PyResult<_> {
        let builtins = py.import("builtins")?;
        let bases = what.bases();
        if bases.is_empty() {
            return Ok(builtins
                .getattr(what.name())?
                .cast_into::<PyType>()?
                .unbind());
        }
        let bases: PyResult<Vec<_>> = bases.iter().map(|base| class(py, *base)).collect();
        let body = PyDict::new(py);
        body.set_item("__module__", "warp")?;
        body.set_item("__doc__", what.doc())?;
        if what == Exception::WarpCodegenKeyError {
            // A KeyError shows its text as Python would write it, on one line.
            body.set_item(
                "__str__",
                builtins.getattr("BaseException")?.getattr("__str__")?,
            )?;
        }
        let args = (what.name(), PyTuple::new(py, bases?)?, body);
        let class = py.get_type::<PyType>().call1(args)?;
        Ok(class.cast_into::<PyType>()?.unbind())
    })?;
    Ok(made.bind(py).clone())
}
