//! Making arrays: from data, from a pointer, filled with a value, like another one.

use crate::array::{Array, refuse};
use crate::{array_part as part, convert, device, dtype, tape};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use smallvec::SmallVec;
use std::ffi::c_void;
use warp_core::array::{Array as Core, Layout, Owner, View, copy as elements};
use warp_core::device::Device;
use warp_core::dtype::Scalar;
use warp_core::ty::{Elem, MAX_NDIM};

type Object<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

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
    let gradient = match r.grad {
        Some(g) => Some(checked_gradient(py, &core, g, "array")?),
        None if r.requires_grad => Some(zero_gradient(py, &core, "array")?),
        None => None,
    };
    Ok(Array::with_gradient(core, gradient))
}

const FLOAT: Elem = Elem::Scalar(Scalar::F32);

/// An array without data that stands for a type.
pub fn annotation(py: Python<'_>, dtype: Object<'_, '_>, ndim: usize) -> PyResult<Array> {
    let Some(dtype) = dtype else {
        return Err(PyTypeError::new_err(
            "array: data, shape or dtype is needed; without data, wp.array(dtype=...) annotates a kernel parameter",
        ));
    };
    let elem = dtype::require_elem(dtype)?;
    let layout = Layout::contiguous(&vec![0; ndim], elem.size()).map_err(refuse(py, "array"))?;
    let view = View::new(std::ptr::null_mut(), layout, elem, Device::Cpu, false);
    Ok(Array::annotation(Core {
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
    if unaligned % elem.scalar().size() as i64 != 0 {
        return Err(PyValueError::new_err(format!(
            "array: ptr and strides must be multiples of the {} bytes of a {}",
            elem.scalar().size(),
            elem.scalar()
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
    if core.view.elem.scalar().is_float() {
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
    // SAFETY: the owner keeps the memory; Python's lock keeps others from writing meanwhile.
    let core = unsafe { Core::copy_of(this.view()) }.map_err(refuse(py, "clone"))?;
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

fn finish(py: Python<'_>, core: Core, requires_grad: bool, place: &str) -> PyResult<Array> {
    let gradient = requires_grad
        .then(|| zero_gradient(py, &core, place))
        .transpose()?;
    Ok(Array::with_gradient(core, gradient))
}

fn blank(
    py: Python<'_>,
    place: &str,
    shape_of: Object<'_, '_>,
    dtype: Object<'_, '_>,
    device: Object<'_, '_>,
    make: fn(Elem, &[i64], Device) -> warp_core::error::Result<Core>,
) -> PyResult<Core> {
    let Some(of) = shape_of else {
        return Err(PyTypeError::new_err(format!("{place}: shape is missing")));
    };
    let elem = dtype.map_or(Ok(FLOAT), dtype::require_elem)?;
    make(elem, &shape(of)?, device::resolve(device)?).map_err(refuse(py, place))
}

/// An array of zeros.
///
/// Args:
///     shape: Dimensions: an int or a tuple of up to 4 ints.
///     dtype: What each element is; float32 by default.
///     device: Where; the current device by default.
///     requires_grad: Whether the array has a gradient.
#[pyfunction]
#[pyo3(signature = (shape=None, dtype=None, device=None, requires_grad=false, pinned=false))]
pub fn zeros(
    py: Python<'_>,
    shape: Option<&Bound<'_, PyAny>>,
    dtype: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
    requires_grad: bool,
    pinned: bool,
) -> PyResult<Array> {
    let _ = pinned;
    let core = blank(py, "zeros", shape, dtype, device, Core::zeros)?;
    finish(py, core, requires_grad, "zeros")
}

/// An array whose content is arbitrary. The arguments are those of `wp.zeros`.
#[pyfunction]
#[pyo3(signature = (shape=None, dtype=None, device=None, requires_grad=false, pinned=false))]
pub fn empty(
    py: Python<'_>,
    shape: Option<&Bound<'_, PyAny>>,
    dtype: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
    requires_grad: bool,
    pinned: bool,
) -> PyResult<Array> {
    let _ = pinned;
    let core = blank(py, "empty", shape, dtype, device, Core::empty)?;
    finish(py, core, requires_grad, "empty")
}

/// An array of ones. The arguments are those of `wp.zeros`.
#[pyfunction]
#[pyo3(signature = (shape=None, dtype=None, device=None, requires_grad=false, pinned=false))]
pub fn ones(
    py: Python<'_>,
    shape: Option<&Bound<'_, PyAny>>,
    dtype: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
    requires_grad: bool,
    pinned: bool,
) -> PyResult<Array> {
    let _ = pinned;
    let core = blank(py, "ones", shape, dtype, device, Core::empty)?;
    fill(&core, 1i32.into_pyobject(py)?.as_any())?;
    finish(py, core, requires_grad, "ones")
}

/// An array filled with a value.
///
/// Args:
///     shape: Dimensions: an int or a tuple of up to 4 ints.
///     value: A number, or one element; 0 by default.
///     dtype: What each element is; by default that of `value`: int32, float32, bool, or its own type.
///     device: Where; the current device by default.
///     requires_grad: Whether the array has a gradient.
#[pyfunction]
#[pyo3(signature = (shape=None, value=None, dtype=None, device=None, requires_grad=false, pinned=false))]
pub fn full(
    py: Python<'_>,
    shape: Option<&Bound<'_, PyAny>>,
    value: Option<&Bound<'_, PyAny>>,
    dtype: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
    requires_grad: bool,
    pinned: bool,
) -> PyResult<Array> {
    let _ = pinned;
    let zero = 0i32.into_pyobject(py)?.into_any();
    let value = value.unwrap_or(&zero);
    let class = value.get_type().into_any();
    let dtype = dtype.or_else(|| dtype::elem_of(&class).map(|_| &class));
    let core = blank(py, "full", shape, dtype, device, Core::empty)?;
    fill(&core, value)?;
    finish(py, core, requires_grad, "full")
}

fn fill(core: &Core, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let mut bytes = SmallVec::new();
    dtype::element_bytes(value, core.view.elem, true, &mut bytes)?;
    // SAFETY: new memory that nobody else has.
    unsafe { elements::fill(&core.view, &bytes) };
    Ok(())
}

/// What `..._like` takes from its source.
fn like(
    src: &Bound<'_, PyAny>,
    place: &str,
    device: Object<'_, '_>,
    requires_grad: Option<bool>,
    make: fn(Elem, &[i64], Device) -> warp_core::error::Result<Core>,
) -> PyResult<(Core, bool)> {
    let py = src.py();
    device::resolve(device)?;
    let (view, grad) = match src.cast::<Array>() {
        Ok(a) => (*a.get().view(), a.get().gradient(py).is_some()),
        Err(_) => (convert::shared(src, None)?.view, false),
    };
    let core = make(view.elem, &dims(&view), view.device).map_err(refuse(py, place))?;
    Ok((core, requires_grad.unwrap_or(grad)))
}

/// An array of zeros with the shape, dtype and `requires_grad` of another.
#[pyfunction]
#[pyo3(signature = (src, device=None, requires_grad=None, pinned=None))]
pub fn zeros_like(
    src: &Bound<'_, PyAny>,
    device: Option<&Bound<'_, PyAny>>,
    requires_grad: Option<bool>,
    pinned: Option<bool>,
) -> PyResult<Array> {
    let _ = pinned;
    let (core, grad) = like(src, "zeros_like", device, requires_grad, Core::zeros)?;
    finish(src.py(), core, grad, "zeros_like")
}

/// An array of arbitrary content with the shape, dtype and `requires_grad` of another.
#[pyfunction]
#[pyo3(signature = (src, device=None, requires_grad=None, pinned=None))]
pub fn empty_like(
    src: &Bound<'_, PyAny>,
    device: Option<&Bound<'_, PyAny>>,
    requires_grad: Option<bool>,
    pinned: Option<bool>,
) -> PyResult<Array> {
    let _ = pinned;
    let (core, grad) = like(src, "empty_like", device, requires_grad, Core::empty)?;
    finish(src.py(), core, grad, "empty_like")
}

/// An array of ones with the shape, dtype and `requires_grad` of another.
#[pyfunction]
#[pyo3(signature = (src, device=None, requires_grad=None, pinned=None))]
pub fn ones_like(
    src: &Bound<'_, PyAny>,
    device: Option<&Bound<'_, PyAny>>,
    requires_grad: Option<bool>,
    pinned: Option<bool>,
) -> PyResult<Array> {
    let _ = pinned;
    let (core, grad) = like(src, "ones_like", device, requires_grad, Core::empty)?;
    fill(&core, 1i32.into_pyobject(src.py())?.as_any())?;
    finish(src.py(), core, grad, "ones_like")
}

/// An array filled with a value, with the shape, dtype and `requires_grad` of another.
#[pyfunction]
#[pyo3(signature = (src, value, device=None, requires_grad=None, pinned=None))]
pub fn full_like(
    src: &Bound<'_, PyAny>,
    value: &Bound<'_, PyAny>,
    device: Option<&Bound<'_, PyAny>>,
    requires_grad: Option<bool>,
    pinned: Option<bool>,
) -> PyResult<Array> {
    let _ = pinned;
    let (core, grad) = like(src, "full_like", device, requires_grad, Core::empty)?;
    fill(&core, value)?;
    finish(src.py(), core, grad, "full_like")
}

/// A copy of an array with memory of its own; a gradient starts at zero.
#[pyfunction]
#[pyo3(name = "clone", signature = (src, device=None, requires_grad=None, pinned=None))]
pub fn clone_array<'py>(
    src: &Bound<'py, Array>,
    device: Option<&Bound<'_, PyAny>>,
    requires_grad: Option<bool>,
    pinned: Option<bool>,
) -> PyResult<Bound<'py, Array>> {
    let _ = pinned;
    device::resolve(device)?;
    clone(src, requires_grad)
}
