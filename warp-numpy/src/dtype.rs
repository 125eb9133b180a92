//! Scalars as NumPy numbers them, derived from the one table by kind and width.

use crate::api::require;
use numpy::npyffi::{NPY_TYPES, PyArray_Descr};
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::ffi::{c_int, c_long};
use std::sync::atomic::{AtomicI32, Ordering};
use warp_core::dtype::Scalar;
use warp_core::error::{Code, Error, Result};
use warp_core::interop::typestr;
use warp_dlpack::Lenient;

/// NumPy's number for a scalar; `None` where NumPy itself has no such type (bfloat16).
pub const fn type_number(scalar: Scalar) -> Option<c_int> {
    let n = match scalar {
        Scalar::Bool => NPY_TYPES::NPY_BOOL,
        Scalar::I8 => NPY_TYPES::NPY_BYTE,
        Scalar::U8 => NPY_TYPES::NPY_UBYTE,
        Scalar::I16 => NPY_TYPES::NPY_SHORT,
        Scalar::U16 => NPY_TYPES::NPY_USHORT,
        Scalar::I32 => NPY_TYPES::NPY_INT,
        Scalar::U32 => NPY_TYPES::NPY_UINT,
        // `long` has 64 bits where this builds; the assertion below holds it to that.
        Scalar::I64 => NPY_TYPES::NPY_LONG,
        Scalar::U64 => NPY_TYPES::NPY_ULONG,
        Scalar::F16 => NPY_TYPES::NPY_HALF,
        Scalar::F32 => NPY_TYPES::NPY_FLOAT,
        Scalar::F64 => NPY_TYPES::NPY_DOUBLE,
        Scalar::BF16 => return None,
    };
    Some(n as c_int)
}

const _: () = assert!(size_of::<c_long>() == 8);

/// The scalar that a NumPy type number stands for, byte order aside.
#[inline]
pub(crate) fn from_number(number: c_int) -> Option<Scalar> {
    const LONGLONG: c_int = NPY_TYPES::NPY_LONGLONG as c_int;
    const ULONGLONG: c_int = NPY_TYPES::NPY_ULONGLONG as c_int;
    match number {
        11 => Some(Scalar::F32),
        12 => Some(Scalar::F64),
        LONGLONG => Some(Scalar::I64),
        ULONGLONG => Some(Scalar::U64),
        n => warp_core::dtype::TABLE
            .iter()
            .map(|r| r.scalar)
            .find(|s| type_number(*s) == Some(n)),
    }
}

/// The number under which `ml_dtypes` has registered bfloat16 in this process, once it was seen.
static BFLOAT16: AtomicI32 = AtomicI32::new(-1);

/// The scalar of a NumPy dtype object.
///
/// # Errors
/// The type has no counterpart, or its byte order is not the machine's.
pub fn from_descr(descr: &Bound<'_, PyAny>) -> Result<Scalar> {
    let get = |name: &str| descr.getattr(name).ok();
    let number = get("num").and_then(|n| n.extract::<c_int>().ok());
    let native = get("isnative").and_then(|n| n.extract::<bool>().ok());
    let name = get("name").and_then(|n| Some(n.cast_into::<PyString>().ok()?.to_string()));
    // Types of other packages have run-time numbers; bfloat16 is the only one of them we share.
    let found = match number.and_then(from_number) {
        None if name.as_deref() == Some("bfloat16") => {
            BFLOAT16.store(number.unwrap_or(-1), Ordering::Relaxed);
            Some(Scalar::BF16)
        }
        found => found,
    };
    let name = name.unwrap_or_else(|| "?".into());
    match (found, native) {
        (Some(s), Some(true)) => Ok(s),
        (Some(_), _) => Err(typestr::foreign_order(&name)),
        (None, _) => Err(unsupported(descr, &name)),
    }
}

/// The error about a type without counterpart; that of a record names its fields.
#[cold]
fn unsupported(descr: &Bound<'_, PyAny>, name: &str) -> Error {
    let names = descr.getattr("names").ok();
    let names: Option<Vec<String>> = names.and_then(|n| n.extract().ok());
    let Some(names) = names else {
        let kind = descr.getattr("kind").and_then(|k| k.extract::<String>());
        return typestr::unsupported(name, kind.as_deref().unwrap_or(""));
    };
    let field = |n: &String| match descr.get_item(n) {
        Ok(d) => format!("{n}: {d}"),
        Err(_) => n.clone(),
    };
    let fields: Vec<_> = names.iter().map(field).collect();
    let first = names.first().map_or("", String::as_str);
    Error::new(
        Code::Type,
        format!(
            "a NumPy record of the fields {} has no counterpart unless a struct says what it is",
            fields.join(", ")
        ),
    )
    .hint(format!(
        "declare the fields with @wp.struct and give that as dtype, or pass one array for each field: a['{first}']"
    ))
}

/// The NumPy dtype object of a scalar, from `ml_dtypes` for bfloat16.
///
/// # Errors
/// NumPy cannot be imported, or has no type bfloat16 because `ml_dtypes` is missing.
pub fn to_descr(py: Python<'_>, scalar: Scalar) -> PyResult<Bound<'_, PyAny>> {
    require(py)?;
    let Some(number) = type_number(scalar) else {
        let ml = py.import("ml_dtypes").lenient()?.ok_or_else(|| {
            warp_dlpack::raise(
                py,
                Error::new(Code::Type, "NumPy has no type bfloat16")
                    .hint("install ml_dtypes, or read the bits: a.view(wp.uint16).numpy()"),
            )
        })?;
        return py
            .import("numpy")?
            .getattr("dtype")?
            .call1((ml.getattr("bfloat16")?,));
    };
    // SAFETY: the number is one of NumPy's; the result is a new reference or null with an exception set.
    unsafe {
        let d = numpy::PY_ARRAY_API.PyArray_DescrFromType(py, number);
        Bound::from_owned_ptr_or_err(py, d.cast())
    }
}

/// The scalar of a descriptor that NumPy's C API gave.
///
/// # Errors
/// As for [`from_descr`].
///
/// # Safety
/// `descr` is a descriptor that is alive.
#[inline]
pub(crate) unsafe fn of_raw(py: Python<'_>, descr: *mut PyArray_Descr) -> Result<Scalar> {
    // SAFETY: promised by the caller.
    if let Some(scalar) = unsafe { plain(descr) } {
        return Ok(scalar);
    }
    // SAFETY: a descriptor is a Python object.
    let object = unsafe { Bound::<PyAny>::from_borrowed_ptr(py, descr.cast()) };
    from_descr(&object)
}

/// [`of_raw`] of a type that can be told without asking NumPy.
///
/// # Safety
/// `descr` is a descriptor that is alive.
#[inline(always)]
pub(crate) unsafe fn plain(descr: *mut PyArray_Descr) -> Option<Scalar> {
    // SAFETY: promised by the caller; the first fields are the same in every NumPy.
    let (number, order) = unsafe { ((*descr).fields.type_num, (*descr).fields.byteorder as u8) };
    if let (Some(s), b'=' | b'|') = (from_number(number), order) {
        return Some(s);
    }
    let bfloat16 = number >= 0 && number == BFLOAT16.load(Ordering::Relaxed) && order == b'=';
    bfloat16.then_some(Scalar::BF16)
}
