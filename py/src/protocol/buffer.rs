//! The buffer protocol: `memoryview`, `bytes`, `bytearray`, `array.array`, `mmap`, ctypes arrays.

use super::{refuse, set_layout};
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::{CStr, c_void};
use warp_core::array::Owner;
use warp_core::error::{Code, Error};
use warp_core::interop::{Desc, typestr};

/// The memory of an object with the buffer protocol. It cannot be resized or closed while the owner lives.
pub fn read(value: &Bound<'_, PyAny>) -> PyResult<(Desc, Owner)> {
    let py = value.py();
    // SAFETY: all zeros is what Python itself starts from.
    let mut raw: Box<ffi::Py_buffer> = Box::new(unsafe { std::mem::zeroed() });
    // SAFETY: the buffer may be filled in; it stays where it is until it is released.
    if unsafe { ffi::PyObject_GetBuffer(value.as_ptr(), &raw mut *raw, ffi::PyBUF_FULL_RO) } != 0 {
        return Err(PyErr::fetch(py));
    }
    let raw = Box::into_raw(raw);
    // SAFETY: filled in above, and released once.
    let owner = unsafe { Owner::foreign(raw.cast(), release) };
    // SAFETY: Python filled it in and keeps its parts alive until it is released.
    let desc = unsafe { describe(&*raw) };
    Ok((desc.map_err(|e| refuse(value, "the buffer", e))?, owner))
}

/// # Safety
/// The buffer was filled in by Python, with everything that `PyBUF_FULL_RO` asks for.
unsafe fn describe(raw: &ffi::Py_buffer) -> Result<Desc, Error> {
    if !raw.suboffsets.is_null() {
        return Err(
            Error::new(Code::Buffer, "its rows lie in several places").hint("copy it first")
        );
    }
    let format = if raw.format.is_null() {
        "B".into()
    } else {
        // SAFETY: a format is a string that ends in zero.
        unsafe { CStr::from_ptr(raw.format) }.to_string_lossy()
    };
    let mut desc = Desc::EMPTY;
    desc.scalar = typestr::from_format(&format, usize::try_from(raw.itemsize).unwrap_or(0))?;
    desc.data = raw.buf.cast();
    desc.read_only = raw.readonly != 0;
    let ndim = usize::try_from(raw.ndim).unwrap_or(0);
    let numbers = |at: *const isize| -> Option<Vec<i64>> {
        // SAFETY: what is not null has a number for each dimension.
        (!at.is_null()).then(|| (0..ndim).map(|d| unsafe { *at.add(d) } as i64).collect())
    };
    let shape = match numbers(raw.shape) {
        Some(shape) => shape,
        None => vec![raw.len as i64 / (raw.itemsize as i64).max(1)],
    };
    set_layout(&mut desc, &shape, numbers(raw.strides).as_deref())?;
    Ok(desc)
}

/// # Safety
/// `handle` is a boxed buffer that Python filled in, released nowhere else; Python's lock is held.
unsafe fn release(handle: *mut c_void) {
    // SAFETY: promised by the caller.
    unsafe {
        let mut raw = Box::from_raw(handle.cast::<ffi::Py_buffer>());
        ffi::PyBuffer_Release(&raw mut *raw);
    }
}
