//! What the extension module asks of Paddle, beside how a tensor's memory lies.

use crate::dtype;
use crate::tensor::{Paddle, describe_plain, is_exact, is_tensor};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;
use warp_core::device::Device;
use warp_core::dtype::Scalar;
use warp_core::interop::Desc;
use warp_dlpack::{Adapter, Counter, TensorAdapter};

impl Adapter for Paddle {
    const MODULE: &'static str = "paddle";
    const CHANGES: Option<Counter> = Some(changes);

    #[inline(always)]
    fn is_exact(object: &Bound<'_, PyAny>) -> bool {
        is_exact(object)
    }
    #[inline(always)]
    fn is_tensor(object: &Bound<'_, PyAny>) -> bool {
        is_tensor(object)
    }
    #[inline(always)]
    fn describe_plain(object: &Bound<'_, PyAny>, out: &mut Desc) -> bool {
        describe_plain(object, out)
    }
}

/// How often paddle has changed a tensor in place.
fn changes(tensor: &Bound<'_, PyAny>) -> Option<u64> {
    let count = tensor.getattr(intern!(tensor.py(), "inplace_version"));
    count.ok()?.extract().ok()
}

impl TensorAdapter for Paddle {
    const TENSOR: &'static str = "paddle.Tensor";
    const DEVICE: &'static str = "a place of paddle's or a device's name";

    fn dtype_from(dtype: &Bound<'_, PyAny>) -> PyResult<Scalar> {
        dtype::dtype_from(dtype)
    }
    fn dtype_to(py: Python<'_>, scalar: Scalar) -> PyResult<Bound<'_, PyAny>> {
        dtype::dtype_to(py, scalar)
    }
    fn device_from(device: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
        let class = device.get_type();
        let known = device.is_instance_of::<PyString>()
            || (class.module()?.to_string().starts_with("paddle")
                && class.name()?.to_string().ends_with("Place"));
        if !known {
            return Ok(None);
        }
        let text = device.str()?.to_string();
        let text = text.strip_prefix("Place(").unwrap_or(&text);
        let text = text.strip_suffix(")").unwrap_or(text);
        Ok(Some(match text {
            // Host memory that a GPU can reach.
            "gpu_pinned" => "cpu".to_string(),
            "gpu" => "cuda:0".to_string(),
            other => match other.strip_prefix("gpu:") {
                Some(ordinal) => format!("cuda:{ordinal}"),
                None => other.to_string(),
            },
        }))
    }
    fn device_to(device: Device) -> String {
        device.alias().replace("cuda", "gpu")
    }
}
