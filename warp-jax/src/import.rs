//! Arrays of jax's: their memory, once it holds the values.

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyType};
use std::ffi::{CStr, c_void};
use warp_core::array::Owner;
use warp_core::device::{Device, current_stream};
use warp_core::error::{Code, Error, Result};
use warp_core::interop::{Desc, MAX_FOREIGN_NDIM, typestr};
use warp_dlpack::{Lenient, raise};

/// DLPack's number for memory of CUDA devices.
const CUDA_MEMORY: i32 = 2;

static ARRAY: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// Whether this is an array of jax's, and an array has been seen before.
#[inline(always)]
pub(crate) fn is_exact(value: &Bound<'_, PyAny>) -> bool {
    (ARRAY.get(value.py())).is_some_and(|class| value.get_type_ptr() == class.as_ptr().cast())
}

/// Whether this is an array of jax's with a value of its own, which a traced one has not.
#[inline]
pub fn is_array(value: &Bound<'_, PyAny>) -> bool {
    let py = value.py();
    match ARRAY.get(py) {
        Some(class) => value.get_type().is(class),
        None => is_first_array(value),
    }
}

#[cold]
fn is_first_array(value: &Bound<'_, PyAny>) -> bool {
    let py = value.py();
    let class = value.get_type();
    let found = class.name().is_ok_and(|n| n == "ArrayImpl")
        && class
            .module()
            .is_ok_and(|m| m.to_string_lossy().starts_with("jaxlib"));
    if found {
        // Another thread may have been first, with the same class.
        let _ = ARRAY.set(py, class.unbind());
    }
    found
}

/// Whether this stands for an array inside `jax.jit` or another transformation.
pub fn is_traced(value: &Bound<'_, PyAny>) -> bool {
    let py = value.py();
    let Ok(modules) = py.import("sys").and_then(|s| s.getattr("modules")) else {
        return false;
    };
    let core = modules
        .get_item("jax.core")
        .and_then(|m| m.getattr("Tracer"));
    core.is_ok_and(|tracer| value.is_instance(&tracer).or_note() == Some(true))
}

/// The memory of an array. While the owner lives, jax neither frees nor reuses it; the values are there.
///
/// # Errors
/// Computing the values failed, or the elements or the number of dimensions have no counterpart.
pub fn hold(t: &Bound<'_, PyAny>, out: &mut Desc) -> PyResult<Owner> {
    let owner = match buffer(t, out)? {
        Some(owner) => owner,
        // bfloat16 and column-major arrays have no buffer.
        None => capsule(t, out)?,
    };
    // Its arrays are immutable; neither of the protocols is trusted to say so.
    out.read_only = true;
    Ok(owner)
}

/// The buffer protocol, which waits until the values are there; None for arrays that cannot speak it.
fn buffer(t: &Bound<'_, PyAny>, out: &mut Desc) -> PyResult<Option<Owner>> {
    let py = t.py();
    // SAFETY: all zeros is what Python itself starts from.
    let mut raw: Box<ffi::Py_buffer> = Box::new(unsafe { std::mem::zeroed() });
    // SAFETY: the buffer may be filled in; it stays where it is until it is released.
    if unsafe { ffi::PyObject_GetBuffer(t.as_ptr(), &raw mut *raw, ffi::PyBUF_RECORDS_RO) } != 0 {
        let error = PyErr::fetch(py);
        return if error.is_instance_of::<PyBufferError>(py) {
            Ok(None)
        } else {
            Err(error)
        };
    }
    let raw = Box::into_raw(raw);
    // SAFETY: filled in above, and released once.
    let owner = unsafe { Owner::foreign(raw.cast(), release) };
    // SAFETY: Python filled it in and keeps its parts alive until it is released.
    unsafe { describe(&*raw, out) }.map_err(|e| raise(py, e))?;
    Ok(Some(owner))
}

/// # Safety
/// The buffer was filled in by Python, with shape, strides and format.
unsafe fn describe(raw: &ffi::Py_buffer, out: &mut Desc) -> Result<()> {
    let ndim = usize::try_from(raw.ndim).unwrap_or(0);
    if ndim > MAX_FOREIGN_NDIM {
        let text = format!("{ndim} dimensions are too many");
        return Err(Error::new(Code::Value, text));
    }
    // SAFETY: promised by the caller.
    let format = unsafe { CStr::from_ptr(raw.format) }.to_string_lossy();
    out.scalar = typestr::from_format(&format, usize::try_from(raw.itemsize).unwrap_or(0))?;
    out.data = raw.buf.cast();
    out.ndim = ndim;
    for d in 0..ndim {
        // SAFETY: promised by the caller.
        unsafe {
            out.shape[d] = *raw.shape.add(d) as i64;
            out.strides[d] = *raw.strides.add(d) as i64;
        }
    }
    Ok(())
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

/// A DLPack capsule. On the host one has to wait for the values oneself; on a GPU jax lets our stream wait.
fn capsule(t: &Bound<'_, PyAny>, out: &mut Desc) -> PyResult<Owner> {
    let py = t.py();
    let name = intern!(py, "__dlpack__");
    let capsule = match gpu_of(t)? {
        None => {
            t.call_method0(intern!(py, "block_until_ready"))?;
            t.call_method0(name)?
        }
        Some(device) => {
            let stream = current_stream(device).map_err(|e| raise(py, e))?;
            let options = PyDict::new(py);
            // CUDA's default stream is 1 in DLPack.
            options.set_item(intern!(py, "stream"), stream.handle.max(1))?;
            t.call_method(name, (), Some(&options))?
        }
    };
    let (desc, owner) = warp_dlpack::consume(&capsule)?;
    *out = desc;
    Ok(owner)
}

/// The GPU that an array is on; None for the host.
fn gpu_of(t: &Bound<'_, PyAny>) -> PyResult<Option<Device>> {
    let place = t.call_method0(intern!(t.py(), "__dlpack_device__"));
    // What has no device, such as a deleted array, is refused by whoever asks for the values.
    let place: Option<(i32, i32)> = place.and_then(|p| p.extract()).lenient()?;
    Ok(match place {
        Some((CUDA_MEMORY, number)) => u16::try_from(number).ok().map(Device::cuda),
        _ => None,
    })
}
