//! `wp.from_paddle`, `wp.to_paddle` and the names of paddle's types and places.

use super::tensor::{self, FastCalls, Tensors};
use crate::dtype;
use crate::exchange::descriptor::Vtable;
use crate::object::error::{Code, error};
use crate::object::message::describe;
use crate::runtime::device;
use pyo3::prelude::*;
use pyo3::types::PyString;
use warp_core::ty::Elem;
use warp_paddle::Paddle;

impl Tensors for Paddle {
    const FROM: &'static str = "from_paddle";
    const TO: &'static str = "to_paddle";
    const TENSOR: &'static str = "paddle.Tensor";
    #[inline(always)]
    fn fast_calls() -> &'static FastCalls {
        static CALLS: FastCalls = FastCalls::new();
        &CALLS
    }
    fn descriptors() -> &'static Vtable {
        static VTABLE: Vtable = Vtable {
            view: tensor::view::<Paddle>,
            array: tensor::array::<Paddle>,
        };
        &VTABLE
    }
    #[inline(always)]
    fn is_exact(object: &Bound<'_, PyAny>) -> bool {
        warp_paddle::is_exact(object)
    }
    #[inline(always)]
    fn is_tensor(object: &Bound<'_, PyAny>) -> bool {
        warp_paddle::is_tensor(object)
    }
}

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
    tensor::from::<Paddle>(t, dtype, requires_grad, grad, return_ctype)
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
    tensor::to::<Paddle>(a, requires_grad)
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
        _ => Err(error(
            Code::Type,
            format!(
                "dtype_to_paddle: expected a scalar type such as wp.float32, found {}",
                describe(warp_dtype)
            ),
        )),
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
        return Err(error(
            Code::Runtime,
            format!(
                "device_from_paddle: expected a place of paddle's or a device's name, found {}",
                describe(paddle_device)
            ),
        ));
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
        .map_err(|e| error(Code::Runtime, format!("device_to_paddle: {}", e.value(py))))?;
    Ok(device.alias().replace("cuda", "gpu"))
}

/// Adds the functions to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    let (from, to) = (
        wrap_pyfunction!(from_paddle, m)?,
        wrap_pyfunction!(to_paddle, m)?,
    );
    tensor::register::<Paddle>(m, &from, &to)?;
    m.add_function(wrap_pyfunction!(dtype_from_paddle, m)?)?;
    m.add_function(wrap_pyfunction!(dtype_to_paddle, m)?)?;
    m.add_function(wrap_pyfunction!(device_from_paddle, m)?)?;
    m.add_function(wrap_pyfunction!(device_to_paddle, m)?)
}
