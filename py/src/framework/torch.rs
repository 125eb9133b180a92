//! `wp.from_torch`, `wp.to_torch` and the names of torch's types and devices.

use super::functions::tensor_functions;
use super::tensor;
use crate::object::error::{Code, error};
use crate::object::message::describe;
use crate::runtime::device;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::borrow::Cow;
use warp_torch::Torch;

tensor_functions! {
    Torch in warp_torch, "torch", "torch.Tensor",
    from_torch, to_torch, dtype_from_torch(torch_dtype), dtype_to_torch,
    by_default: "as the tensor itself has one",
    becomes: "requires a gradient",
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
    warp_torch::register(m.py())?;
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
