//! Arrays filled with a value: zeros, ones and their like.

use super::assign::{clone, copy_goes};
use super::gradient::{set_retain, zero_gradient};
use super::make::{FLOAT, Object, view_is_pinned};
use crate::dtype;
use crate::exchange::data;
use crate::object::error::{Code, error, refuse};
use crate::object::nested_arrays::hold;
use crate::object::shape::{dims, shape};
use crate::object::{Array, trace_state};
use crate::runtime::device;
use pyo3::prelude::*;
use smallvec::SmallVec;
use warp_core::array::{Array as Core, Layout, Placement, View, copy as elements};
use warp_core::command::Start;
use warp_core::dtype::Scalar;
use warp_core::error::{Error, Result as CoreResult};
use warp_core::ty::Elem;

fn finish<'py>(py: Python<'py>, new: New, place: &str) -> PyResult<Bound<'py, Array>> {
    let core = new.core;
    let holds = match place {
        "zeros" | "zeros_like" => Start::Zeros,
        "empty" | "empty_like" => Start::Any,
        _ => Start::Content,
    };
    trace_state::note_array(&core, holds);
    let gradient = (new.requires_grad)
        .then(|| zero_gradient(py, &core, new.at, place))
        .transpose()?;
    let made = Array::with_gradient(core, gradient).object(py)?;
    if new.retain_grad {
        set_retain(made.get(), true, place)?;
    }
    Ok(made)
}

/// What says which shape an array has: `shape`, `n`, `strides` and `ndim`.
type Shaped<'a, 'py> = (
    Object<'a, 'py>,
    Object<'a, 'py>,
    Object<'a, 'py>,
    Option<usize>,
);

/// Makes an array of a type and a shape.
type Make = fn(Elem, &[i64], Placement) -> CoreResult<Core>;

/// A new array, where it was placed, and whether it is to have a gradient.
struct New {
    core: Core,
    at: Placement,
    requires_grad: bool,
    retain_grad: bool,
}

fn blank(
    py: Python<'_>,
    place: &str,
    (shape_of, n, strides, ndim): Shaped<'_, '_>,
    dtype: Object<'_, '_>,
    (device, pinned): (Object<'_, '_>, bool),
    (requires_grad, retain_grad): (bool, bool),
    make: Make,
) -> PyResult<New> {
    let dims = match (shape_of, n) {
        (Some(_), Some(_)) => {
            let text = format!("{place}: n is another name of shape; pass one of them");
            return Err(error(Code::Type, text));
        }
        (Some(of), None) | (None, Some(of)) => shape(of)?,
        (None, None) => SmallVec::from_slice(&[0]),
    };
    if let Some(ndim) = ndim
        && ndim != dims.len()
    {
        let text =
            format!("{place}: ndim is {ndim}, the shape {dims:?} has another number of dimensions");
        return Err(error(Code::Value, text));
    }
    let elem = dtype.map_or(Ok(FLOAT), dtype::require_elem)?;
    let at = Placement::from(device::resolve(device)?).pinned(pinned);
    let made = match strides {
        None => make(elem, &dims, at),
        Some(strides) => Layout::strided(&dims, &shape(strides)?)
            .and_then(|layout| with_gaps(elem, layout, at, make)),
    };
    Ok(New {
        core: made.map_err(refuse(py, place))?,
        at,
        requires_grad,
        retain_grad,
    })
}

/// An array whose elements lie as `layout` says, in memory that ends with the last of them.
fn with_gaps(elem: Elem, layout: Layout, at: Placement, make: Make) -> CoreResult<Core> {
    let (bytes, align) = (layout.byte_range(elem.size()), elem.align() as i64);
    if bytes.start < 0 || layout.strides().iter().any(|s| s % align != 0) {
        let strides = layout.strides();
        let text = format!("strides {strides:?} are multiples of {align} bytes, and not negative");
        return Err(Error::new(Code::Value, text));
    }
    let memory = make(Elem::Scalar(Scalar::U8), &[bytes.end], at)?;
    let view = View::new(memory.view.arg.data, layout, elem, at.device, false);
    Ok(Core { view, ..memory })
}

/// An array of arbitrary content on the current device.
///
/// # Errors
/// There is no memory, or no gradient of such elements.
pub fn uninitialised<'py>(
    py: Python<'py>,
    elem: Elem,
    dims: &[i64],
    requires_grad: bool,
) -> PyResult<Bound<'py, Array>> {
    let at = Placement::from(device::current());
    let core = Core::empty(elem, dims, at).map_err(refuse(py, "empty"))?;
    let new = New {
        core,
        at,
        requires_grad,
        retain_grad: false,
    };
    finish(py, new, "empty")
}

