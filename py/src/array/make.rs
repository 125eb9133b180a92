//! `wp.array(...)`: from data, from a pointer, of zeros, or as an annotation.

use super::gradient::{checked_gradient, set_retain, zero_gradient};
use crate::dtype;
use crate::exchange::data;
use crate::object::error::{Code, error, refuse};
use crate::object::message::{absent, name_of, type_error, warn};
use crate::object::package::PACKAGE;
use crate::object::shape::shape;
use crate::object::{Array, trace_state};
use crate::runtime::device;
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use warp_core::array::{Array as Core, Layout, Owner, Placement, View};
use warp_core::command::Start;
use warp_core::device::Device;
use warp_core::device::cuda::is_pinned;
use warp_core::dtype::Scalar;
use warp_core::ty::{Elem, MAX_NDIM, Pattern};
use warp_dlpack::{Lenient, passes, raise_noted};

pub type Object<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// The arguments of `wp.array`; none by default, and nothing is copied.
#[derive(Default)]
pub struct Request<'a, 'py> {
    pub data: Object<'a, 'py>,
    pub dtype: Object<'a, 'py>,
    pub shape: Object<'a, 'py>,
    pub strides: Object<'a, 'py>,
    pub ptr: Option<usize>,
    pub capacity: Option<usize>,
    pub device: Object<'a, 'py>,
    pub pinned: bool,
    pub copy: bool,
    pub deleter: Object<'a, 'py>,
    pub ndim: Option<usize>,
    pub grad: Object<'a, 'py>,
    pub requires_grad: bool,
    pub retain_grad: bool,
}

/// `wp.array(...)`.
///
/// # Errors
/// The arguments do not describe an array.
pub fn array(py: Python<'_>, r: &Request<'_, '_>) -> PyResult<Array> {
    let bare = r.data.is_none() && r.ptr.is_none() && r.dtype.is_none() && r.ndim.is_none();
    if let (None, None, None, false) = (r.data, r.ptr, r.shape, bare) {
        return annotation(py, r.dtype, r.ndim.unwrap_or(1));
    }
    if let Some(data) = r.data
        && data.is_instance_of::<PyType>()
    {
        let name = name_of(data);
        let text = format!(
            "array: data is the class {name}; an annotation is wp.array[{name}] or wp.array(dtype={name}), and wp.zeros(n, \
             dtype={name}) makes an array"
        );
        return Err(error(Code::Type, text));
    }
    let at = Placement::from(device::resolve(r.device)?).pinned(r.pinned);
    let elem = r.dtype.map(dtype::require_elem).transpose()?;
    let want = r.shape.map(shape).transpose()?;
    let core = match (r.data, r.ptr) {
        (Some(_), Some(_)) => {
            return Err(error(Code::Type, "array: data and ptr exclude each other"));
        }
        (Some(data), None) => from_data(r, data, elem, want.as_deref(), at)?,
        (None, Some(ptr)) => from_pointer(py, r, ptr, elem, want.as_deref(), at.device)?,
        (None, None) => {
            // `wp.array()` has no elements.
            let want = want.as_deref().unwrap_or(&[0]);
            Core::zeros(elem.unwrap_or(FLOAT), want, at).map_err(refuse(py, "array"))?
        }
    };
    if let Some(n) = r.ndim.filter(|n| *n != usize::from(core.view.ndim)) {
        let text = format!(
            "array: data has {} dimensions, which counts; ndim says {n}",
            core.view.ndim
        );
        warn::<PyUserWarning>(py, &text)?;
    }
    if r.ptr.is_none() && (r.copy || r.data.is_none()) {
        let holds = match r.data {
            None => Start::Zeros,
            Some(_) => Start::Content,
        };
        trace_state::note_array(&core, holds);
    }
    let gradient = match r.grad {
        Some(g) => Some(checked_gradient(py, &core, g, "array")?),
        None if r.requires_grad => Some(zero_gradient(py, &core, at, "array")?),
        None => None,
    };
    let made = Array::with_gradient(core, gradient);
    if r.retain_grad {
        set_retain(&made, true, "array")?;
    }
    Ok(made)
}

/// Whether GPUs copy from and to an array of the host by themselves.
pub fn view_is_pinned(view: &View) -> bool {
    view.device == Device::Cpu && is_pinned(view.arg.data as usize)
}

pub const FLOAT: Elem = Elem::Scalar(Scalar::F32);

/// An array without data that stands for a type.
///
/// # Errors
/// There is no dtype, or there are too many dimensions.
pub fn annotation(py: Python<'_>, dtype: Object<'_, '_>, ndim: usize) -> PyResult<Array> {
    let Some(dtype) = dtype else {
        return Err(error(
            Code::Type,
            "array: data, shape or dtype is needed; without data, wp.array(dtype=...) annotates a kernel parameter",
        ));
    };
    if absent(dtype).is_some() {
        // What it stands for is an id; who makes one is told that there are none.
        let id = Elem::Scalar(Scalar::U64);
        return Array::annotation(id, ndim).map_err(refuse(py, "array"));
    }
    let made = match dtype::open_elem(dtype) {
        Some(_) if !(1..=MAX_NDIM).contains(&ndim) => {
            let text = format!("array: an array has 1 to {MAX_NDIM} dimensions, not {ndim}");
            return Err(error(Code::Value, text));
        }
        Some(of) => Array::pattern(Pattern::array(of, ndim as u8), ndim),
        None => Array::annotation(dtype::require_elem(dtype)?, ndim),
    };
    made.map_err(refuse(py, "array"))
}

