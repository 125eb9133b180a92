//! `wp.from_paddle`, `wp.to_paddle` and the names of paddle's types and places.

use crate::array::{Array, Tensor, place};
use crate::descriptor::Descriptor;
use crate::door::{self, Door};
use crate::{convert, device, dtype};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyWeakrefReference};
use warp_core::array::{Array as Core, View};
use warp_core::interop::{Desc, import};
use warp_core::ty::Elem;
use warp_paddle::Paddle;

/// An array that shares a tensor's memory, and its gradient.
///
/// Args:
///     t: The tensor.
///     dtype: What each element is; that of the tensor by default. The last dimensions become the
///         components of a vector or matrix type.
///     requires_grad: Whether to share the tensor's gradient too, which is made if it is missing. By default
///         if the tensor has `stop_gradient=False`.
///     grad: The tensor or array to use as gradient.
///     return_ctype: Return a descriptor, which is cheaper, and good for nothing but launches.
///
/// Raises:
///     TypeError, ValueError: The tensor cannot be shared; the message says why.
#[pyfunction]
#[pyo3(signature = (t, dtype=None, requires_grad=None, grad=None, return_ctype=false))]
fn from_paddle<'py>(
    t: &Bound<'py, PyAny>,
    dtype: Option<&Bound<'py, PyAny>>,
    requires_grad: Option<bool>,
    grad: Option<&Bound<'py, PyAny>>,
    return_ctype: bool,
) -> PyResult<Bound<'py, PyAny>> {
    if !warp_paddle::is_tensor(t) {
        return Err(PyTypeError::new_err(format!(
            "from_paddle: t is {}, expected a paddle.Tensor",
            convert::found(t)
        )));
    }
    let elem = dtype.map(dtype::require_elem).transpose()?;
    converted(t, elem, requires_grad, grad, return_ctype)
}

static FROM_PADDLE: Door<5> = Door::new(["t", "dtype", "requires_grad", "grad", "return_ctype"]);

/// # Safety
/// Python calls it as the method it was registered as.
unsafe extern "C" fn raw_from_paddle(
    _module: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    count: isize,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: promised by the caller.
    unsafe {
        FROM_PADDLE.call(args, count, keywords, |py, slots| {
            let [Some(t), d, requires_grad, grad, return_ctype] = *slots else {
                return Ok(None);
            };
            let requires_grad = match door::given(requires_grad) {
                None => None,
                some => match door::flag(some, false) {
                    None => return Ok(None),
                    flag => flag,
                },
            };
            let Some(return_ctype) = door::flag(return_ctype, false) else {
                return Ok(None);
            };
            if !warp_paddle::is_exact(t) {
                return Ok(None);
            }
            let elem = door::given(d).map(dtype::require_elem).transpose()?;
            let grad = door::given(grad);
            // The commonest goes straight into the object: each function that an array passes through copies it.
            let plain = !return_ctype
                && grad.is_none()
                && !match requires_grad {
                    Some(wants) => wants,
                    None => warp_paddle::requires_grad(t)?,
                };
            if plain {
                let made = place::shared::<Paddle>(py, t, elem);
                let made = made.map_err(|e| named(e, "from_paddle", t))?;
                return Ok(Some(made.into_any()));
            }
            converted(t, elem, requires_grad, grad, return_ctype).map(Some)
        })
    }
}

fn converted<'py>(
    t: &Bound<'py, PyAny>,
    elem: Option<Elem>,
    requires_grad: Option<bool>,
    grad: Option<&Bound<'py, PyAny>>,
    return_ctype: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = t.py();
    if return_ctype {
        let descriptor = descriptor(t, elem, requires_grad, grad)?;
        return Ok(Bound::new(py, descriptor)?.into_any());
    }
    let array = array(t, elem, requires_grad, grad)?;
    Ok(Bound::new(py, array)?.into_any())
}

#[inline(always)]
fn core(t: &Bound<'_, PyAny>, elem: Option<Elem>) -> PyResult<Core> {
    import::<Paddle>(t.py(), t, elem).map_err(|e| named(e, "from_paddle", t))
}

#[cold]
fn named(e: PyErr, place: &str, t: &Bound<'_, PyAny>) -> PyErr {
    let py = t.py();
    let text = format!("{place}: {}: {}", convert::found(t), e.value(py));
    PyErr::from_type(e.get_type(py), text)
}