/// An array of zeros.
///
/// Args:
///     shape: Dimensions: an int or a tuple of up to 4 ints; no elements by default.
///     dtype: What each element is; float32 by default.
///     device: Where; the current device by default.
///     requires_grad: Whether the array has a gradient.
///     pinned: Whether memory of the host is pinned, so that GPUs copy from and to it while the program goes on.
///     retain_grad: Accepted for compatibility, where there is a gradient.
///     strides: Bytes per dimension, none negative; those of elements side by side by default.
///     n: Another name of `shape`.
///     ndim: Number of dimensions, to check the shape.
///
/// Raises:
///     TypeError, ValueError: The shape, dtype, value or device is none; the message says which.
///     MemoryError: There is no memory.
#[pyfunction]
#[pyo3(signature = (shape=None, dtype=None, device=None, requires_grad=false, pinned=false,
    retain_grad=false, *, strides=None, n=None, ndim=None))]
#[allow(clippy::too_many_arguments, reason = "the documented signature")]
pub fn zeros<'py>(
    py: Python<'py>,
    shape: Option<&Bound<'_, PyAny>>,
    dtype: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
    requires_grad: bool,
    pinned: bool,
    retain_grad: bool,
    strides: Option<&Bound<'_, PyAny>>,
    n: Option<&Bound<'_, PyAny>>,
    ndim: Option<usize>,
) -> PyResult<Bound<'py, Array>> {
    let new = blank(
        py,
        "zeros",
        (shape, n, strides, ndim),
        dtype,
        (device, pinned),
        (requires_grad, retain_grad),
        Core::zeros,
    )?;
    finish(py, new, "zeros")
}

/// An array whose content is arbitrary. The arguments are those of `wp.zeros`.
///
/// Raises:
///     TypeError, ValueError, MemoryError: As `wp.zeros`.
#[pyfunction]
#[pyo3(signature = (shape=None, dtype=None, device=None, requires_grad=false, pinned=false,
    retain_grad=false, *, strides=None, n=None, ndim=None))]
#[allow(clippy::too_many_arguments, reason = "the documented signature")]
pub fn empty<'py>(
    py: Python<'py>,
    shape: Option<&Bound<'_, PyAny>>,
    dtype: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
    requires_grad: bool,
    pinned: bool,
    retain_grad: bool,
    strides: Option<&Bound<'_, PyAny>>,
    n: Option<&Bound<'_, PyAny>>,
    ndim: Option<usize>,
) -> PyResult<Bound<'py, Array>> {
    let new = blank(
        py,
        "empty",
        (shape, n, strides, ndim),
        dtype,
        (device, pinned),
        (requires_grad, retain_grad),
        Core::empty,
    )?;
    finish(py, new, "empty")
}

/// An array of ones. The arguments are those of `wp.zeros`.
///
/// Raises:
///     TypeError, ValueError, MemoryError: As `wp.zeros`.
#[pyfunction]
#[pyo3(signature = (shape=None, dtype=None, device=None, requires_grad=false, pinned=false,
    retain_grad=false, *, strides=None, n=None, ndim=None))]
#[allow(clippy::too_many_arguments, reason = "the documented signature")]
pub fn ones<'py>(
    py: Python<'py>,
    shape: Option<&Bound<'_, PyAny>>,
    dtype: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
    requires_grad: bool,
    pinned: bool,
    retain_grad: bool,
    strides: Option<&Bound<'_, PyAny>>,
    n: Option<&Bound<'_, PyAny>>,
    ndim: Option<usize>,
) -> PyResult<Bound<'py, Array>> {
    let new = blank(
        py,
        "ones",
        (shape, n, strides, ndim),
        dtype,
        (device, pinned),
        (requires_grad, retain_grad),
        Core::empty,
    )?;
    fill(&new.core, 1i32.into_pyobject(py)?.as_any())?;
    finish(py, new, "ones")
}