/// What stands between the brackets of `wp.array[...]`: the dtype and the number of dimensions, which may be a `Literal`.
///
/// # Errors
/// It is something else.
pub fn subscript<'py>(key: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, usize)> {
    let Ok(pair) = key.cast::<PyTuple>() else {
        return Ok((key.clone(), 1));
    };
    let wrong = || {
        let text = "array[...]: expected a dtype, or a dtype and a number of dimensions, as in wp.array[float, Literal[2]]";
        error(Code::Type, text)
    };
    let (dtype, ndim): (Bound<'_, PyAny>, Bound<'_, PyAny>) =
        pair.extract().map_err(|_| wrong())?;
    let ndim = match ndim.getattr("__args__").lenient()? {
        Some(args) => args.get_item(0)?,
        None => ndim,
    };
    Ok((dtype, ndim.extract().map_err(|_| wrong())?))
}

/// The callable that was given as deleter of memory.
///
/// # Errors
/// What Python raises.
pub fn deleter_of<'py>(py: Python<'py>, owner: &Owner) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(object) = warp_dlpack::referent(owner) else {
        return Ok(None);
    };
    let object = object.bind(py);
    match object.is_instance(&PACKAGE.deleter.get(py)?)? {
        true => object.getattr("call").map(Some),
        false => Ok(None),
    }
}

/// An array on memory that the caller keeps alive.
///
/// Args:
///     ptr: Address of the first element.
///     length: Number of elements.
///     dtype: What each element is.
///     shape: Dimensions; `length` by default.
///     device: Where the memory is; the current device by default.
///
/// Raises:
///     TypeError, ValueError: `dtype` is missing, the shape has another number of elements, or the address is null.
#[pyfunction]
#[pyo3(signature = (ptr, length, dtype=None, shape=None, device=None))]
fn from_ptr(
    py: Python<'_>,
    ptr: usize,
    length: usize,
    dtype: Object<'_, '_>,
    shape: Object<'_, '_>,
    device: Object<'_, '_>,
) -> PyResult<Array> {
    if dtype.is_none() {
        return Err(error(Code::Type, "from_ptr: dtype is missing"));
    }
    let flat = length.into_pyobject(py)?.into_any();
    let made = array(
        py,
        &Request {
            dtype,
            shape: shape.or(Some(&flat)),
            ptr: Some(ptr),
            device,
            ..Request::default()
        },
    )?;
    let count = made.view().layout().len();
    if count != length {
        let text = format!("from_ptr: the shape has {count} elements, length is {length}");
        return Err(error(Code::Value, text));
    }
    Ok(made)
}

/// The annotation `wp.array2d(dtype=...)` and its like.
#[pyfunction]
#[pyo3(name = "_annotation")]
pub fn annotation_of(py: Python<'_>, dtype: &Bound<'_, PyAny>, ndim: usize) -> PyResult<Array> {
    annotation(py, Some(dtype), ndim)
}

fn from_data(
    r: &Request<'_, '_>,
    data: &Bound<'_, PyAny>,
    elem: Option<Elem>,
    shape: Option<&[i64]>,
    at: Placement,
) -> PyResult<Core> {
    let py = data.py();
    let content = |elem: Option<Elem>| match r.copy {
        true => data::copied(data, elem, at),
        false => data::shared_or_copied(data, elem, at),
    };
    let mut core = match (content(elem), elem, shape) {
        (Err(refusal), Some(elem), Some(shape)) if !passes(&refusal) => {
            let numbers = content(Some(Elem::Scalar(elem.scalar()))).lenient()?;
            let core = data::of_numbers(py, numbers.ok_or(refusal)?, elem, shape)?;
            raise_noted()?;
            core
        }
        (found, ..) => found?,
    };
    if r.device.is_some() && core.view.device != at.device {
        return Err(error(
            Code::Value,
            format!(
                "array: the data is on the device \"{}\" and cannot be shared on \"{}\"; use copy=True",
                core.view.device, at.device
            ),
        ));
    }
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
        return Err(error(Code::Type, "array: ptr needs dtype and shape too"));
    };
    let raise = refuse(py, "array");
    let layout = match r.strides {
        None => Layout::contiguous(want, elem.size()).map_err(&raise)?,
        Some(s) => Layout::strided(want, &shape(s)?).map_err(&raise)?,
    };
    let span = layout.byte_range(elem.size());
    if ptr == 0 && !layout.is_empty() {
        return Err(error(
            Code::Value,
            "array: ptr is null, but the array has elements",
        ));
    }
    let unaligned = ptr as i64 | layout.strides.iter().fold(0, |a, s| a | s);
    if unaligned % elem.align() as i64 != 0 {
        return Err(error(
            Code::Value,
            format!(
                "array: ptr and strides must be multiples of the {} bytes of a {}",
                elem.align(),
                match elem {
                    Elem::Struct(s) => s.to_string(),
                    other => other.scalar().to_string(),
                }
            ),
        ));
    }
    if let Some(capacity) = r.capacity
        && (span.start < 0 || span.end > capacity as i64)
    {
        return Err(error(
            Code::Value,
            format!(
                "array: the elements span bytes {} to {} of memory with a capacity of {capacity}",
                span.start, span.end
            ),
        ));
    }
    let owner = match r.deleter {
        None => Owner::Nobody,
        Some(f) if f.is_callable() => {
            let capacity = r.capacity.unwrap_or(span.end as usize);
            warp_dlpack::reference(PACKAGE.deleter.call(py, (f, ptr, capacity))?)
        }
        Some(f) => return Err(type_error("a callable as deleter", f)),
    };
    let view = View::new(ptr as *mut u8, layout, elem, device, false);
    Ok(Core { view, owner })
}

/// Adds the function to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(from_ptr, m)?)?;
    m.add_function(wrap_pyfunction!(annotation_of, m)?)
}
