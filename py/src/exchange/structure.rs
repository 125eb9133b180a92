//! `__array_struct__`: the array interface as a C structure, in both directions.

use super::reader::{refuse, set_layout};
use crate::object::Array;
use crate::object::access::check_access;
use crate::object::error::error;
use crate::object::message::describe;
use crate::runtime::snapshot::before_sharing;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::ffi::{c_char, c_int, c_void};
use warp_core::array::Owner;
use warp_core::device::Device;
use warp_core::error::{Code, Error};
use warp_core::interop::{Desc, MAX_FOREIGN_NDIM, typestr};

const NAME: &str = "__array_struct__";

/// `PyArrayInterface` of NumPy's headers.
#[repr(C)]
struct Raw {
    two: c_int,
    nd: c_int,
    typekind: c_char,
    itemsize: c_int,
    flags: c_int,
    shape: *mut isize,
    strides: *mut isize,
    data: *mut c_void,
    descr: *mut ffi::PyObject,
}

const C_CONTIGUOUS: c_int = 0x1;
const ALIGNED: c_int = 0x100;
const NOT_SWAPPED: c_int = 0x200;
const WRITEABLE: c_int = 0x400;

/// The memory that an `__array_struct__` describes.
///
/// # Errors
/// The capsule holds no array interface, or elements without counterpart.
pub fn read(value: &Bound<'_, PyAny>, capsule: &Bound<'_, PyAny>) -> PyResult<(Desc, Owner)> {
    // SAFETY: any object may be asked whether it is a capsule without a name; those that the protocol gives hold
    // this structure.
    let raw = unsafe {
        if ffi::PyCapsule_IsValid(capsule.as_ptr(), std::ptr::null()) == 0 {
            return Err(error(
                Code::Type,
                format!(
                    "{NAME} of {} is {}, expected a capsule without a name",
                    describe(value),
                    describe(capsule)
                ),
            ));
        }
        &*ffi::PyCapsule_GetPointer(capsule.as_ptr(), std::ptr::null()).cast::<Raw>()
    };
    // SAFETY: as above.
    let desc = unsafe { parse(raw) }.map_err(|e| refuse(value, NAME, e))?;
    let both = PyTuple::new(value.py(), [value, capsule])?;
    Ok((desc, warp_dlpack::reference(both.into_any())))
}

/// # Safety
/// Shape and strides point to as many numbers as the structure has dimensions.
unsafe fn parse(raw: &Raw) -> Result<Desc, Error> {
    let wrong = |text: String| Err(Error::new(Code::Value, text));
    if raw.two != 2 {
        return wrong(format!("it starts with {} instead of 2", raw.two));
    }
    let Ok(ndim) = usize::try_from(raw.nd) else {
        return wrong(format!("it has {} dimensions", raw.nd));
    };
    let size = usize::try_from(raw.itemsize).unwrap_or(0);
    let mut desc = Desc::EMPTY;
    desc.scalar = typestr::from_kind(raw.typekind as u8, size)?;
    if size > 1 && raw.flags & NOT_SWAPPED == 0 {
        return Err(typestr::foreign_order(desc.scalar.name()));
    }
    desc.data = raw.data.cast();
    desc.read_only = raw.flags & WRITEABLE == 0;
    if ndim > MAX_FOREIGN_NDIM || (ndim > 0 && raw.shape.is_null()) {
        return wrong(format!("{ndim} dimensions are too many, or without shape"));
    }
    // SAFETY: promised by the caller.
    let numbers = |at: *mut isize| (0..ndim).map(move |d| unsafe { *at.add(d) } as i64);
    let shape: Vec<i64> = numbers(raw.shape).collect();
    let strides = (!raw.strides.is_null()).then(|| numbers(raw.strides).collect::<Vec<_>>());
    set_layout(&mut desc, &shape, strides.as_deref())?;
    Ok(desc)
}

/// What a capsule of ours points to.
#[repr(C)]
struct Export {
    raw: Raw,
    shape: [isize; MAX_FOREIGN_NDIM],
    strides: [isize; MAX_FOREIGN_NDIM],
    array: Py<Array>,
}

/// `a.__array_struct__`: the capsule keeps the array alive.
///
/// # Errors
/// The dtype has no counterpart, or a trace is running.
pub fn export<'py>(array: &Bound<'py, Array>) -> PyResult<Bound<'py, PyAny>> {
    let py = array.py();
    let view = array.get().view();
    before_sharing(py, view)?;
    check_access(&array.get().core, NAME)?;
    if let warp_core::ty::Elem::Struct(s) = view.elem {
        return Err(error(
            Code::Attribute,
            format!("{NAME}: the array holds {s}, a struct; use a.numpy()"),
        ));
    }
    let desc = Desc::of(view);
    let mut typestr = desc.scalar.row().typestr.bytes().skip(1);
    let Some(kind) = typestr.next() else {
        return Err(error(
            Code::Attribute,
            format!("{NAME}: NumPy has no type {}", desc.scalar),
        ));
    };
    if view.device != Device::Cpu {
        return Err(error(
            Code::Attribute,
            format!(
                "__array_struct__: the array is on the device \"{}\"; a.numpy() copies it",
                view.device
            ),
        ));
    }
    let mut flags = ALIGNED | NOT_SWAPPED;
    if !desc.read_only {
        flags |= WRITEABLE;
    }
    if view.is_contiguous() {
        flags |= C_CONTIGUOUS;
    }
    let mut export = Box::new(Export {
        raw: Raw {
            two: 2,
            nd: desc.ndim as c_int,
            typekind: kind as c_char,
            itemsize: desc.scalar.size() as c_int,
            flags,
            shape: std::ptr::null_mut(),
            strides: std::ptr::null_mut(),
            data: desc.data.cast(),
            descr: std::ptr::null_mut(),
        },
        shape: desc.shape.map(|n| n as isize),
        strides: desc.strides.map(|n| n as isize),
        array: array.clone().unbind(),
    });
    export.raw.shape = export.shape.as_mut_ptr();
    export.raw.strides = export.strides.as_mut_ptr();
    let raw = Box::into_raw(export);
    // SAFETY: the structure is the first thing in the box, which lives until the capsule's destructor frees it.
    unsafe {
        let capsule = ffi::PyCapsule_New(raw.cast(), std::ptr::null(), Some(destroy));
        if capsule.is_null() {
            drop(Box::from_raw(raw));
        }
        Bound::from_owned_ptr_or_err(py, capsule)
    }
}

/// # Safety
/// Python calls it once, for a capsule that [`export`] made, with its lock held.
unsafe extern "C" fn destroy(capsule: *mut ffi::PyObject) {
    // SAFETY: promised by the caller.
    unsafe {
        let raw = ffi::PyCapsule_GetPointer(capsule, std::ptr::null());
        if !raw.is_null() {
            let export = Box::from_raw(raw.cast::<Export>());
            drop(export.array);
        }
    }
}
