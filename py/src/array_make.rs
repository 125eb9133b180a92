//! Making arrays: from data, from a pointer, filled with a value, like another one.

use crate::array::{Array, refuse};
use crate::{array_part as part, convert, device, dtype, record, tape};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use smallvec::SmallVec;
use std::ffi::c_void;
use warp_core::array::{Array as Core, Layout, Owner, View};
use warp_core::device::Device;
use warp_core::dtype::Scalar;
use warp_core::ty::{Elem, MAX_NDIM};

pub type Object<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// The arguments of `wp.array`.
pub struct Request<'a, 'py> {
    pub data: Object<'a, 'py>,
    pub dtype: Object<'a, 'py>,
    pub shape: Object<'a, 'py>,
    pub strides: Object<'a, 'py>,
    pub ptr: Option<usize>,
    pub capacity: Option<usize>,
    pub device: Object<'a, 'py>,
    pub copy: bool,
    pub deleter: Object<'a, 'py>,
    pub ndim: Option<usize>,
    pub grad: Object<'a, 'py>,
    pub requires_grad: bool,
}

/// `wp.array(...)`.
pub fn array(py: Python<'_>, r: &Request<'_, '_>) -> PyResult<Array> {
    let device = device::resolve(r.device)?;
    let elem = r.dtype.map(dtype::require_elem).transpose()?;
    let want = r.shape.map(shape).transpose()?;
    let core = match (r.data, r.ptr) {
        (Some(_), Some(_)) => {
            return Err(PyTypeError::new_err(
                "array: data and ptr exclude each other",
            ));
        }
        (Some(data), None) => from_data(data, elem, want.as_deref(), r.copy)?,
        (None, Some(ptr)) => from_pointer(py, r, ptr, elem, want.as_deref(), device)?,
        (None, None) => match want {
            None => return annotation(py, r.dtype, r.ndim.unwrap_or(1)),
            Some(want) => {
                Core::zeros(elem.unwrap_or(FLOAT), &want, device).map_err(refuse(py, "array"))?
            }
        },
    };
    if r.ndim.is_some_and(|n| n != core.view.ndim as usize) {
        return Err(PyValueError::new_err(format!(
            "array: data has {} dimensions, ndim says {}",
            core.view.ndim,
            r.ndim.unwrap_or(0)
        )));
    }
    if r.ptr.is_none() && (r.copy || r.data.is_none()) {
        record::made(&core, r.data.is_none());
    }
    let gradient = match r.grad {
        Some(g) => Some(checked_gradient(py, &core, g, "array")?),
        None if r.requires_grad => Some(zero_gradient(py, &core, "array")?),
        None => None,
    };
    Ok(Array::with_gradient(core, gradient))
}

pub const FLOAT: Elem = Elem::Scalar(Scalar::F32);

/// An array without data that stands for a type.
pub fn annotation(py: Python<'_>, dtype: Object<'_, '_>, ndim: usize) -> PyResult<Array> {
    let Some(dtype) = dtype else {
        return Err(PyTypeError::new_err(
            "array: data, shape or dtype is needed; without data, wp.array(dtype=...) annotates a kernel parameter",
        ));
    };
    let elem = dtype::require_elem(dtype)?;
    blank(py, elem, ndim).map(|array| Array::annotation(array.core))
}

/// An array without memory and elements.
pub fn blank(py: Python<'_>, elem: Elem, ndim: usize) -> PyResult<Array> {
    let layout = Layout::contiguous(&vec![0; ndim], elem.size()).map_err(refuse(py, "array"))?;
    let view = View::new(std::ptr::null_mut(), layout, elem, Device::Cpu, false);
    Ok(Array::new(Core {
        view,
        owner: Owner::Nobody,
    }))
}

