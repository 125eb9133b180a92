//! The buffer protocol, both ways: `memoryview`, `bytes`, `bytearray`, `array.array`, `mmap`, ctypes arrays.

use super::reader::{refuse, set_layout};
use crate::object::Array;
use crate::object::access::check_access;
use crate::object::error::error;
use crate::runtime::snapshot::before_sharing;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::ffi::{CStr, c_int, c_void};
use std::ptr::null_mut;
use warp_core::array::Owner;
use warp_core::device::Device;
use warp_core::dtype::Scalar;
use warp_core::error::{Code, Error};
use warp_core::interop::{Desc, MAX_FOREIGN_NDIM, typestr};
use warp_core::ty::Elem;

/// The memory of an object with the buffer protocol. It cannot be resized or closed while the owner lives.
///
/// # Errors
/// The object gives no buffer, or one whose items have no counterpart.
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

/// An object's buffer as bytes, whatever its items are.
///
/// # Errors
/// The object gives no buffer, or one that is not contiguous.
pub fn bytes(source: &Bound<'_, PyAny>) -> PyResult<(Desc, Owner)> {
    let py = source.py();
    let view = (py.import("builtins")?).call_method1("memoryview", (source,))?;
    // Only what has elements can be cast.
    let empty = view.getattr("nbytes")?.eq(0)?;
    let bytes = if empty {
        PyBytes::new(py, &[]).into_any()
    } else {
        view.call_method1("cast", ("B",))?
    };
    read(&bytes)
}

/// What a Py_buffer of ours points to.
struct Extents {
    shape: [isize; MAX_FOREIGN_NDIM],
    strides: [isize; MAX_FOREIGN_NDIM],
}

fn format(scalar: Scalar) -> Option<&'static CStr> {
    Some(match scalar {
        Scalar::Bool => c"?",
        Scalar::I8 => c"b",
        Scalar::I16 => c"h",
        Scalar::I32 => c"i",
        Scalar::I64 => c"q",
        Scalar::U8 => c"B",
        Scalar::U16 => c"H",
        Scalar::U32 => c"I",
        Scalar::U64 => c"Q",
        Scalar::F16 => c"e",
        Scalar::F32 => c"f",
        Scalar::F64 => c"d",
        Scalar::BF16 => return None,
    })
}

/// Fills a buffer in.
///
/// # Errors
/// The buffer that is asked for cannot describe the array.
///
/// # Safety
/// `view` points to a buffer that Python wants filled in.
pub unsafe fn export(
    array: Bound<'_, Array>,
    view: *mut ffi::Py_buffer,
    flags: c_int,
) -> PyResult<()> {
    let this = array.get().view();
    check_access(&array.get().core, "a buffer")?;
    if this.device != Device::Cpu {
        return Err(error(
            Code::Buffer,
            format!(
                "the array is on the device \"{}\", where no buffer reaches; use a.numpy()",
                this.device
            ),
        ));
    }
    if let Elem::Struct(s) = this.elem {
        return Err(error(
            Code::Buffer,
            format!(
                "the array holds {s}, a struct, which its buffers cannot describe; use a.numpy()"
            ),
        ));
    }
    let desc = Desc::of(this);
    let asks = |what: c_int| flags & what == what;
    if asks(ffi::PyBUF_WRITABLE) && desc.read_only {
        return Err(error(Code::Buffer, "the array is read-only"));
    }
    // Who does not ask for leave to write is told that it may.
    before_sharing(array.py(), this)?;
    let Some(format) = format(desc.scalar) else {
        return Err(error(
            Code::Buffer,
            format!("the buffer protocol has no type {}", desc.scalar),
        ));
    };
    let dense = this.is_contiguous();
    let only_dense = !asks(ffi::PyBUF_STRIDES) || asks(ffi::PyBUF_C_CONTIGUOUS);
    let column = desc.ndim == 1 || this.layout().len() <= 1;
    if (only_dense && !dense) || (asks(ffi::PyBUF_F_CONTIGUOUS) && !(dense && column)) {
        return Err(error(
            Code::Buffer,
            "the array is not contiguous as the consumer wants it; pass a.contiguous()",
        ));
    }
    let mut extents = Box::new(Extents {
        shape: [1; MAX_FOREIGN_NDIM],
        strides: [0; MAX_FOREIGN_NDIM],
    });
    for d in 0..desc.ndim {
        extents.shape[d] = desc.shape[d] as isize;
        extents.strides[d] = desc.strides[d] as isize;
    }
    let len = this.layout().len() * this.elem.size();
    let extents = Box::into_raw(extents);
    // SAFETY: `view` may be written; the extents live until the buffer is released, the array as long
    // as its `obj`.
    unsafe {
        (*view).buf = desc.data.cast();
        (*view).len = len as isize;
        (*view).itemsize = desc.scalar.size() as isize;
        (*view).readonly = c_int::from(desc.read_only);
        (*view).ndim = desc.ndim as c_int;
        (*view).format = if asks(ffi::PyBUF_FORMAT) {
            format.as_ptr().cast_mut()
        } else {
            null_mut()
        };
        (*view).shape = if asks(ffi::PyBUF_ND) {
            (&raw mut (*extents).shape).cast()
        } else {
            null_mut()
        };
        (*view).strides = if asks(ffi::PyBUF_STRIDES) {
            (&raw mut (*extents).strides).cast()
        } else {
            null_mut()
        };
        (*view).suboffsets = null_mut();
        (*view).internal = extents.cast();
        (*view).obj = array.into_ptr();
    }
    Ok(())
}

/// Gives back what [`export`] allocated.
///
/// # Safety
/// `view` was filled in by [`export`] and is released once.
pub unsafe fn release_export(view: *mut ffi::Py_buffer) {
    // SAFETY: promised by the caller.
    drop(unsafe { Box::from_raw((*view).internal.cast::<Extents>()) });
}
