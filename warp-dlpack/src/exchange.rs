//! Exchange tables: a framework's C functions, found on its tensor type. The fastest conversion in both directions.
//!
//! An adapter says for which exact types it trusts a table. Of types that no adapter knows, only a table on exactly the
//! type counts. A table's view has no flags, so it serves only arguments that a kernel reads; our own table lends nothing
//! that is read-only.

use crate::ffi::*;
use crate::order::{failed, follow_table};
use crate::{exception, import, raise};
use pyo3::ffi as py_ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use warp_core::array::{Array, Owner};
use warp_core::dtype::Scalar;
use warp_core::error::Code;
use warp_core::interop::Desc;

/// Where types keep their table; the second is what it was called before DLPack 1.3.
const NAMES: [&str; 2] = ["__dlpack_c_exchange_api__", "__c_dlpack_exchange_api__"];

/// The table of a type, or `None` where the type has none that we can read.
///
/// The table lives as long as the process. A class that inherits it need not hold memory the way its base does.
///
/// # Errors
/// Looking at the class raised an exception.
pub fn table_of(class: &Bound<'_, PyType>) -> PyResult<Option<&'static ExchangeTable>> {
    for name in NAMES {
        if let Some(capsule) = class.getattr_opt(name)?
            && let Some(table) = table_in(&capsule)
        {
            return Ok(Some(table));
        }
    }
    Ok(None)
}

/// The table that stands on exactly the object's type. For an unknown type it is to be trusted only there.
///
/// Types are looked at once: a few that have a table are kept, and with them the types themselves.
///
/// # Errors
/// Looking at the class raised an exception.
pub fn own_table(object: &Bound<'_, PyAny>) -> PyResult<Option<&'static ExchangeTable>> {
    type Entry = PyOnceLock<(Py<PyType>, &'static ExchangeTable)>;
    static CACHE: [Entry; 8] = [const { PyOnceLock::new() }; 8];
    let (py, class) = (object.py(), object.get_type_ptr());
    for entry in &CACHE {
        match entry.get(py) {
            Some((cached, table)) if cached.as_ptr().cast() == class => return Ok(Some(table)),
            Some(_) => {}
            None => break,
        }
    }
    let class = object.get_type();
    let members = class.getattr(pyo3::intern!(py, "__dict__"))?;
    for name in NAMES {
        // A mapping proxy answers a name that is not there with an exception.
        if members.contains(name)?
            && let Some(table) = table_in(&members.get_item(name)?)
        {
            for entry in &CACHE {
                if entry.set(py, (class.clone().unbind(), table)).is_ok() {
                    break;
                }
            }
            return Ok(Some(table));
        }
    }
    Ok(None)
}

/// The table in a capsule, of our major version.
fn table_in(capsule: &Bound<'_, PyAny>) -> Option<&'static ExchangeTable> {
    // SAFETY: the name says what the capsule holds; a null is handled.
    unsafe {
        if py_ffi::PyCapsule_IsValid(capsule.as_ptr(), EXCHANGE.as_ptr()) == 0 {
            return None;
        }
        let mut header: *const DLPackExchangeAPIHeader =
            py_ffi::PyCapsule_GetPointer(capsule.as_ptr(), EXCHANGE.as_ptr()).cast();
        // Newer tables link to older ones for readers like us.
        while let Some(found) = header.as_ref()
            && !found.version.is_compatible_with(DLPackVersion::CURRENT)
        {
            header = found.prev_api;
        }
        header.cast::<ExchangeTable>().as_ref()
    }
}

/// Takes a share in the object's memory.
///
/// # Errors
/// The framework refuses, or gives a tensor that [`import::hold`] refuses.
///
/// # Safety
/// `table` is the one of the object's type.
#[inline]
pub unsafe fn hold(table: &ExchangeTable, object: &Bound<'_, PyAny>) -> PyResult<(Desc, Owner)> {
    let py = object.py();
    let mut out = std::ptr::null_mut();
    let from = table.0.managed_tensor_from_py_object_no_sync;
    let from = from.ok_or_else(missing)?;
    // SAFETY: the object is of the table's type; what comes out is a managed tensor for us alone.
    unsafe {
        if from(object.as_ptr().cast(), &raw mut out) != 0 || out.is_null() {
            return Err(failed(py));
        }
        let (desc, owner) = import::hold(out).map_err(|e| raise(py, e))?;
        follow_table(py, table, desc.device)?;
        Ok((desc, owner))
    }
}

/// What the object's memory is, for the duration of a call.
///
/// # Errors
/// The framework refuses, or describes memory that [`import::describe`] refuses.
///
/// # Safety
/// `table` is the one of the object's type.
#[inline]
pub unsafe fn describe(
    table: &ExchangeTable,
    object: &Bound<'_, PyAny>,
    out: &mut Desc,
) -> PyResult<()> {
    let py = object.py();
    let mut tensor = DLTensor::default();
    let from = table
        .0
        .dltensor_from_py_object_no_sync
        .ok_or_else(missing)?;
    // SAFETY: the object is of the table's type. The view's numbers are read before anything else runs.
    unsafe {
        if from(object.as_ptr().cast(), &raw mut tensor) != 0 {
            return Err(failed(py));
        }
        import::describe(&tensor, false, out).map_err(|e| raise(py, e))?;
    }
    follow_table(py, table, out.device)
}

/// An object of the table's framework on an array's memory, which it keeps alive. `scalar` is what the elements are to
/// be there, of the same width.
///
/// # Errors
/// The array cannot be exported, or the framework refuses it.
///
/// # Safety
/// The table is a framework's.
pub unsafe fn wrap<'py>(
    py: Python<'py>,
    table: &ExchangeTable,
    array: &Array,
    scalar: Scalar,
) -> PyResult<Bound<'py, PyAny>> {
    let make = table.0.managed_tensor_to_py_object_no_sync;
    let make = make.ok_or_else(missing)?;
    let mut array = array.clone();
    array.view.elem = array.view.elem.with_scalar(scalar);
    let managed = crate::export(&array, DlpackFlags::empty()).map_err(|e| raise(py, e))?;
    let mut object = std::ptr::null_mut();
    // SAFETY: the function takes the managed tensor over. DLPack does not say who owns it where the function fails, so
    // nobody deletes it here then: a leak harms less than a second deletion.
    unsafe {
        if make(managed.into_raw(), &raw mut object) != 0 {
            return Err(failed(py));
        }
        Bound::from_owned_ptr_or_err(py, object.cast())
    }
}

#[cold]
fn missing() -> PyErr {
    let text = "the DLPack exchange table lacks a function that it must have";
    exception(Code::Buffer, text.to_owned())
}