/// The annotation `wp.array2d(dtype=...)` and its like.
#[pyfunction]
#[pyo3(name = "_annotation")]
pub fn annotation_of(py: Python<'_>, dtype: &Bound<'_, PyAny>, ndim: usize) -> PyResult<Array> {
    annotation(py, Some(dtype), ndim)
}

fn from_data(
    data: &Bound<'_, PyAny>,
    elem: Option<Elem>,
    shape: Option<&[i64]>,
    copy: bool,
) -> PyResult<Core> {
    let py = data.py();
    let mut core = if copy {
        convert::copied(data, elem)?
    } else {
        convert::shared(data, elem)?
    };
    if let Some(shape) = shape {
        let size = core.view.elem.size();
        let layout = (core.view.layout())
            .reshape(shape, size)
            .map_err(refuse(py, "array"))?;
        core.view = core.view.at(0, layout);
    }
    Ok(core)
}

fn from_pointer(
    py: Python<'_>,
    r: &Request<'_, '_>,
    ptr: usize,
    elem: Option<Elem>,
    want: Option<&[i64]>,
    device: Device,
) -> PyResult<Core> {
    let (Some(elem), Some(want)) = (elem, want) else {
        return Err(PyTypeError::new_err("array: ptr needs dtype and shape too"));
    };
    let raise = refuse(py, "array");
    let layout = match r.strides {
        None => Layout::contiguous(want, elem.size()).map_err(&raise)?,
        Some(s) => Layout::strided(want, &shape(s)?).map_err(&raise)?,
    };
    let span = layout.byte_range(elem.size());
    if ptr == 0 && !layout.is_empty() {
        return Err(PyValueError::new_err(
            "array: ptr is null, but the array has elements",
        ));
    }
    let unaligned = ptr as i64 | layout.strides.iter().fold(0, |a, s| a | s);
    if unaligned % elem.align() as i64 != 0 {
        return Err(PyValueError::new_err(format!(
            "array: ptr and strides must be multiples of the {} bytes of a {}",
            elem.align(),
            match elem {
                Elem::Struct(s) => s.to_string(),
                other => other.scalar().to_string(),
            }
        )));
    }
    if let Some(capacity) = r.capacity
        && (span.start < 0 || span.end > capacity as i64)
    {
        return Err(PyValueError::new_err(format!(
            "array: the elements span bytes {} to {} of memory with a capacity of {capacity}",
            span.start, span.end
        )));
    }
    let owner = match r.deleter {
        None => Owner::Nobody,
        Some(f) if f.is_callable() => {
            let capacity = r.capacity.unwrap_or(span.end as usize);
            let call = (f, (ptr, capacity)).into_pyobject(py)?;
            // SAFETY: one reference is given away here and used once, with Python's lock held.
            unsafe { Owner::foreign(call.into_ptr().cast(), call_deleter) }
        }
        Some(f) => return Err(crate::array::type_error("a callable as deleter", f)),
    };
    let view = View::new(ptr as *mut u8, layout, elem, device, false);
    Ok(Core { view, owner })
}

/// # Safety
/// `handle` is a reference to a pair (callable, arguments) that was given away; Python's lock is held.
unsafe fn call_deleter(handle: *mut c_void) {
    Python::attach(|py| {
        // SAFETY: promised by the caller.
        let pair = unsafe { Bound::from_owned_ptr(py, handle.cast::<ffi::PyObject>()) };
        let call = || -> PyResult<()> {
            let (f, args): (Bound<'_, PyAny>, Bound<'_, PyTuple>) = pair.extract()?;
            f.call1(args).map(|_| ())
        };
        if let Err(e) = call() {
            // Nobody is there to catch it.
            e.write_unraisable(py, None);
        }
    });
}

