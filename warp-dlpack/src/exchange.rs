//! Exchange tables: a framework's C functions, found on its tensor type. The fastest way in and out.

use crate::ffi::*;
use crate::{describe, raise};
use pyo3::exceptions::PyBufferError;
use pyo3::ffi as py_ffi;
use pyo3::prelude::*;
use pyo3::types::PyType;
use warp_core::interop::Desc;

/// The table of a type, or `None` where the type has none that we can read.
///
/// The table lives as long as the type; frameworks keep theirs for the life of the process.
pub fn api_of(class: &Bound<'_, PyType>) -> PyResult<Option<&'static DLPackExchangeAPI>> {
    let Some(capsule) = class.getattr_opt("__dlpack_c_exchange_api__")? else {
        return Ok(None);
    };
    // SAFETY: the name says what the capsule holds; a null is handled.
    unsafe {
        if py_ffi::PyCapsule_IsValid(capsule.as_ptr(), EXCHANGE.as_ptr()) == 0 {
            return Ok(None);
        }
        let mut api: *const DLPackExchangeAPI =
            py_ffi::PyCapsule_GetPointer(capsule.as_ptr(), EXCHANGE.as_ptr()).cast();
        // Newer tables link to older ones for readers like us.
        while !api.is_null() && (*api).version.major != VERSION.major {
            api = (*api).previous;
        }
        Ok(api.as_ref())
    }
}

/// What the object's memory is, for the duration of a call.
///
/// # Safety
/// `api` is the table of the object's type.
#[inline]
pub unsafe fn view(
    api: &DLPackExchangeAPI,
    object: &Bound<'_, PyAny>,
    out: &mut Desc,
) -> PyResult<()> {
    let py = object.py();
    let mut tensor = DLTensor::EMPTY;
    let from = api.view_from_object.ok_or_else(missing)?;
    // SAFETY: the object is of the table's type. The view's numbers are read before anything else runs.
    unsafe {
        if from(object.as_ptr().cast(), &raw mut tensor) != 0 {
            return Err(PyErr::fetch(py));
        }
        describe(&tensor, false, out).map_err(|e| raise(py, e))
    }
}

#[cold]
fn missing() -> PyErr {
    PyBufferError::new_err("the DLPack exchange table lacks a function that it must have")
}