/// An array filled with a value.
///
/// Args:
///     shape: Dimensions: an int or a tuple of up to 4 ints; no elements by default.
///     value: A number, or one element; 0 by default.
///     dtype: What each element is; by default that of `value`: int32, float32, bool, or its own type.
///     device: Where; the current device by default.
///     requires_grad: Whether the array has a gradient.
///     pinned: Whether memory of the host is pinned, so that GPUs copy from and to it while the program goes on.
///     retain_grad: Accepted for compatibility, where there is a gradient.
///     strides: Bytes per dimension, none negative; those of elements side by side by default.
///     n: Another name of `shape`.
///     ndim: Number of dimensions, to check the shape.
///
/// Raises:
///     TypeError, ValueError: The shape, dtype, value or device is none; the message says which.
///     MemoryError: There is no memory.
#[pyfunction]
#[pyo3(signature = (shape=None, value=None, dtype=None, device=None, requires_grad=false, pinned=false,
    retain_grad=false, *, strides=None, n=None, ndim=None))]
#[allow(clippy::too_many_arguments, reason = "the documented signature")]
pub fn full<'py>(
    py: Python<'py>,
    shape: Option<&Bound<'_, PyAny>>,
    value: Option<&Bound<'_, PyAny>>,
    dtype: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
    requires_grad: bool,
    pinned: bool,
    retain_grad: bool,
    strides: Option<&Bound<'_, PyAny>>,
    n: Option<&Bound<'_, PyAny>>,
    ndim: Option<usize>,
) -> PyResult<Bound<'py, Array>> {
    let zero = 0i32.into_pyobject(py)?.into_any();
    let value = value.unwrap_or(&zero);
    let class = value.get_type().into_any();
    let dtype = dtype.or_else(|| dtype::elem_of(&class).map(|_| &class));
    let new = blank(
        py,
        "full",
        (shape, n, strides, ndim),
        dtype,
        (device, pinned),
        (requires_grad, retain_grad),
        Core::empty,
    )?;
    fill(&new.core, value)?;
    finish(py, new, "full")
}

fn fill(core: &Core, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let mut bytes = SmallVec::new();
    dtype::element_bytes(value, core.view.elem, true, &mut bytes)?;
    // SAFETY: new memory that nobody else has.
    unsafe { elements::fill(&core.view, &bytes) }.map_err(refuse(value.py(), "full"))?;
    hold(
        &core.owner,
        &core.view,
        &dtype::held_by(value, core.view.elem),
    )
}

/// Whether a copy of an array, or one like it, is pinned: as the array is, unless the caller says so.
fn like_pinned(src: &Bound<'_, PyAny>, pinned: Option<bool>) -> bool {
    pinned.unwrap_or_else(|| {
        src.cast::<Array>()
            .is_ok_and(|a| view_is_pinned(a.get().view()))
    })
}

/// What `..._like` takes from its source.
fn like(
    src: &Bound<'_, PyAny>,
    place: &str,
    (device, pinned): (Object<'_, '_>, Option<bool>),
    (requires_grad, retain_grad): (Option<bool>, bool),
    make: Make,
) -> PyResult<New> {
    let py = src.py();
    let made = |elem, dims: &[i64], device, gradient: bool| {
        let at = Placement::from(device).pinned(like_pinned(src, pinned));
        Ok(New {
            core: make(elem, dims, at).map_err(refuse(py, place))?,
            at,
            requires_grad: requires_grad.unwrap_or(gradient),
            retain_grad,
        })
    };
    if dtype::indexed_of(src).is_some() {
        let elem = dtype::require_elem(&src.getattr("dtype")?)?;
        let own = src.getattr("device")?;
        let device = device::resolve(device.or(Some(&own)))?;
        return made(elem, &shape(&src.getattr("shape")?)?, device, false);
    }
    let (view, grad) = match src.cast::<Array>() {
        Ok(a) => (*a.get().view(), a.get().gradient(py).is_some()),
        Err(_) => (data::readable(src, None)?.view, false),
    };
    let device = match device {
        None => view.device,
        some => device::resolve(some)?,
    };
    made(view.elem, &dims(&view), device, grad)
}

/// An array of zeros with the shape, dtype and `requires_grad` of another.
///
/// Raises:
///     TypeError, ValueError: `src` is no array, or the value does not fit its dtype.
///     MemoryError: There is no memory.
#[pyfunction]
#[pyo3(signature = (src, device=None, requires_grad=None, pinned=None, retain_grad=false))]
pub fn zeros_like<'py>(
    src: &Bound<'py, PyAny>,
    device: Option<&Bound<'_, PyAny>>,
    requires_grad: Option<bool>,
    pinned: Option<bool>,
    retain_grad: bool,
) -> PyResult<Bound<'py, Array>> {
    let (place, on) = ("zeros_like", (device, pinned));
    let new = like(src, place, on, (requires_grad, retain_grad), Core::zeros)?;
    finish(src.py(), new, place)
}

