//! `wp.from_torch`, `wp.to_torch` and the names of torch's types and devices.

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
use warp_torch::Torch;

/// An array that shares a tensor's memory, and its gradient.
///
/// Args:
///     t: The tensor.
///     dtype: What each element is; that of the tensor by default. The last dimensions become the
///         components of a vector or matrix type.
///     requires_grad: Whether to share the tensor's gradient too, which is made if it is missing. As the
///         tensor's own by default.
///     grad: The tensor or array to use as gradient.
///     return_ctype: Return a descriptor, which is cheaper, and good for nothing but launches.
///
/// Raises:
///     TypeError, ValueError: The tensor cannot be shared; the message says why.
#[pyfunction]
#[pyo3(signature = (t, dtype=None, requires_grad=None, grad=None, return_ctype=false))]
fn from_torch<'py>(
    t: &Bound<'py, PyAny>,
    dtype: Option<&Bound<'py, PyAny>>,
    requires_grad: Option<bool>,
    grad: Option<&Bound<'py, PyAny>>,
    return_ctype: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = t.py();
    if !warp_torch::is_tensor(t) {
        return Err(PyTypeError::new_err(format!(
            "from_torch: t is {}, expected a torch.Tensor",
            convert::found(t)
        )));
    }
    let elem = match dtype {
        None => None,
        Some(d) => Some(dtype::require_elem(d)?),
    };
    if return_ctype {
        let descriptor = descriptor(t, elem, requires_grad, grad)?;
        return Ok(Bound::new(py, descriptor)?.into_any());
    }
    let array = array(t, elem, requires_grad, grad)?;
    Ok(Bound::new(py, array)?.into_any())
}

static FROM_TORCH: Door<5> = Door::new(["t", "dtype", "requires_grad", "grad", "return_ctype"]);

/// # Safety
/// Python calls it as the method it was registered as.
unsafe extern "C" fn raw_from_torch(
    _module: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    count: isize,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: promised by the caller.
    unsafe {
        FROM_TORCH.call(args, count, keywords, |py, slots| {
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
            if !warp_torch::is_exact(t) {
                return Ok(None);
            }
            let elem = door::given(d).map(dtype::require_elem).transpose()?;
            let grad = door::given(grad);
            if return_ctype {
                let made = descriptor(t, elem, requires_grad, grad)?;
                return Ok(Some(Bound::new(py, made)?.into_any()));
            }
            // The commonest goes straight into the object: each function that an array passes through copies it.
            let requires_grad = match (grad, requires_grad) {
                (None, None) => Some(warp_torch::requires_grad(t)?),
                _ => requires_grad,
            };
            let plain = grad.is_none() && requires_grad == Some(false);
            if plain {
                let made = place::shared::<Torch>(py, t, elem);
                let made = made.map_err(|e| named(e, "from_torch", t))?;
                return Ok(Some(made.into_any()));
            }
            let made = array(t, elem, requires_grad, grad)?;
            Ok(Some(Bound::new(py, made)?.into_any()))
        })
    }
}

#[inline(always)]
fn core(t: &Bound<'_, PyAny>, elem: Option<Elem>) -> PyResult<Core> {
    import::<Torch>(t.py(), t, elem).map_err(|e| named(e, "from_torch", t))
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
        let grad = crate::array_make::checked_gradient(py, core, grad, "from_torch: grad")?;
        return Ok(Some((grad.get().core.clone(), false)));
    }
    let wants = match requires_grad {
        Some(wants) => wants,
        None => warp_torch::requires_grad(t)?,
    };
    if !wants {
        return Ok(None);
    }
    if !core.view.elem.scalar().is_float() {
        return Err(PyTypeError::new_err(format!(
            "from_torch: requires_grad=True, but a tensor of {} has no gradient",
            core.view.elem.scalar()
        )));
    }
    let mut desc = Desc::EMPTY;
    let (shared, attached) = match warp_torch::grad_at_hand(t, &mut desc) {
        Some(owner) => {
            let view = desc.view(Some(core.view.elem)).map_err(|e| {
                named(
                    warp_dlpack::raise(py, e),
                    "from_torch: the tensor's gradient",
                    t,
                )
            })?;
            (Core { view, owner }, true)
        }
        None => {
            let (own, attached) = warp_torch::grad_or_zeros(t)?;
            let shared = import::<Torch>(py, &own, Some(core.view.elem))
                .map_err(|e| named(e, "from_torch: the tensor's gradient", &own))?;
            (shared, attached)
        }
    };
    if shared.view.ndim != core.view.ndim || shared.view.arg.shape != core.view.arg.shape {
        return Err(PyValueError::new_err(format!(
            "from_torch: the tensor's gradient has shape {:?}, the tensor {:?}",
            shared.view.layout().shape(),
            core.view.layout().shape()
        )));
    }
    Ok(Some((shared, attached)))
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
    warp_torch::describe(t, &mut desc).map_err(|e| named(e, "from_torch", t))?;
    let view = desc.view(elem);
    view.map_err(|e| named(warp_dlpack::raise(t.py(), e), "from_torch", t))
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
///     requires_grad: Whether the tensor requires a gradient; as the array by default.
///
/// Raises:
///     BufferError: The array cannot be shared: it is read-only or has negative strides.
#[pyfunction]
#[pyo3(signature = (a, requires_grad=None))]
fn to_torch<'py>(
    a: &Bound<'py, PyAny>,
    requires_grad: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = a.py();
    let Ok(array) = a.cast::<Array>() else {
        return Err(PyTypeError::new_err(format!(
            "to_torch: a is {}, expected a wp.array",
            convert::found(a)
        )));
    };
    let this = array.get();
    crate::record::door(this.view(), "to_torch")?;
    let tensor = warp_torch::wrap(py, &this.core)?;
    let gradient = this.gradient(py);
    if requires_grad.unwrap_or(gradient.is_some()) {
        warp_torch::set_requires_grad(&tensor)?;
        if let Some(g) = gradient {
            warp_torch::set_grad(&tensor, &warp_torch::wrap(py, &g.get().core)?)?;
            let weak = PyWeakrefReference::new(&tensor)?.into_any().unbind();
            let mut state = this.state();
            state.tensors.retain(|t| t.alive(py).is_some());
            state.tensors.push(Tensor {
                object: weak,
                weak: true,
            });
        }
    }
    Ok(tensor)
}

