//! Fast calls: functions that read their arguments from where Python put them (Python's vectorcall protocol), for calls
//! that take a fraction of a microsecond. What a fast call does not know it hands to the ordinary PyO3 function.
//!
//! Inside a fast call PyO3 does not know that Python's lock is held, and puts off dropping objects until its next ordinary
//! call. Code that may drop one there attaches first (`Python::attach`).

use crate::object::error::{Code, error as refused};
use crate::object::keyword::unknown_keyword;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString, PyTuple};
use std::ffi::CString;
use std::sync::OnceLock;

/// The arguments of a call, by parameter; `None` where nothing was passed.
pub type Slots<'a, 'py, const N: usize> = [Option<&'a Bound<'py, PyAny>>; N];

/// Which parameters were passed: a bit each, in order. Cheaper to ask than many slots.
pub type Passed = u32;

/// A function with `N` parameters that has a fast call.
pub struct FastCall<const N: usize> {
    /// Parameters in order.
    pub names: [&'static str; N],
    state: OnceLock<State<N>>,
}

struct State<const N: usize> {
    interned: [Py<PyString>; N],
    ordinary: Py<PyAny>,
}

impl<const N: usize> FastCall<N> {
    /// A fast call without an ordinary function yet; see [`FastCall::install`].
    pub const fn new(names: [&'static str; N]) -> FastCall<N> {
        assert!(N < Passed::BITS as usize);
        FastCall {
            names,
            state: OnceLock::new(),
        }
    }

    /// Puts the fast call in front of an ordinary function.
    pub fn install(&'static self, ordinary: &Bound<'_, PyAny>) {
        let py = ordinary.py();
        let interned = self.names.map(|n| PyString::intern(py, n).unbind());
        let ordinary = ordinary.clone().unbind();
        // A module that is initialised twice keeps the first.
        let _ = self.state.set(State { interned, ordinary });
    }

    /// The ordinary function, once there is one.
    pub fn function<'py>(&self, py: Python<'py>) -> Option<&Bound<'py, PyAny>> {
        Some(self.state.get()?.ordinary.bind(py))
    }

    /// Whether this is the name of parameter `i`, as calls pass it.
    #[inline(always)]
    pub fn is_name(&self, i: usize, name: *mut ffi::PyObject) -> bool {
        (self.state.get()).is_some_and(|s| s.interned[i].as_ptr() == name)
    }

    /// Runs a call: through `fast`, or through the ordinary function where `fast` declines by `None` or the
    /// arguments are not plain.
    ///
    /// # Safety
    /// Python calls this: the lock is held, `args` points to `count` arguments and as many more as
    /// `keywords`, a tuple or null, has names.
    #[inline(always)]
    pub unsafe fn call(
        &'static self,
        args: *const *mut ffi::PyObject,
        count: isize,
        keywords: *mut ffi::PyObject,
        fast: impl for<'a, 'py> FnOnce(
            Python<'py>,
            &Slots<'a, 'py, N>,
        ) -> PyResult<Option<Bound<'py, PyAny>>>,
    ) -> *mut ffi::PyObject {
        // SAFETY: promised by the caller.
        unsafe { self.call_passed(args, count, keywords, |py, slots, _| fast(py, slots)) }
    }

    /// [`call`](FastCall::call), with which parameters were passed.
    ///
    /// # Safety
    /// As `call`.
    #[inline(always)]
    pub unsafe fn call_passed(
        &'static self,
        args: *const *mut ffi::PyObject,
        count: isize,
        keywords: *mut ffi::PyObject,
        fast: impl for<'a, 'py> FnOnce(
            Python<'py>,
            &Slots<'a, 'py, N>,
            Passed,
        ) -> PyResult<Option<Bound<'py, PyAny>>>,
    ) -> *mut ffi::PyObject {
        // SAFETY: promised by the caller.
        let py = unsafe { Python::assume_attached() };
        // A pointer and nothing more leaves the closure: moving a large result is what such a call would wait for.
        let body = || {
            let mut slots: Slots<'_, '_, N> = [None; N];
            // SAFETY: as above.
            let done = match unsafe { self.slots(args, count, keywords, &mut slots) } {
                Some(passed) => fast(py, &slots, passed),
                None => Ok(None),
            };
            match done {
                Ok(Some(done)) => done.into_ptr(),
                // SAFETY: as above.
                Ok(None) => unsafe { self.ordinary(py, args, count, keywords) },
                Err(e) => raised(e),
            }
        };
        let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(body));
        made.unwrap_or_else(|_| {
            raised(refused(
                Code::Bug,
                "a broken invariant, please report it: see the panic above",
            ))
        })
    }

    /// Puts the arguments where their parameters are and says which were passed, if there are not too many and all
    /// keywords are known interned strings.
    #[inline(always)]
    unsafe fn slots<'py>(
        &self,
        args: *const *mut ffi::PyObject,
        count: isize,
        keywords: *mut ffi::PyObject,
        slots: &mut Slots<'_, 'py, N>,
    ) -> Option<Passed> {
        let count = count as usize;
        if count > N {
            return None;
        }
        let mut passed: Passed = (1 << count) - 1;
        // SAFETY: a `Bound` is a pointer to an object; the arguments live through the call.
        let at = |i: usize| unsafe { &*args.add(i).cast::<Bound<'py, PyAny>>() };
        for (i, slot) in slots.iter_mut().enumerate().take(count) {
            *slot = Some(at(i));
        }
        if keywords.is_null() {
            return Some(passed);
        }
        let state = self.state.get()?;
        // SAFETY: the names of keywords are a tuple of strings.
        let n = unsafe { ffi::PyTuple_Size(keywords) } as usize;
        for k in 0..n {
            // SAFETY: as above.
            let name = unsafe { ffi::PyTuple_GetItem(keywords, k as isize) };
            let i = (state.interned.iter()).position(|known| known.as_ptr() == name)?;
            if passed & 1 << i != 0 {
                return None;
            }
            passed |= 1 << i;
            slots[i] = Some(at(count + k));
        }
        Some(passed)
    }

    #[cold]
    unsafe fn ordinary(
        &self,
        py: Python<'_>,
        args: *const *mut ffi::PyObject,
        count: isize,
        keywords: *mut ffi::PyObject,
    ) -> *mut ffi::PyObject {
        let state = self.state.get();
        let state = state.expect("installed when the module was made");
        let call = || {
            // SAFETY: promised by the caller of `call`.
            let at = |i: isize| unsafe { Bound::<PyAny>::from_borrowed_ptr(py, *args.offset(i)) };
            let positional = PyTuple::new(py, (0..count).map(at))?;
            let named = PyDict::new(py);
            if !keywords.is_null() {
                // SAFETY: as above.
                let names = unsafe { Bound::<PyAny>::from_borrowed_ptr(py, keywords) };
                for (k, name) in names.try_iter()?.enumerate() {
                    named.set_item(name?, at(count + k as isize))?;
                }
            }
            let done = state.ordinary.bind(py).call(positional, Some(&named));
            done.map_err(|e| unknown_keyword(state.ordinary.bind(py), e))
        };
        call().map_or_else(raised, Bound::into_ptr)
    }
}

