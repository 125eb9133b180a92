//! `numpy.ndarray` and its subclasses.

use crate::api::{ndarray, require};
use crate::dtype::{self, to_descr};
use numpy::npyffi::{self, NpyTypes, PyArrayObject};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::ptr::null_mut;
use warp_core::array::{Array, Owner, View};
use warp_core::device::Device;
use warp_core::error::{Code, Error};
use warp_core::interop::{Desc, Framework, MAX_FOREIGN_NDIM};
use warp_dlpack::{Lenient, raise};

/// Whether this is an ndarray, or of a subclass. Does not import NumPy.
#[inline]
pub fn is_array(object: &Bound<'_, PyAny>) -> bool {
    let class = object.get_type_ptr();
    let ndarray = ndarray();
    if !ndarray.is_null() {
        // SAFETY: both are type objects, NumPy's lives for ever.
        return class == ndarray || unsafe { ffi::PyType_IsSubtype(class, ndarray) != 0 };
    }
    find(object)
}

/// Looks NumPy's type up once the program has imported NumPy.
#[cold]
fn find(object: &Bound<'_, PyAny>) -> bool {
    let py = object.py();
    let loaded = (py.import("sys"))
        .and_then(|s| s.getattr("modules")?.get_item("numpy"))
        .or_note()
        .is_some_and(|numpy| !numpy.is_none());
    if !loaded || require(py).or_note().is_none() {
        return false;
    }
    let class = ndarray();
    // SAFETY: both are type objects.
    unsafe { ffi::PyType_IsSubtype(object.get_type_ptr(), class) != 0 }
}

/// Describes an ndarray for as long as it lives and keeps its memory (NumPy refuses to resize what is referenced).
///
/// # Errors
/// The elements have no counterpart or are masked, or there are too many dimensions.
#[inline]
pub fn describe(object: &Bound<'_, PyAny>, out: &mut Desc) -> PyResult<()> {
    let py = object.py();
    if object.get_type_ptr() != ndarray() {
        check_subclass(object)?;
    }
    // SAFETY: callers have asked `is_array`; the fields stay as they are while we hold the lock.
    unsafe {
        let f = &(*object.as_ptr().cast::<PyArrayObject>()).fields;
        out.scalar = dtype::of_raw(py, f.descr).map_err(|e| raise(py, e))?;
        match place(object, out) {
            true => Ok(()),
            false => Err(too_many(object)),
        }
    }
}

/// Whether this is exactly an ndarray, and NumPy's C API is known.
#[inline(always)]
pub(crate) fn is_exact(object: &Bound<'_, PyAny>) -> bool {
    object.get_type_ptr() == ndarray()
}

/// Describes exactly an ndarray without asking NumPy; `false` where that is not enough.
#[inline(always)]
pub(crate) fn describe_plain(object: &Bound<'_, PyAny>, out: &mut Desc) -> bool {
    // SAFETY: callers have asked `is_exact`; the fields stay as they are while we hold the lock.
    unsafe {
        let f = &(*object.as_ptr().cast::<PyArrayObject>()).fields;
        let Some(scalar) = dtype::plain(f.descr) else {
            return false;
        };
        out.scalar = scalar;
        place(object, out)
    }
}

/// All but the type of the elements; `false` if there are too many dimensions.
///
/// # Safety
/// The object is an ndarray.
#[inline(always)]
unsafe fn place(object: &Bound<'_, PyAny>, out: &mut Desc) -> bool {
    // SAFETY: promised by the caller.
    unsafe {
        let f = &(*object.as_ptr().cast::<PyArrayObject>()).fields;
        let ndim = f.nd as usize;
        if ndim > MAX_FOREIGN_NDIM {
            return false;
        }
        out.data = f.data.cast();
        out.ndim = ndim;
        out.device = Device::Cpu;
        out.read_only = f.flags & npyffi::NPY_ARRAY_WRITEABLE == 0;
        for d in 0..ndim {
            out.shape[d] = *f.dimensions.add(d) as i64;
            out.strides[d] = *f.strides.add(d) as i64;
        }
        true
    }
}

/// Why an ndarray has no description.
#[cold]
fn too_many(object: &Bound<'_, PyAny>) -> PyErr {
    // SAFETY: callers have asked `is_array`.
    let ndim = unsafe { (*object.as_ptr().cast::<PyArrayObject>()).fields.nd };
    let text = format!("{ndim} dimensions are too many");
    raise(object.py(), Error::new(Code::Value, text))
}

/// Refuses what a subclass knows about its elements and a kernel would not see.
#[cold]
fn check_subclass(object: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = object.py();
    let modules = py.import("sys")?.getattr("modules")?;
    let masked = modules.get_item("numpy.ma").ok().filter(|m| !m.is_none());
    let Some(masked) = masked else {
        return Ok(());
    };
    if !object.is_instance(&masked.getattr("MaskedArray")?)? {
        return Ok(());
    }
    if masked.call_method1("is_masked", (object,))?.is_truthy()? {
        return Err(raise(
            py,
            Error::new(
                Code::Type,
                "some elements of the array are masked, which kernels do not see",
            )
            .hint("pass a.filled(value), or the values and the mask as two arrays"),
        ));
    }
    Ok(())
}

