//! `wp.from_torch`, `wp.to_torch` and the names of torch's types and devices.

use super::tensor::{self, FastCalls, Tensors};
use crate::dtype;
use crate::exchange::descriptor::Vtable;
use crate::object::error::{Code, error};
use crate::object::message::describe;
use crate::runtime::device;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::borrow::Cow;
use warp_core::ty::Elem;
use warp_torch::Torch;

impl Tensors for Torch {
    const FROM: &'static str = "from_torch";
    const TO: &'static str = "to_torch";
    const TENSOR: &'static str = "torch.Tensor";
    #[inline(always)]
    fn fast_calls() -> &'static FastCalls {
        static CALLS: FastCalls = FastCalls::new();
        &CALLS
    }
    fn descriptors() -> &'static Vtable {
        static VTABLE: Vtable = Vtable {
            view: tensor::view::<Torch>,
            array: tensor::array::<Torch>,
        };
        &VTABLE
    }
    #[inline(always)]
    fn is_exact(object: &Bound<'_, PyAny>) -> bool {
        warp_torch::is_exact(object)
    }
    #[inline(always)]
    fn is_tensor(object: &Bound<'_, PyAny>) -> bool {
        warp_torch::is_tensor(object)
    }
}

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
    tensor::from::<Torch>(t, dtype, requires_grad, grad, return_ctype)
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
    tensor::to::<Torch>(a, requires_grad)
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
        _ => Err(error(
            Code::Type,
            format!(
                "dtype_to_torch: expected a scalar type such as wp.float32, found {}",
                describe(warp_dtype)
            ),
        )),
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
        return Err(error(
            Code::Runtime,
            format!(
                "device_from_torch: expected a torch.device or its name, found {}",
                describe(torch_device)
            ),
        ));
    }
    device::by_name(torch_device.py(), &name, "device_from_torch")
}

/// The name that torch gives a Warp device; the current device for None.
///
/// Raises:
///     RuntimeError: torch has no such device.
#[pyfunction]
#[pyo3(signature = (warp_device=None))]
fn device_to_torch(warp_device: Option<&Bound<'_, PyAny>>) -> PyResult<Cow<'static, str>> {
    device::resolve(warp_device)
        .map(warp_core::device::Device::alias)
        .map_err(|e| {
            Python::attach(|py| error(Code::Runtime, format!("device_to_torch: {}", e.value(py))))
        })
}

/// Adds the functions to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    let (from, to) = (
        wrap_pyfunction!(from_torch, m)?,
        wrap_pyfunction!(to_torch, m)?,
    );
    tensor::register::<Torch>(m, &from, &to)?;
    m.add_function(wrap_pyfunction!(dtype_from_torch, m)?)?;
    m.add_function(wrap_pyfunction!(dtype_to_torch, m)?)?;
    m.add_function(wrap_pyfunction!(device_from_torch, m)?)?;
    m.add_function(wrap_pyfunction!(device_to_torch, m)?)
}
