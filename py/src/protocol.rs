//! Memory of any object that speaks one of the array protocols; none of them needs NumPy.
//!
//! Asked in this order: DLPack, the buffer protocol, `__array_struct__`, `__array_interface__`,
//! `__cuda_array_interface__`, and last `__array__`, which may make a new array each time.

mod buffer;
pub mod cuda;
mod interface;
pub mod structure;

use crate::convert;
use crate::convert_data::{self as data, known};
use crate::convert_dlpack as dlpack;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use warp_core::array::Owner;
use warp_core::error::{Code, Error};
use warp_core::interop::{Desc, MAX_FOREIGN_NDIM};
use warp_dlpack::raise;

/// What the memory is wanted for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// Reading: a temporary that holds the values is as good.
    Read,
    /// What is written must arrive in the object: only its own memory will do.
    Share,
}

/// The memory that an object offers through a protocol; None where it speaks none.
pub fn foreign(value: &Bound<'_, PyAny>, wanted: Use) -> PyResult<Option<(Desc, Owner)>> {
    if let Some(found) = dlpack::hold(value, wanted)? {
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
        return Err(cuda::refuse(value, &interface));
    }
    if value.hasattr("__array__")? {
        return from_method(value, wanted).map(Some);
    }
    Ok(None)
}

/// An attribute of the object itself: classes have the properties of their instances.
fn attribute<'py>(value: &Bound<'py, PyAny>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    let found = value.getattr_opt(name)?;
    Ok(found.filter(|f| !f.is_none() && !value.is_instance_of::<pyo3::types::PyType>()))
}

/// What `__array__` gives. Where the memory must be the object's own, it must be the same when asked twice.
fn from_method(value: &Bound<'_, PyAny>, wanted: Use) -> PyResult<(Desc, Owner)> {
    let ask = || -> PyResult<(Desc, Owner)> {
        let array = value.call_method0("__array__")?;
        let found = match known(&array)? {
            None if is_memory(&array)? => data::foreign(&array, Use::Share)?,
            found => found,
        };
        found.ok_or_else(|| {
            PyTypeError::new_err(format!(
                "__array__ of {} gave {}, expected a NumPy array",
                convert::found(value),
                convert::found(&array)
            ))
        })
    };
    let (desc, owner) = ask()?;
    if wanted == Use::Share && !desc.shape().contains(&0) {
        // While the first is alive, a second one has other memory unless both are the object's.
        let (again, _keep) = ask()?;
        if again.data != desc.data {
            return Err(PyValueError::new_err(format!(
                "{} makes a new array each time it is asked for one (__array__), so what is written to it would be \
                 lost; pass an array that holds the memory, as a = np.asarray(x)",
                convert::found(value)
            )));
        }
    }
    Ok((desc, owner))
}

/// Whether an object has memory other than through `__array__`.
fn is_memory(array: &Bound<'_, PyAny>) -> PyResult<bool> {
    // SAFETY: any object may be asked.
    let buffer = unsafe { ffi::PyObject_CheckBuffer(array.as_ptr()) != 0 };
    Ok(buffer || array.hasattr("__dlpack__")? || array.hasattr("__array_interface__")?)
}

/// An object's buffer as bytes, whatever its items are.
pub fn memory(source: &Bound<'_, PyAny>) -> PyResult<(Desc, Owner)> {
    let py = source.py();
    let view = (py.import("builtins")?).call_method1("memoryview", (source,))?;
    // Only what has elements can be cast.
    let empty = view.getattr("nbytes")?.eq(0)?;
    let bytes = if empty {
        PyBytes::new(py, &[]).into_any()
    } else {
        view.call_method1("cast", ("B",))?
    };
    buffer::read(&bytes)
}

/// Puts dimensions into a description; without strides the elements follow each other in row-major order.
fn set_layout(desc: &mut Desc, shape: &[i64], strides: Option<&[i64]>) -> Result<(), Error> {
    let bad = |what: String| Err(Error::new(Code::Value, what));
    if shape.len() > MAX_FOREIGN_NDIM {
        return bad(format!("{} dimensions are too many", shape.len()));
    }
    if let Some(n) = shape.iter().find(|n| **n < 0) {
        return bad(format!("a dimension of {n}"));
    }
    if strides.is_some_and(|s| s.len() != shape.len()) {
        return bad(format!(
            "{} strides for {} dimensions",
            strides.map_or(0, <[i64]>::len),
            shape.len()
        ));
    }
    desc.ndim = shape.len();
    let mut dense = desc.scalar.size() as i64;
    for d in (0..shape.len()).rev() {
        desc.shape[d] = shape[d];
        desc.strides[d] = strides.map_or(dense, |s| s[d]);
        // What overflows stays out of range for the import.
        dense = dense.saturating_mul(shape[d].max(1));
    }
    Ok(())
}

/// One of our errors, naming the object and the protocol.
fn refuse(value: &Bound<'_, PyAny>, protocol: &str, error: Error) -> PyErr {
    let place = format!("{protocol} of {}", convert::found(value));
    raise(value.py(), error.within(place))
}
