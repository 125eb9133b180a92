//! The buffer protocol: `memoryview`, `bytes`, `bytearray`, `array.array`, `mmap`, ctypes arrays.

use super::reader::{refuse, set_layout};
use crate::runtime::snapshot::before_sharing;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::ffi::{CStr, c_int, c_void};
use warp_core::array::{Array as Core, Owner};
use warp_core::error::{Code, Error};
use warp_core::interop::{Desc, typestr};

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
            Error::new(Code::Buffer, "its rows are in several blocks of memory")
                .hint("copy it first"),
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

/// The memory of an array as bytes, for a `pickle.PickleBuffer`. Arrays themselves have no buffers: `torch.asarray` asks for one first,
/// and takes what it holds as flat float32.
#[pyclass(frozen, module = "warp._warp", name = "_Bytes")]
pub struct Bytes(Core);

impl Bytes {
    /// Of an array on the host whose elements lie close together in row-major order.
    pub fn new(dense: Core) -> Bytes {
        Bytes(dense)
    }
}

#[pymethods]
impl Bytes {
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let (py, this) = (slf.py(), &slf.get().0.view);
        before_sharing(py, this)?;
        let len = this.layout().len() * this.elem.size();
        let (data, frozen) = (this.arg.data.cast(), c_int::from(this.read_only));
        // SAFETY: Python passes a buffer to be filled in; the object keeps the memory.
        match unsafe {
            ffi::PyBuffer_FillInfo(view, slf.as_ptr(), data, len as isize, frozen, flags)
        } {
            0 => Ok(()),
            _ => Err(PyErr::fetch(py)),
        }
    }
}

/// Adds the class to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Bytes>()
}
