//! Members of C classes, found once: properties and methods that are called without an attribute look-up.

use crate::raise;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::ptr::null_mut;
use warp_core::error::{Code, Error};

/// A property of a C class, called as Python calls it on attribute access.
pub struct Property {
    descriptor: Py<PyAny>,
    get: ffi::descrgetfunc,
}

impl Property {
    /// The property of this name in the dictionary of a class.
    ///
    /// # Errors
    /// The class has no such property.
    pub fn new(class: &Bound<'_, PyAny>, name: &str) -> PyResult<Property> {
        let descriptor = class.getattr("__dict__")?.get_item(name)?;
        // SAFETY: any type may be asked for a slot; the slot's function has that signature.
        let get = unsafe {
            let slot = ffi::PyType_GetSlot(descriptor.get_type_ptr(), ffi::Py_tp_descr_get);
            std::mem::transmute::<*mut std::ffi::c_void, Option<ffi::descrgetfunc>>(slot)
        };
        let get = get.ok_or_else(|| missing(class, name, "no property"))?;
        Ok(Property {
            descriptor: descriptor.unbind(),
            get,
        })
    }
    /// The value for an object of the class, or of one derived from it.
    ///
    /// # Errors
    /// What the property raises, which includes a TypeError for an object of another class.
    #[inline]
    pub fn of<'py>(&self, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: what Python itself does on attribute access; the descriptor checks the object's type.
        unsafe {
            let result = (self.get)(
                self.descriptor.as_ptr(),
                object.as_ptr(),
                object.get_type_ptr().cast(),
            );
            Bound::from_owned_ptr_or_err(object.py(), result)
        }
    }
    /// Whether the value is `True`.
    ///
    /// # Errors
    /// As for [`Property::of`].
    #[inline]
    pub fn is_true(&self, object: &Bound<'_, PyAny>) -> PyResult<bool> {
        let value = self.of(object)?;
        // SAFETY: comparing addresses.
        Ok(value.as_ptr() == unsafe { ffi::Py_True() })
    }
}

/// A method of a C class that needs no arguments, called without a bound method.
pub struct Method {
    function: Call,
}

enum Call {
    Plain(ffi::PyCFunction),
    /// With an empty tuple of arguments, made once.
    Keywords(ffi::PyCFunctionWithKeywords, Py<PyTuple>),
}

impl Method {
    /// `sample` is an object of the class: the function of its bound method is that of all of them.
    ///
    /// # Errors
    /// The class has no such method, or one that takes arguments.
    pub fn new(sample: &Bound<'_, PyAny>, name: &str) -> PyResult<Method> {
        let py = sample.py();
        let bound = sample.getattr(name)?;
        // SAFETY: both ask a built-in method about itself, which the first checks.
        let (function, flags) = unsafe {
            let function = ffi::PyCFunction_GetFunction(bound.as_ptr());
            if function.is_none() {
                return Err(PyErr::fetch(py));
            }
            (function, ffi::PyCFunction_GetFlags(bound.as_ptr()))
        };
        const WITH_KEYWORDS: i32 = ffi::METH_VARARGS | ffi::METH_KEYWORDS;
        let function = match (function, flags) {
            (Some(f), ffi::METH_NOARGS) => Call::Plain(f),
            (Some(f), WITH_KEYWORDS) => {
                // SAFETY: the flags say that the function has this signature.
                let f = unsafe {
                    std::mem::transmute::<ffi::PyCFunction, ffi::PyCFunctionWithKeywords>(f)
                };
                Call::Keywords(f, PyTuple::empty(py).unbind())
            }
            _ => return Err(missing(sample, name, "no method without arguments")),
        };
        Ok(Method { function })
    }
    /// Calls the method of an object of the class, or of one derived from it.
    ///
    /// # Errors
    /// What the method raises.
    ///
    /// # Safety
    /// `object` is such an object: the method does not check.
    #[inline]
    pub unsafe fn call<'py>(&self, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: what Python itself does to call such a method.
        unsafe {
            let result = match &self.function {
                Call::Plain(f) => f(object.as_ptr(), null_mut()),
                Call::Keywords(f, empty) => f(object.as_ptr(), empty.as_ptr(), null_mut()),
            };
            Bound::from_owned_ptr_or_err(object.py(), result)
        }
    }
}

#[cold]
fn missing(of: &Bound<'_, PyAny>, name: &str, what: &str) -> PyErr {
    raise(
        of.py(),
        Error::new(Code::System, format!("'{name}' is {what} of {of}")),
    )
}