/// Dimensions or strides: an int or a sequence of ints.
pub fn shape(object: &Bound<'_, PyAny>) -> PyResult<Vec<i64>> {
    let int = |i: &Bound<'_, PyAny>| -> Option<i64> {
        let index = i.call_method0(pyo3::intern!(i.py(), "__index__")).ok()?;
        index.extract().ok()
    };
    if let Some(n) = int(object) {
        return Ok(vec![n]);
    }
    let wrong = || crate::array::type_error("an int or a tuple of ints as shape", object);
    let items: Vec<i64> = if let Ok(t) = object.cast::<PyTuple>() {
        t.iter().map(|i| int(&i)).collect::<Option<_>>()
    } else if let Ok(l) = object.cast::<PyList>() {
        l.iter().map(|i| int(&i)).collect::<Option<_>>()
    } else {
        None
    }
    .ok_or_else(wrong)?;
    if items.is_empty() || items.len() > MAX_NDIM {
        return Err(PyValueError::new_err(format!(
            "shape {items:?} has {} dimensions, an array has 1 to {MAX_NDIM}",
            items.len()
        )));
    }
    Ok(items)
}

/// A new gradient for an array: zeros of the same dtype and shape.
pub fn zero_gradient(py: Python<'_>, core: &Core, place: &str) -> PyResult<Py<Array>> {
    check_differentiable(core, place)?;
    let zeros = Core::zeros(core.view.elem, &dims(&core.view), core.view.device);
    Py::new(py, Array::new(zeros.map_err(refuse(py, place))?))
}

fn check_differentiable(core: &Core, place: &str) -> PyResult<()> {
    if core.view.elem.has_floats() {
        return Ok(());
    }
    Err(PyTypeError::new_err(format!(
        "{place}: an array of {} has no gradient; only floating point types have",
        core.view.elem
    )))
}

/// A gradient that the user gives: checked against its array.
pub fn checked_gradient(
    py: Python<'_>,
    core: &Core,
    grad: &Bound<'_, PyAny>,
    place: &str,
) -> PyResult<Py<Array>> {
    check_differentiable(core, place)?;
    let grad = match grad.cast::<Array>() {
        Ok(g) => g.clone(),
        Err(_) => Bound::new(py, Array::new(convert::shared(grad, Some(core.view.elem))?))?,
    };
    let (own, have) = (&core.view, grad.get().view());
    if own.elem != have.elem || own.layout().shape() != have.layout().shape() {
        return Err(PyValueError::new_err(format!(
            "{place}: the gradient has dtype {} and shape {:?}, the array {} and {:?}; they must be equal",
            have.elem,
            have.layout().shape(),
            own.elem,
            own.layout().shape()
        )));
    }
    grad.get().check_writable(place)?;
    Ok(grad.unbind())
}

/// The dimensions of a view.
pub fn dims(view: &View) -> SmallVec<[i64; MAX_NDIM]> {
    let layout = view.layout();
    layout.shape().iter().map(|n| i64::from(*n)).collect()
}

/// `a.clone()`. A tape records the copy if it has a gradient.
pub fn clone<'py>(
    array: &Bound<'py, Array>,
    requires_grad: Option<bool>,
) -> PyResult<Bound<'py, Array>> {
    let (py, this) = (array.py(), array.get());
    let core = if record::active() {
        let view = this.view();
        let core = Core::empty(view.elem, &dims(view), view.device).map_err(refuse(py, "clone"))?;
        record::made(&core, true);
        part::write(&Array::new(core.clone()), array.as_any(), "clone")?;
        core
    } else {
        // SAFETY: the owner keeps the memory; Python's lock keeps others from writing meanwhile.
        unsafe { Core::copy_of(this.view()) }.map_err(refuse(py, "clone"))?
    };
    let wants = requires_grad.unwrap_or_else(|| this.gradient(py).is_some());
    let gradient = wants
        .then(|| zero_gradient(py, &core, "clone"))
        .transpose()?;
    let copy = Bound::new(py, Array::with_gradient(core, gradient))?;
    if tape::active() && wants && this.gradient(py).is_some() {
        part::assign(&copy, array.as_any(), "clone")?;
    }
    Ok(copy)
}
