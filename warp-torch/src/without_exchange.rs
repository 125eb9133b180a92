//! Tensors of a torch without an exchange table (before 2.10): asked attribute by attribute, which takes microseconds.

use crate::dtype::dtype_from;
use crate::refuse;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use warp_core::array::Array;
use warp_core::device::Device;
use warp_core::dtype::Scalar;
use warp_core::error::{Code, Error};
use warp_core::interop::{Desc, MAX_FOREIGN_NDIM};
use warp_dlpack::raise;

/// Describes a tensor whose class is known to hold plain memory.
///
/// # Errors
/// The tensor's memory does not hold its values, is not the CPU's, or its elements have no counterpart.
pub(crate) fn describe(tensor: &Bound<'_, PyAny>, out: &mut Desc) -> PyResult<()> {
    let py = tensor.py();
    if let Some(reason) = refuse::reason(tensor)? {
        return Err(raise(py, reason));
    }
    let device = tensor.getattr(intern!(py, "device"))?;
    let kind = device.getattr(intern!(py, "type"))?.str()?;
    if kind.to_str()? != "cpu" {
        let message = format!("the memory is on the device {device}, which is not available here");
        let error = Error::new(Code::Value, message).hint("pass t.cpu()");
        return Err(raise(py, error));
    }
    let dtype = tensor.getattr(intern!(py, "dtype"))?;
    let scalar = dtype_from(&dtype).map_err(|error| {
        // All other integers have a counterpart.
        let name = dtype.to_string();
        let integer = name.starts_with("torch.int") || name.starts_with("torch.uint");
        if integer && error.is_instance_of::<PyTypeError>(py) {
            refuse::narrow(py, &dtype)
        } else {
            error
        }
    })?;
    let shape: Vec<i64> = tensor.getattr(intern!(py, "shape"))?.extract()?;
    let strides: Vec<i64> = tensor.call_method0(intern!(py, "stride"))?.extract()?;
    if shape.len() > MAX_FOREIGN_NDIM {
        let message = format!("{} dimensions are too many", shape.len());
        return Err(raise(py, Error::new(Code::Value, message)));
    }
    let address: usize = tensor.call_method0(intern!(py, "data_ptr"))?.extract()?;
    out.data = std::ptr::with_exposed_provenance_mut(address);
    out.ndim = shape.len();
    out.scalar = scalar;
    out.device = Device::Cpu;
    out.read_only = false;
    for (d, (n, stride)) in shape.into_iter().zip(strides).enumerate() {
        out.shape[d] = n;
        // What overflows stays out of range for the import.
        out.strides[d] = stride.saturating_mul(scalar.size() as i64);
    }
    Ok(())
}

/// A tensor on an array's memory, whose values it sees as `scalar`.
///
/// # Errors
/// The array cannot be exported, or torch refuses it.
pub(crate) fn wrap<'py>(
    py: Python<'py>,
    array: &Array,
    scalar: Scalar,
) -> PyResult<Bound<'py, PyAny>> {
    let mut array = array.clone();
    array.view.elem = array.view.elem.with_scalar(scalar);
    let managed = warp_dlpack::export_legacy(&array).map_err(|e| raise(py, e))?;
    let capsule = warp_dlpack::capsule(py, managed)?;
    py.import("torch.utils.dlpack")?
        .call_method1(intern!(py, "from_dlpack"), (capsule,))
}