/// An array of arbitrary content with the shape, dtype and `requires_grad` of another.
///
/// Raises:
///     TypeError, ValueError: `src` is no array, or the value does not fit its dtype.
///     MemoryError: There is no memory.
#[pyfunction]
#[pyo3(signature = (src, device=None, requires_grad=None, pinned=None, retain_grad=false))]
pub fn empty_like<'py>(
    src: &Bound<'py, PyAny>,
    device: Option<&Bound<'_, PyAny>>,
    requires_grad: Option<bool>,
    pinned: Option<bool>,
    retain_grad: bool,
) -> PyResult<Bound<'py, Array>> {
    let (place, on) = ("empty_like", (device, pinned));
    let new = like(src, place, on, (requires_grad, retain_grad), Core::empty)?;
    finish(src.py(), new, place)
}

/// An array of ones with the shape, dtype and `requires_grad` of another.
///
/// Raises:
///     TypeError, ValueError: `src` is no array, or the value does not fit its dtype.
///     MemoryError: There is no memory.
#[pyfunction]
#[pyo3(signature = (src, device=None, requires_grad=None, pinned=None, retain_grad=false))]
pub fn ones_like<'py>(
    src: &Bound<'py, PyAny>,
    device: Option<&Bound<'_, PyAny>>,
    requires_grad: Option<bool>,
    pinned: Option<bool>,
    retain_grad: bool,
) -> PyResult<Bound<'py, Array>> {
    let (place, on) = ("ones_like", (device, pinned));
    let new = like(src, place, on, (requires_grad, retain_grad), Core::empty)?;
    fill(&new.core, 1i32.into_pyobject(src.py())?.as_any())?;
    finish(src.py(), new, place)
}

/// An array filled with a value, with the shape, dtype and `requires_grad` of another.
///
/// Raises:
///     TypeError, ValueError: `src` is no array, or the value does not fit its dtype.
///     MemoryError: There is no memory.
#[pyfunction]
#[pyo3(signature = (src, value, device=None, requires_grad=None, pinned=None, retain_grad=false))]
pub fn full_like<'py>(
    src: &Bound<'py, PyAny>,
    value: &Bound<'_, PyAny>,
    device: Option<&Bound<'_, PyAny>>,
    requires_grad: Option<bool>,
    pinned: Option<bool>,
    retain_grad: bool,
) -> PyResult<Bound<'py, Array>> {
    let (place, on) = ("full_like", (device, pinned));
    let new = like(src, place, on, (requires_grad, retain_grad), Core::empty)?;
    fill(&new.core, value)?;
    finish(src.py(), new, place)
}

/// A copy of an array with memory of its own; a gradient starts at zero.
///
/// Raises:
///     TypeError, ValueError: `src` is no array, or the value does not fit its dtype.
///     MemoryError: There is no memory.
#[pyfunction]
#[pyo3(name = "clone", signature = (src, device=None, requires_grad=None, pinned=None, retain_grad=false))]
pub fn clone_array<'py>(
    src: &Bound<'py, PyAny>,
    device: Option<&Bound<'_, PyAny>>,
    requires_grad: Option<bool>,
    pinned: Option<bool>,
    retain_grad: bool,
) -> PyResult<Bound<'py, Array>> {
    let copy = match dtype::indexed_of(src) {
        None => {
            let array = src.cast::<Array>()?;
            let at = copy_goes(array.get(), device)?.pinned(like_pinned(src, pinned));
            clone(array, at, requires_grad)?
        }
        // The elements are copied once already.
        Some(_) => {
            let whole = src.call_method0("contiguous")?.cast_into::<Array>()?;
            if let Some(requires) = requires_grad
                && requires != whole.get().has_gradient()
            {
                whole.setattr("requires_grad", requires)?;
            }
            whole
        }
    };
    set_retain(copy.get(), retain_grad, "clone")?;
    Ok(copy)
}

/// Adds the functions to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(zeros, m)?)?;
    m.add_function(wrap_pyfunction!(empty, m)?)?;
    m.add_function(wrap_pyfunction!(ones, m)?)?;
    m.add_function(wrap_pyfunction!(full, m)?)?;
    m.add_function(wrap_pyfunction!(zeros_like, m)?)?;
    m.add_function(wrap_pyfunction!(empty_like, m)?)?;
    m.add_function(wrap_pyfunction!(ones_like, m)?)?;
    m.add_function(wrap_pyfunction!(full_like, m)?)?;
    m.add_function(wrap_pyfunction!(clone_array, m)?)
}