/// See [`convert::rebind_gradient`].
pub fn rebind(array: &Bound<'_, Array>, attach: bool) -> PyResult<()> {
    let (py, this) = (array.py(), array.get());
    let tensors: Vec<Bound<'_, PyAny>> = {
        let state = this.state();
        let alive = state.tensors.iter().filter_map(|t| t.alive(py));
        // Other frameworks see to their own.
        alive.filter(warp_torch::is_tensor).collect()
    };
    let mut zeroed = false;
    for t in tensors {
        let Some(own) = this.gradient(py) else { break };
        let view = own.get().view();
        match warp_torch::grad(&t)? {
            Some(g) => {
                let found = import::<Torch>(py, &g, Some(view.elem))
                    .map_err(|e| named(e, "the tensor's gradient", &g))?;
                if found.view.layout().shape() != view.layout().shape() {
                    return Err(PyValueError::new_err(format!(
                        "the tensor's gradient has shape {:?}, the array {:?}",
                        found.view.layout().shape(),
                        view.layout().shape()
                    )));
                }
                if found.view != *view {
                    this.set_gradient(Some(Py::new(py, Array::new(found))?));
                }
            }
            None if !attach => {}
            None => {
                if !std::mem::replace(&mut zeroed, true) {
                    own.call_method0(pyo3::intern!(py, "zero_"))?;
                }
                let mut shared = warp_torch::wrap(py, &own.get().core)?;
                // A tensor without dimensions is an array of one element here.
                if t.getattr("ndim")?.extract::<usize>()? == 0 {
                    shared = shared.call_method1("reshape_as", (&t,))?;
                }
                warp_torch::set_grad(&t, &shared)?;
            }
        }
    }
    Ok(())
}

/// The Warp type of a torch dtype.
///
/// Raises:
///     TypeError: There is none.
#[pyfunction]
fn dtype_from_torch<'py>(torch_dtype: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let scalar = warp_torch::dtype_from(torch_dtype)?;
    dtype::class_of(torch_dtype.py(), Elem::Scalar(scalar))
}

/// The torch dtype of a Warp scalar type; unsigned types of 16 bits and more become signed ones.
///
/// Raises:
///     TypeError: There is none.
#[pyfunction]
fn dtype_to_torch<'py>(warp_dtype: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    match dtype::elem_of(warp_dtype) {
        Some(Elem::Scalar(s)) => warp_torch::dtype_to(warp_dtype.py(), s),
        _ => Err(PyTypeError::new_err(format!(
            "dtype_to_torch: expected a scalar type such as wp.float32, found {}",
            convert::found(warp_dtype)
        ))),
    }
}

/// The Warp device of a torch device or of its name.
///
/// Raises:
///     RuntimeError: There is none.
#[pyfunction]
fn device_from_torch<'py>(
    torch_device: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, device::Device>> {
    let name = torch_device.str()?.to_string();
    let known = torch_device.is_instance_of::<PyString>()
        || torch_device.get_type().fully_qualified_name()? == "torch.device";
    if !known {
        return Err(PyRuntimeError::new_err(format!(
            "device_from_torch: expected a torch.device or its name, found {}",
            convert::found(torch_device)
        )));
    }
    device::by_name(torch_device.py(), &name, "device_from_torch")
}

/// The name that torch gives a Warp device; the current device for None.
///
/// Raises:
///     RuntimeError: torch has no such device.
#[pyfunction]
#[pyo3(signature = (warp_device=None))]
fn device_to_torch(warp_device: Option<&Bound<'_, PyAny>>) -> PyResult<&'static str> {
    device::resolve(warp_device)
        .map(warp_core::device::Device::alias)
        .map_err(|e| {
            Python::attach(|py| {
                PyRuntimeError::new_err(format!("device_to_torch: {}", e.value(py)))
            })
        })
}

/// Adds the functions to the module.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    let ordinary = wrap_pyfunction!(from_torch, m)?;
    door::add(m, &FROM_TORCH, ordinary.as_any(), raw_from_torch)?;
    m.add_function(wrap_pyfunction!(to_torch, m)?)?;
    m.add_function(wrap_pyfunction!(dtype_from_torch, m)?)?;
    m.add_function(wrap_pyfunction!(dtype_to_torch, m)?)?;
    m.add_function(wrap_pyfunction!(device_from_torch, m)?)?;
    m.add_function(wrap_pyfunction!(device_to_torch, m)?)
}
