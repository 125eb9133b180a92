//! Arrays as other libraries see them: NumPy, the array interface, buffers.

use crate::array::{Array, refuse};
use crate::{array_make as make, array_part as part, record};
use pyo3::exceptions::{PyAttributeError, PyBufferError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::ffi::{CStr, c_int};
use std::ptr::null_mut;
use warp_core::array::{Array as Core, copy as elements};
use warp_core::dtype::Scalar;
use warp_core::interop::{Desc, MAX_FOREIGN_NDIM};
use warp_core::ty::Elem;

/// `a.numpy()`.
#[inline]
pub fn numpy<'py>(array: &Bound<'py, Array>) -> PyResult<Bound<'py, PyAny>> {
    record::door(array.get().view(), "numpy")?;
    #[cfg(feature = "numpy")]
    if let Elem::Struct(s) = array.get().view().elem {
        return crate::structs_numpy::wrap(array, s);
    }
    #[cfg(feature = "numpy")]
    return warp_numpy::wrap(array.get().view(), array.clone().into_any());
    // What is below would ask us again.
    #[cfg(not(feature = "numpy"))]
    if let Elem::Struct(s) = array.get().view().elem {
        return Err(pyo3::exceptions::PyTypeError::new_err(format!(
            "numpy: the array holds {s}, a struct, and this build was made without 'numpy', one of its cargo features"
        )));
    }
    #[cfg(not(feature = "numpy"))]
    return array
        .py()
        .import("numpy")?
        .getattr("asarray")?
        .call1((array,));
}

/// `a.__array__(dtype, copy)`.
pub fn array<'py>(
    array: &Bound<'py, Array>,
    dtype: Option<&Bound<'py, PyAny>>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = array.py();
    let own = numpy(array)?;
    if let Some(dtype) = dtype.filter(|d| !d.is_none()) {
        let wanted = py.import("numpy")?.getattr("dtype")?.call1((dtype,))?;
        if !own.getattr("dtype")?.eq(&wanted)? {
            if copy == Some(false) {
                return Err(PyValueError::new_err(format!(
                    "an array of {} cannot become {wanted} without a copy",
                    array.get().view().elem
                )));
            }
            return own.call_method1("astype", (wanted,));
        }
    }
    if copy == Some(true) {
        return own.call_method0("copy");
    }
    Ok(own)
}

/// `a.__array_interface__`.
pub fn array_interface<'py>(array: &Bound<'py, Array>) -> PyResult<Bound<'py, PyDict>> {
    let py = array.py();
    record::door(array.get().view(), "__array_interface__")?;
    if let Elem::Struct(s) = array.get().view().elem {
        // NumPy asks for `__array__` then.
        return Err(PyAttributeError::new_err(format!(
            "__array_interface__: the array holds {s}, a struct; use a.numpy()"
        )));
    }
    let desc = Desc::of(array.get().view());
    let typestr = desc.scalar.row().typestr;
    if typestr.is_empty() {
        return Err(PyAttributeError::new_err(format!(
            "__array_interface__: NumPy has no type {}",
            desc.scalar
        )));
    }
    let d = PyDict::new(py);
    d.set_item("data", (desc.data as usize, desc.read_only))?;
    d.set_item("shape", PyTuple::new(py, desc.shape())?)?;
    if array.get().view().is_contiguous() {
        d.set_item("strides", py.None())?;
    } else {
        d.set_item("strides", PyTuple::new(py, &desc.strides[..desc.ndim])?)?;
    }
    d.set_item("typestr", typestr)?;
    d.set_item("version", 3)?;
    Ok(d)
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
/// # Safety
/// `view` points to a buffer that Python wants filled in.
pub unsafe fn get_buffer(
    array: Bound<'_, Array>,
    view: *mut ffi::Py_buffer,
    flags: c_int,
) -> PyResult<()> {
    let this = array.get().view();
    record::door(this, "a buffer")?;
    if let Elem::Struct(s) = this.elem {
        return Err(PyBufferError::new_err(format!(
            "the array holds {s}, a struct, which its buffers cannot describe; use a.numpy()"
        )));
    }
    let desc = Desc::of(this);
    let asks = |what: c_int| flags & what == what;
    if asks(ffi::PyBUF_WRITABLE) && desc.read_only {
        return Err(PyBufferError::new_err("the array is read-only"));
    }
    let Some(format) = format(desc.scalar) else {
        return Err(PyBufferError::new_err(format!(
            "the buffer protocol has no type {}",
            desc.scalar
        )));
    };
    let dense = this.is_contiguous();
    let only_dense = !asks(ffi::PyBUF_STRIDES) || asks(ffi::PyBUF_C_CONTIGUOUS);
    let column = desc.ndim == 1 || this.layout().len() <= 1;
    if (only_dense && !dense) || (asks(ffi::PyBUF_F_CONTIGUOUS) && !(dense && column)) {
        return Err(PyBufferError::new_err(
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

/// Gives back what [`get_buffer`] allocated.
///
/// # Safety
/// `view` was filled in by [`get_buffer`] and is released once.
pub unsafe fn release_buffer(view: *mut ffi::Py_buffer) {
    // SAFETY: promised by the caller.
    drop(unsafe { Box::from_raw((*view).internal.cast::<Extents>()) });
}

/// Copies elements into a new contiguous array of another scalar type.
///
/// # Safety
/// The memory of `from` is alive, and nobody writes it meanwhile.
pub unsafe fn converted(py: Python<'_>, from: &Core, scalar: Scalar) -> PyResult<Core> {
    let elem = from.view.elem.with_scalar(scalar);
    let out = Core::empty(elem, &make::dims(&from.view), from.view.device)
        .map_err(refuse(py, "conversion"))?;
    let whole = part::contiguous(py, from)?;
    // SAFETY: both are contiguous, with the same number of scalars.
    unsafe { elements::convert(&out.view, &whole.view) };
    Ok(out)
}