/// The gradient to share: its memory, and whether it is the tensor's own `grad`.
fn gradient(
    t: &Bound<'_, PyAny>,
    core: &Core,
    requires_grad: Option<bool>,
    grad: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<(Core, bool)>> {
    let py = t.py();
    if let Some(grad) = grad {
        let grad = crate::array_make::checked_gradient(py, core, grad, "from_paddle: grad")?;
        return Ok(Some((grad.get().core.clone(), false)));
    }
    let wants = match requires_grad {
        Some(wants) => wants,
        // Paddle lets any tensor have stop_gradient=False, those of integers too.
        None => core.view.elem.scalar().is_float() && warp_paddle::requires_grad(t)?,
    };
    if !wants {
        return Ok(None);
    }
    if !core.view.elem.scalar().is_float() {
        return Err(PyTypeError::new_err(format!(
            "from_paddle: requires_grad=True, but a tensor of {} has no gradient",
            core.view.elem.scalar()
        )));
    }
    let (own, attached) = match warp_paddle::grad(t)? {
        Some(own) => {
            warp_paddle::accumulate(t)?;
            (own, true)
        }
        None => (warp_paddle::zero_grad(t)?, warp_paddle::is_leaf(t)?),
    };
    let place = "from_paddle: the tensor's gradient";
    Ok(Some((gradient_core(&own, &core.view, place)?, attached)))
}

/// The memory of a tensor's gradient, which must have the form of the array that it belongs to.
fn gradient_core(own: &Bound<'_, PyAny>, array: &View, place: &str) -> PyResult<Core> {
    let shared =
        import::<Paddle>(own.py(), own, Some(array.elem)).map_err(|e| named(e, place, own))?;
    if shared.view.ndim != array.ndim || shared.view.arg.shape != array.arg.shape {
        return Err(PyValueError::new_err(format!(
            "{place} has shape {:?}, the array {:?}",
            shared.view.layout().shape(),
            array.layout().shape()
        )));
    }
    Ok(shared)
}

/// A tensor as an array.
#[inline]
pub fn array(
    t: &Bound<'_, PyAny>,
    elem: Option<Elem>,
    requires_grad: Option<bool>,
    grad: Option<&Bound<'_, PyAny>>,
) -> PyResult<Array> {
    let core = core(t, elem)?;
    Ok(match gradient(t, &core, requires_grad, grad)? {
        None => Array::new(core),
        Some((shared, own)) => Array::linked(core, shared, own.then(|| t.clone().unbind())),
    })
}

/// A tensor's memory as it is now.
#[inline]
pub fn view(t: &Bound<'_, PyAny>, elem: Option<Elem>) -> PyResult<View> {
    let mut desc = Desc::EMPTY;
    warp_paddle::describe(t, &mut desc).map_err(|e| named(e, "from_paddle", t))?;
    let view = desc.view(elem);
    view.map_err(|e| named(warp_dlpack::raise(t.py(), e), "from_paddle", t))
}

#[inline]
fn descriptor(
    t: &Bound<'_, PyAny>,
    elem: Option<Elem>,
    requires_grad: Option<bool>,
    grad: Option<&Bound<'_, PyAny>>,
) -> PyResult<Descriptor> {
    let elem = view(t, elem)?.elem;
    let descriptor = Descriptor::new(t, elem, requires_grad, grad);
    if grad.is_some() || requires_grad == Some(true) {
        // What is wrong with a gradient is said now.
        descriptor.array(t.py())?;
    }
    Ok(descriptor)
}

/// A tensor that shares an array's memory, and its gradient as the tensor's `grad`.
///
/// Args:
///     a: The array.
///     requires_grad: Whether the tensor gets `stop_gradient=False`; as the array by default.
///
/// Raises:
///     BufferError: The array cannot be shared: it is read-only or has negative strides.
#[pyfunction]
#[pyo3(signature = (a, requires_grad=None))]
fn to_paddle<'py>(
    a: &Bound<'py, PyAny>,
    requires_grad: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = a.py();
    let Ok(array) = a.cast::<Array>() else {
        return Err(PyTypeError::new_err(format!(
            "to_paddle: a is {}, expected a wp.array",
            convert::found(a)
        )));
    };
    let this = array.get();
    crate::record::door(this.view(), "to_paddle")?;
    let tensor = warp_paddle::wrap(py, &this.core)?;
    let gradient = this.gradient(py);
    if !requires_grad.unwrap_or(gradient.is_some()) {
        return Ok(tensor);
    }
    if !this.view().elem.scalar().is_float() {
        return Err(PyTypeError::new_err(format!(
            "to_paddle: requires_grad=True, but an array of {} has no gradient",
            this.view().elem
        )));
    }
    warp_paddle::set_requires_grad(&tensor)?;
    if let Some(own) = gradient {
        give(this, &own, &tensor)?;
        let weak = PyWeakrefReference::new(&tensor)?.into_any().unbind();
        let mut state = this.state();
        state.tensors.retain(|t| t.alive(py).is_some());
        state.tensors.push(Tensor {
            object: weak,
            weak: true,
        });
    }
    Ok(tensor)
}

static TO_PADDLE: Door<2> = Door::new(["a", "requires_grad"]);

/// # Safety
/// Python calls it as the method it was registered as.
unsafe extern "C" fn raw_to_paddle(
    _module: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    count: isize,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: promised by the caller.
    unsafe {
        TO_PADDLE.call(args, count, keywords, |_, slots| {
            let [Some(a), requires_grad] = *slots else {
                return Ok(None);
            };
            match door::given(requires_grad) {
                None => to_paddle(a, None).map(Some),
                some => match door::flag(some, false) {
                    None => Ok(None),
                    flag => to_paddle(a, flag).map(Some),
                },
            }
        })
    }
}

