//! What Python's collector of cycles is told about objects of ours.
//!
//! It knows the objects that it tracks. Python tracks a new one by itself, but not one that PyO3 takes from a class's list of
//! freed ones. So the function by which such a class makes objects is replaced by one that tracks those, too. Where the class
//! object looks otherwise than expected it is left alone: cycles through its objects then stay.

use pyo3::PyClass;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyType;
use std::ffi::c_void;
use std::sync::OnceLock;

/// A class whose freed objects are used again.
pub trait Recycled {
    /// The function that PyO3 gave the class to make objects.
    fn alloc() -> &'static OnceLock<ffi::allocfunc>;
}

/// Bytes into a class object, on 64-bit machines: the function that makes objects (`tp_alloc`).
const ALLOC_AT: usize = 304;

/// Has new objects of a class tracked.
///
/// # Errors
/// What Python raises.
pub fn track_new<T: Recycled>(class: &Bound<'_, PyType>) -> PyResult<()> {
    let metaclass = class.py().get_type::<PyType>();
    let size: usize = metaclass.getattr("__basicsize__")?.extract()?;
    // SAFETY: every class object has at least `size` bytes, and what is read is compared before it is written.
    unsafe {
        let says = ffi::PyType_GetSlot(class.as_type_ptr(), ffi::Py_tp_alloc);
        let at = class
            .as_ptr()
            .cast::<u8>()
            .add(ALLOC_AT)
            .cast::<*mut c_void>();
        if size < ALLOC_AT + size_of::<usize>() || says.is_null() || at.read() != says {
            return Ok(());
        }
        let own = std::mem::transmute::<*mut c_void, ffi::allocfunc>(says);
        // A module that is initialised twice has replaced it already.
        if T::alloc().set(own).is_ok() {
            at.write(tracked::<T> as *mut c_void);
        }
    }
    Ok(())
}

/// # Safety
/// Python calls it to make an object of the class.
unsafe extern "C" fn tracked<T: Recycled>(
    class: *mut ffi::PyTypeObject,
    items: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    let alloc = T::alloc().get().expect("set before this was installed");
    // SAFETY: as promised by the caller. The object is filled in before anything else may make one and so start a collection.
    unsafe {
        let object = alloc(class, items);
        if !object.is_null() && ffi::PyObject_GC_IsTracked(object) == 0 {
            ffi::PyObject_GC_Track(object.cast());
        }
        object
    }
}

/// Has an object tracked that was not made by the class's own function.
#[inline]
pub fn track<T: Recycled + PyClass>(object: &Bound<'_, T>) {
    // SAFETY: the object is alive, and its class is known to the collector, as all of PyO3's are.
    unsafe {
        if ffi::PyObject_GC_IsTracked(object.as_ptr()) == 0 {
            ffi::PyObject_GC_Track(object.as_ptr().cast());
        }
    }
}