/// An ndarray on a view's memory; `base` is the object that keeps the memory alive.
///
/// # Errors
/// NumPy cannot be imported or has no type for the elements (bfloat16, where `ml_dtypes` is missing).
#[inline]
pub fn wrap<'py>(view: &View, base: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = base.py();
    require(py)?;
    let desc = Desc::of(view);
    let mut shape = [0isize; MAX_FOREIGN_NDIM];
    let mut strides = [0isize; MAX_FOREIGN_NDIM];
    for d in 0..desc.ndim {
        shape[d] = desc.shape[d] as isize;
        strides[d] = desc.strides[d] as isize;
    }
    let place = Place {
        data: desc.data,
        ndim: desc.ndim,
        shape: &mut shape,
        strides: &mut strides,
        read_only: desc.read_only,
    };
    // SAFETY: the memory is as described and kept by `base`.
    unsafe {
        let descr = match dtype::type_number(desc.scalar) {
            Some(n) => numpy::PY_ARRAY_API.PyArray_DescrFromType(py, n),
            None => to_descr(py, desc.scalar)?.into_ptr().cast(),
        };
        new_array(py, descr, place, base)
    }
}

/// Where the elements of an ndarray lie.
struct Place<'a> {
    data: *mut u8,
    ndim: usize,
    shape: &'a mut [isize; MAX_FOREIGN_NDIM],
    strides: &'a mut [isize; MAX_FOREIGN_NDIM],
    read_only: bool,
}

/// An ndarray on memory that `base` keeps.
///
/// # Safety
/// The memory holds elements as `descr`, a reference that is given away, says, where `place` says.
#[inline(always)]
unsafe fn new_array<'py>(
    py: Python<'py>,
    descr: *mut npyffi::PyArray_Descr,
    place: Place<'_>,
    base: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let api = &numpy::PY_ARRAY_API;
    // SAFETY: promised by the caller; the arrays outlive the call, which takes over the descriptor. SetBaseObject
    // takes over `base`.
    unsafe {
        let flags = if place.read_only {
            0
        } else {
            npyffi::NPY_ARRAY_WRITEABLE
        };
        let class = npyffi::get_type_object(py, NpyTypes::PyArray_Type);
        let array = api.PyArray_NewFromDescr(
            py,
            class,
            descr,
            place.ndim as i32,
            place.shape.as_mut_ptr(),
            place.strides.as_mut_ptr(),
            place.data.cast(),
            flags,
            null_mut(),
        );
        let array = Bound::from_owned_ptr_or_err(py, array)?;
        if api.PyArray_SetBaseObject(py, array.as_ptr().cast(), base.into_ptr()) != 0 {
            return Err(PyErr::fetch(py));
        }
        Ok(array)
    }
}

/// Describes where an ndarray lies, whatever its elements are; `scalar` says nothing.
///
/// # Errors
/// Elements are masked, or there are too many dimensions.
pub fn describe_records(object: &Bound<'_, PyAny>, out: &mut Desc) -> PyResult<()> {
    if object.get_type_ptr() != ndarray() {
        check_subclass(object)?;
    }
    // SAFETY: callers have asked `is_array`; the fields stay as they are while we hold the lock.
    match unsafe { place(object, out) } {
        true => Ok(()),
        false => Err(too_many(object)),
    }
}

/// An ndarray of the elements that `descr` describes, on a view's memory; `base` keeps the memory alive.
///
/// # Errors
/// NumPy cannot be imported, or refuses the descriptor.
pub fn wrap_as<'py>(
    view: &View,
    descr: Bound<'py, PyAny>,
    base: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    require(base.py())?;
    let mut shape = [0isize; MAX_FOREIGN_NDIM];
    let mut strides = [0isize; MAX_FOREIGN_NDIM];
    let layout = view.layout();
    for (d, (n, stride)) in layout.shape().iter().zip(layout.strides()).enumerate() {
        shape[d] = *n as isize;
        strides[d] = *stride as isize;
    }
    let place = Place {
        data: view.arg.data,
        ndim: layout.shape().len(),
        shape: &mut shape,
        strides: &mut strides,
        read_only: view.read_only,
    };
    // SAFETY: the view is that of live memory, which `base` keeps; its elements are as `descr` says.
    unsafe { new_array(base.py(), descr.into_ptr().cast(), place, base) }
}

/// NumPy, for the one import path.
#[derive(Clone, Copy, Debug)]
pub struct Numpy;

impl Framework for Numpy {
    const NAME: &'static str = "NumPy";
    const READ_ONLY: bool = true;
    const NEGATIVE_STRIDES: bool = true;
    type Cx<'a> = Python<'a>;
    type Tensor<'a> = Bound<'a, PyAny>;
    type Error = PyErr;

    fn raise(py: Python<'_>, error: Error) -> PyErr {
        raise(py, error)
    }
    #[inline]
    fn describe(t: &Bound<'_, PyAny>, out: &mut Desc) -> PyResult<()> {
        describe(t, out)
    }
    #[inline(always)]
    fn hold(t: &Bound<'_, PyAny>, out: &mut Desc) -> PyResult<Owner> {
        describe(t, out)?;
        Ok(warp_dlpack::reference(t.clone()))
    }
    fn wrap<'a>(py: Python<'a>, array: &Array) -> PyResult<Bound<'a, PyAny>>
    where
        'a: 'a,
    {
        let keep = array.owner.clone();
        let base = PyCapsule::new_with_value(py, keep, c"warp_owner")?;
        wrap(&array.view, base.into_any())
    }
}
