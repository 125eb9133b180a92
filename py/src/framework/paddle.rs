//! `wp.from_paddle`, `wp.to_paddle` and the names of paddle's types and places.

use super::functions::tensor_functions;
use super::tensor;
use crate::object::error::{Code, error};
use crate::object::message::describe;
use crate::runtime::device;
use pyo3::prelude::*;
use pyo3::types::PyString;
use warp_paddle::Paddle;

tensor_functions! {
    Paddle in warp_paddle, "paddle", "paddle.Tensor",
    from_paddle, to_paddle, dtype_from_paddle(paddle_dtype), dtype_to_paddle,
    by_default: "if the tensor has `stop_gradient=False`",
    becomes: "gets `stop_gradient=False`",
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
