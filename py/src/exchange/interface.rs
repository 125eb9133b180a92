//! `__array_interface__`, a dictionary, and what `__cuda_array_interface__` has in common with it.

use super::buffer;
use super::reader::{refuse, set_layout};
use crate::object::Array;
use crate::object::access::check_access;
use crate::object::error::error;
use crate::object::message::describe;
use crate::runtime::snapshot::before_sharing;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use warp_core::array::Owner;
use warp_core::device::{Device, current_stream};
use warp_core::error::{Code, Error};
use warp_core::interop::{Desc, typestr};
use warp_core::ty::Elem;
use warp_dlpack::{Lenient, raise};

const NAME: &str = "__array_interface__";
/// The newest version of both protocols.
const VERSION: i64 = 3;

/// Everything in such a dictionary but the address.
pub struct Header<'py> {
    /// What it describes, without `data`.
    pub desc: Desc,
    /// The entry `data`; None where it is missing.
    pub data: Option<Bound<'py, PyAny>>,
}

/// Reads and checks what both protocols share.
///
/// # Errors
/// An entry is missing or is not what the protocol says.
pub fn header<'py>(
    value: &Bound<'py, PyAny>,
    name: &str,
    dict: &Bound<'py, PyDict>,
) -> PyResult<Header<'py>> {
    let place = || format!("{name} of {}", describe(value));
    let get = |key: &str| Ok::<_, PyErr>(dict.get_item(key)?.filter(|v| !v.is_none()));
    let missing = |key: &str| error(Code::Value, format!("{}: '{key}' is missing", place()));
    let wrong = |key: &str, expected: &str, found: &Bound<'py, PyAny>| {
        let found = describe(found);
        error(
            Code::Type,
            format!("{}: '{key}' is {found}, expected {expected}", place()),
        )
    };
    if let Some(v) = get("version")? {
        let version: i64 = v
            .extract()
            .lenient()?
            .ok_or_else(|| wrong("version", "an int from 0 to 3", &v))?;
        if !(0..=VERSION).contains(&version) {
            return Err(error(
                Code::Value,
                format!(
                    "{}: it speaks version {version}, known are 0 to {VERSION}",
                    place()
                ),
            ));
        }
    }
    if get("mask")?.is_some() {
        return Err(error(
            Code::Type,
            format!(
                "{}: it has a mask, which kernels do not see; pass the values and the mask as two arrays",
                place()
            ),
        ));
    }
    let text = get("typestr")?.ok_or_else(|| missing("typestr"))?;
    let text = text
        .cast::<PyString>()
        .map_err(|_| wrong("typestr", "a string such as '<f4'", &text))?;
    let mut desc = Desc::EMPTY;
    let text = text.to_string_lossy();
    desc.scalar = typestr::from_typestr(&text).map_err(|e| {
        refuse(
            value,
            name,
            of_record(e, &text, get("descr").ok().flatten()),
        )
    })?;
    let ints = |key: &str, v: &Bound<'py, PyAny>| -> PyResult<Vec<i64>> {
        v.cast::<PyTuple>()
            .ok()
            .and_then(|t| t.iter().map(|i| i.extract::<i64>().ok()).collect())
            .ok_or_else(|| wrong(key, "a tuple of ints", v))
    };
    let shape = get("shape")?.ok_or_else(|| missing("shape"))?;
    let shape = ints("shape", &shape)?;
    let strides = match get("strides")? {
        Some(s) => Some(ints("strides", &s)?),
        None => None,
    };
    set_layout(&mut desc, &shape, strides.as_deref()).map_err(|e| refuse(value, name, e))?;
    let data = get("data")?;
    Ok(Header { desc, data })
}

/// The error about a record names its fields.
fn of_record(error: Error, text: &str, descr: Option<Bound<'_, PyAny>>) -> Error {
    match descr {
        Some(descr) if text.contains('V') => Error {
            message: format!("{} (fields {descr})", error.message),
            ..error
        },
        _ => error,
    }
}

/// An address with the note that its memory must not be written.
pub fn address(pair: &Bound<'_, PyAny>) -> Option<(usize, bool)> {
    pair.cast::<PyTuple>().ok()?.extract().ok()
}

