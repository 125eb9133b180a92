//! Memory of any object that speaks one of the array protocols; none of them needs NumPy.
//!
//! Asked in this order: DLPack, the buffer protocol, `__array_struct__`, `__array_interface__`,
//! `__cuda_array_interface__`. `__array__`, which may make a new array each time, comes after them (`memory.rs`).

use super::reader::Use;
use super::{buffer, cuda, dlpack_in, interface, structure};
use pyo3::ffi;
use pyo3::prelude::*;
use warp_core::array::Owner;
use warp_core::interop::Desc;

/// The memory that an object offers through a protocol; None where it speaks none.
///
/// # Errors
/// The object describes its memory wrongly, or has it on another device.
pub fn memory(value: &Bound<'_, PyAny>, wanted: Use) -> PyResult<Option<(Desc, Owner)>> {
    if let Some(found) = dlpack_in::hold(value, wanted)? {
        return Ok(Some(found));
    }
    // SAFETY: any object may be asked.
    if unsafe { ffi::PyObject_CheckBuffer(value.as_ptr()) != 0 } {
        return buffer::read(value).map(Some);
    }
    if let Some(capsule) = attribute(value, "__array_struct__")? {
        return structure::read(value, &capsule).map(Some);
    }
    if let Some(interface) = attribute(value, "__array_interface__")? {
        return interface::read(value, &interface).map(Some);
    }
    if let Some(interface) = attribute(value, cuda::NAME)? {
        return cuda::read_memory(value, &interface).map(Some);
    }
    Ok(None)
}

/// An attribute of the object itself: classes have the properties of their instances.
fn attribute<'py>(value: &Bound<'py, PyAny>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    let found = value.getattr_opt(name)?;
    Ok(found.filter(|f| !f.is_none() && !value.is_instance_of::<pyo3::types::PyType>()))
}