/// Makes an array's gradient that of a tensor which has none. Where the tensor's cannot use
/// the array's memory, the array takes the tensor's, with the same values.
fn give(this: &Array, own: &Bound<'_, Array>, tensor: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = own.py();
    let value = warp_paddle::wrap(py, &own.get().core)?;
    let theirs = warp_paddle::share_grad(tensor, &value)?;
    follow(this, own, &theirs)
}

/// Makes the memory of a tensor's gradient that of the array's.
fn follow(this: &Array, own: &Bound<'_, Array>, theirs: &Bound<'_, PyAny>) -> PyResult<()> {
    let found = gradient_core(theirs, own.get().view(), "the tensor's gradient")?;
    if found.view != *own.get().view() {
        this.set_gradient(Some(Py::new(own.py(), Array::new(found))?));
    }
    Ok(())
}

/// See [`convert::rebind_gradient`].
pub fn rebind(array: &Bound<'_, Array>, attach: bool) -> PyResult<()> {
    let (py, this) = (array.py(), array.get());
    let tensors: Vec<Bound<'_, PyAny>> = {
        let state = this.state();
        let alive = state.tensors.iter().filter_map(|t| t.alive(py));
        // Other frameworks see to their own.
        alive.filter(warp_paddle::is_tensor).collect()
    };
    let mut zeroed = false;
    for t in tensors {
        let Some(own) = this.gradient(py) else { break };
        match warp_paddle::grad(&t)? {
            Some(theirs) => {
                follow(this, &own, &theirs)?;
                warp_paddle::accumulate(&t)?;
            }
            None if attach && warp_paddle::is_leaf(&t)? => {
                if !std::mem::replace(&mut zeroed, true) {
                    own.call_method0(pyo3::intern!(py, "zero_"))?;
                }
                give(this, &own, &t)?;
            }
            // Paddle lets nobody give a result of operations a gradient.
            None => {}
        }
    }
    Ok(())
}

/// The Warp type of a paddle dtype.
///
/// Raises:
///     TypeError: There is none.
#[pyfunction]
fn dtype_from_paddle<'py>(paddle_dtype: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let scalar = warp_paddle::dtype_from(paddle_dtype)?;
    dtype::class_of(paddle_dtype.py(), Elem::Scalar(scalar))
}

/// The paddle dtype of a Warp scalar type; unsigned types of 16 bits and more become signed ones.
///
/// Raises:
///     TypeError: There is none.
#[pyfunction]
fn dtype_to_paddle<'py>(warp_dtype: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    match dtype::elem_of(warp_dtype) {
        Some(Elem::Scalar(s)) => warp_paddle::dtype_to(warp_dtype.py(), s),
        _ => Err(PyTypeError::new_err(format!(
            "dtype_to_paddle: expected a scalar type such as wp.float32, found {}",
            convert::found(warp_dtype)
        ))),
    }
}

/// The Warp device of a paddle place or of a device's name in paddle.
///
/// Raises:
///     RuntimeError: There is none.
#[pyfunction]
fn device_from_paddle<'py>(
    paddle_device: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, device::Device>> {
    let py = paddle_device.py();
    let class = paddle_device.get_type();
    let known = paddle_device.is_instance_of::<PyString>()
        || (class.module()?.to_string().starts_with("paddle")
            && class.name()?.to_string().ends_with("Place"));
    if !known {
        return Err(PyRuntimeError::new_err(format!(
            "device_from_paddle: expected a place of paddle's or a device's name, found {}",
            convert::found(paddle_device)
        )));
    }
    let text = paddle_device.str()?.to_string();
    let text = text.strip_prefix("Place(").unwrap_or(&text);
    let text = text.strip_suffix(")").unwrap_or(text);
    let name = match text {
        // Host memory that a GPU can reach.
        "gpu_pinned" => "cpu".to_string(),
        "gpu" => "cuda:0".to_string(),
        other => match other.strip_prefix("gpu:") {
            Some(ordinal) => format!("cuda:{ordinal}"),
            None => other.to_string(),
        },
    };
    device::by_name(py, &name, "device_from_paddle")
}

/// The name that paddle gives a Warp device; the current device for None.
///
/// Raises:
///     RuntimeError: paddle has no such device.
#[pyfunction]
#[pyo3(signature = (warp_device=None))]
fn device_to_paddle(py: Python<'_>, warp_device: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
    let device = device::resolve(warp_device)
        .map_err(|e| PyRuntimeError::new_err(format!("device_to_paddle: {}", e.value(py))))?;
    Ok(device.alias().replace("cuda", "gpu"))
}

/// Adds the functions to the module.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    let ordinary = wrap_pyfunction!(from_paddle, m)?;
    door::add(m, &FROM_PADDLE, ordinary.as_any(), raw_from_paddle)?;
    let ordinary = wrap_pyfunction!(to_paddle, m)?;
    door::add(m, &TO_PADDLE, ordinary.as_any(), raw_to_paddle)?;
    m.add_function(wrap_pyfunction!(dtype_from_paddle, m)?)?;
    m.add_function(wrap_pyfunction!(dtype_to_paddle, m)?)?;
    m.add_function(wrap_pyfunction!(device_from_paddle, m)?)?;
    m.add_function(wrap_pyfunction!(device_to_paddle, m)?)
}