/// The memory that an `__array_interface__` describes. The object is asked to keep it, as the protocol says.
///
/// # Errors
/// As for [`header`], or the memory cannot be found.
pub fn read(value: &Bound<'_, PyAny>, dict: &Bound<'_, PyAny>) -> PyResult<(Desc, Owner)> {
    let py = value.py();
    let dict = dict.cast::<PyDict>().map_err(|_| {
        error(
            Code::Type,
            format!(
                "{NAME} of {} is {}, expected a dict",
                describe(value),
                describe(dict)
            ),
        )
    })?;
    let Header { mut desc, data } = header(value, NAME, dict)?;
    if let Some((at, read_only)) = data.as_ref().and_then(address) {
        desc.data = at as *mut u8;
        desc.read_only = read_only;
        let both = PyTuple::new(py, [value, dict.as_any()])?;
        return Ok((desc, warp_dlpack::reference(both.into_any())));
    }
    // The memory of a buffer, that of the object itself by default, from some byte on.
    let source = data.as_ref().unwrap_or(value);
    // SAFETY: any object may be asked.
    if unsafe { pyo3::ffi::PyObject_CheckBuffer(source.as_ptr()) == 0 } {
        return Err(error(
            Code::Type,
            format!(
                "{NAME} of {}: 'data' is {}, expected a pair (address, read-only) or an object with the buffer protocol",
                describe(value),
                describe(source)
            ),
        ));
    }
    let (whole, owner) = buffer::bytes(source)?;
    let offset = match dict.get_item("offset")?.filter(|o| !o.is_none()) {
        Some(o) => o.extract::<i64>()?,
        None => 0,
    };
    let outside = || {
        let text = format!(
            "its elements are not within the {} bytes of 'data'",
            whole.shape[0]
        );
        refuse(value, NAME, Error::new(Code::Value, text))
    };
    if !desc.shape().contains(&0) {
        let span = span(&desc).ok_or_else(outside)?;
        let (start, end) = (span.0 + i128::from(offset), span.1 + i128::from(offset));
        if offset < 0 || start < 0 || end > i128::from(whole.shape[0]) {
            return Err(outside());
        }
    }
    desc.data = whole.data.wrapping_offset(offset as isize);
    desc.read_only = whole.read_only;
    Ok((desc, owner))
}

/// First and last byte of the elements, from the first element on.
fn span(desc: &Desc) -> Option<(i128, i128)> {
    let (mut low, mut high) = (0i128, desc.scalar.size() as i128);
    for d in 0..desc.ndim {
        let reach = i128::from(desc.shape[d] - 1).checked_mul(desc.strides[d].into())?;
        low += reach.min(0);
        high += reach.max(0);
    }
    Some((low, high))
}

/// `a.__array_interface__`.
///
/// # Errors
/// The array is on a GPU, the dtype has no typestr, or a trace is running.
pub fn export<'py>(array: &Bound<'py, Array>) -> PyResult<Bound<'py, PyDict>> {
    let on = array.get().view().device;
    if on != Device::Cpu {
        // A property that raises AttributeError is absent to `hasattr`.
        let text = format!(
            "__array_interface__: the array is on the device \"{on}\"; a.numpy() copies it"
        );
        return Err(error(Code::Attribute, text));
    }
    described(array, "__array_interface__")
}

/// `a.__cuda_array_interface__`, version 3: the consumer is to wait for the current stream.
///
/// # Errors
/// The array is on the CPU, the dtype has no typestr, or a trace is running.
pub fn export_cuda<'py>(array: &Bound<'py, Array>) -> PyResult<Bound<'py, PyDict>> {
    let on = array.get().view().device;
    if on == Device::Cpu {
        let text = "__cuda_array_interface__: the array is on the CPU";
        return Err(error(Code::Attribute, text));
    }
    let dict = described(array, "__cuda_array_interface__")?;
    let stream = current_stream(on).map_err(|e| raise(array.py(), e))?;
    // 0 names no stream; CUDA's default stream is 1.
    dict.set_item("stream", stream.handle.max(1))?;
    Ok(dict)
}

fn described<'py>(array: &Bound<'py, Array>, name: &str) -> PyResult<Bound<'py, PyDict>> {
    let py = array.py();
    before_sharing(py, array.get().view())?;
    check_access(&array.get().core, name)?;
    if let Elem::Struct(s) = array.get().view().elem {
        // NumPy asks for `__array__` then.
        return Err(error(
            Code::Attribute,
            format!("{name}: the array holds {s}, a struct; use a.numpy()"),
        ));
    }
    let desc = Desc::of(array.get().view());
    let typestr = desc.scalar.row().typestr;
    if typestr.is_empty() {
        return Err(error(
            Code::Attribute,
            format!("{name}: NumPy has no type {}", desc.scalar),
        ));
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
