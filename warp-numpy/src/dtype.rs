//! Scalars as NumPy numbers them, derived from the one table by kind and width.

use crate::api::require;
use numpy::npyffi::{NPY_TYPES, PyArray_Descr};
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::ffi::{c_int, c_long};
use std::sync::atomic::{AtomicI64, Ordering};
use warp_core::dtype::{Class, Row, Scalar, TABLE};
use warp_core::error::{Code, Error, Result};
use warp_core::interop::typestr;
use warp_dlpack::Lenient;

/// NumPy's number for a scalar; `None` where NumPy itself has no such type (bfloat16).
pub const fn type_number(scalar: Scalar) -> Option<c_int> {
    if !scalar.is_numpys() {
        return None;
    }
    // `long` has 64 bits where this builds; the assertion below holds it to that.
    let n = match (scalar.class(), scalar.bits()) {
        (Class::Bool, _) => NPY_TYPES::NPY_BOOL,
        (Class::Int, 8) => NPY_TYPES::NPY_BYTE,
        (Class::Int, 16) => NPY_TYPES::NPY_SHORT,
        (Class::Int, 32) => NPY_TYPES::NPY_INT,
        (Class::Int, _) => NPY_TYPES::NPY_LONG,
        (Class::UInt, 8) => NPY_TYPES::NPY_UBYTE,
        (Class::UInt, 16) => NPY_TYPES::NPY_USHORT,
        (Class::UInt, 32) => NPY_TYPES::NPY_UINT,
        (Class::UInt, _) => NPY_TYPES::NPY_ULONG,
        (_, 16) => NPY_TYPES::NPY_HALF,
        (_, 32) => NPY_TYPES::NPY_FLOAT,
        _ => NPY_TYPES::NPY_DOUBLE,
    };
    Some(n as c_int)
}

/// NumPy's numbers in the order of the one table; -1 where it has none.
const NUMBERS: [c_int; TABLE.len()] = {
    let mut numbers = [-1; TABLE.len()];
    let mut i = 0;
    while i < numbers.len() {
        if let Some(n) = type_number(TABLE[i].scalar) {
            numbers[i] = n;
        }
        i += 1;
    }
    numbers
};

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
        0.. => {
            let at = NUMBERS.iter().position(|n| *n == number)?;
            Some(TABLE[at].scalar)
        }
        _ => None,
    }
}

/// The type that NumPy lacks and that was seen last, as the number under which another package (`ml_dtypes`) has registered it in this
/// process, and its place in the table.
static SEEN: AtomicI64 = AtomicI64::new(-1);

/// A type that NumPy lacks, if its number was the last one seen.
fn seen(number: c_int) -> Option<Scalar> {
    let seen = SEEN.load(Ordering::Relaxed);
    let row = TABLE.get((seen & 0xff) as usize)?;
    (i64::from(number) == seen >> 8).then_some(row.scalar)
}

/// The scalar of a NumPy dtype object.
///
/// # Errors
/// The type has no counterpart, or its byte order is not the machine's.
pub fn from_descr(descr: &Bound<'_, PyAny>) -> Result<Scalar> {
    let get = |name: &str| descr.getattr(name).ok();
    let number = get("num").and_then(|n| n.extract::<c_int>().ok());
    let native = get("isnative").and_then(|n| n.extract::<bool>().ok());
    let name = get("name").and_then(|n| Some(n.cast_into::<PyString>().ok()?.to_string()));
    // Types of other packages have run-time numbers.
    let found = number.and_then(from_number).or_else(|| {
        let is_named = |row: &&Row| !row.scalar.is_numpys() && name.as_deref() == Some(row.name);
        let scalar = TABLE.iter().find(is_named)?.scalar;
        let number = i64::from(number.unwrap_or(-1));
        SEEN.store((number << 8) | scalar as i64, Ordering::Relaxed);
        Some(scalar)
    });
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

/// The NumPy dtype object of a scalar, from `ml_dtypes` for those that NumPy lacks.
///
/// # Errors
/// NumPy cannot be imported, or lacks the type and `ml_dtypes` is missing.
pub fn to_descr(py: Python<'_>, scalar: Scalar) -> PyResult<Bound<'_, PyAny>> {
    require(py)?;
    let Some(number) = type_number(scalar) else {
        let ml = py.import("ml_dtypes").lenient()?.ok_or_else(|| {
            warp_dlpack::raise(
                py,
                Error::new(Code::Type, format!("NumPy has no type {scalar}")).hint(format!(
                    "install ml_dtypes, or read the bits: a.view(wp.uint{}).numpy()",
                    scalar.bits()
                )),
            )
        })?;
        return py
            .import("numpy")?
            .getattr("dtype")?
            .call1((ml.getattr(scalar.name())?,));
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
    (number >= 0 && order == b'=')
        .then(|| seen(number))
        .flatten()
}