/// Makes it the exception that Python finds when it is given no object.
#[cold]
fn raised(e: PyErr) -> *mut ffi::PyObject {
    // Attached, so that what the error held is let go now and not with a later call.
    Python::attach(|py| e.restore(py));
    std::ptr::null_mut()
}

/// `True` or `False`; `None` for anything else.
#[inline]
pub fn flag(value: Option<&Bound<'_, PyAny>>, default: bool) -> Option<bool> {
    match value {
        None => Some(default),
        Some(v) => v.cast_exact::<PyBool>().ok().map(|b| b.is_true()),
    }
}

/// A parameter that is `None` by default, passed explicitly or not.
#[inline]
pub fn given<'a, 'py>(value: Option<&'a Bound<'py, PyAny>>) -> Option<&'a Bound<'py, PyAny>> {
    value.filter(|v| !v.is_none())
}

/// What Python calls.
pub type Raw = unsafe extern "C" fn(
    *mut ffi::PyObject,
    *const *mut ffi::PyObject,
    isize,
    *mut ffi::PyObject,
) -> *mut ffi::PyObject;

/// Adds a function to the module whose entry is `raw`, with name and documentation of the ordinary one.
///
/// # Errors
/// What Python raises while the module is made.
pub fn add<const N: usize>(
    m: &Bound<'_, PyModule>,
    call: &'static FastCall<N>,
    ordinary: &Bound<'_, PyAny>,
    raw: Raw,
) -> PyResult<()> {
    call.install(ordinary);
    // SAFETY: a function of a module needs no owner.
    let function = unsafe { define(m, ordinary, raw, std::ptr::null_mut()) }?;
    m.add(
        ordinary.getattr("__name__")?.cast_into::<PyString>()?,
        function,
    )
}

/// A function of the module whose entry is `raw`, with name and documentation of another one.
///
/// # Errors
/// What Python raises while the module is made.
///
/// # Safety
/// `owner` is null or an object that lives as long as the module.
pub unsafe fn define<'py>(
    m: &Bound<'py, PyModule>,
    like: &Bound<'_, PyAny>,
    raw: Raw,
    owner: *mut ffi::PyObject,
) -> PyResult<Bound<'py, PyAny>> {
    let name: String = like.getattr("__name__")?.extract()?;
    let signature: Option<String> = like.getattr("__text_signature__")?.extract()?;
    let doc: Option<String> = like.getattr("__doc__")?.extract()?;
    let doc = format!(
        "{name}{}\n--\n\n{}",
        signature.as_deref().unwrap_or("()"),
        doc.unwrap_or_default()
    );
    let text = |s: String| CString::new(s).map_or(std::ptr::null(), |s| s.into_raw().cast_const());
    // Kept for the life of the process, as Python demands of method definitions.
    let definition = Box::leak(Box::new(ffi::PyMethodDef {
        ml_name: text(name),
        ml_meth: ffi::PyMethodDefPointer {
            PyCFunctionFastWithKeywords: raw,
        },
        ml_flags: ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
        ml_doc: text(doc),
    }));
    // SAFETY: the definition is complete and lives for ever; the owner is promised by the caller.
    unsafe {
        let f = ffi::PyCFunction_NewEx(definition, owner, m.name()?.as_ptr());
        Bound::from_owned_ptr_or_err(m.py(), f)
    }
}
