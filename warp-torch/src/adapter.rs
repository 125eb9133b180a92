//! What the extension module asks of torch, beside how a tensor's memory lies.

use crate::tensor::{Torch, describe_plain, is_exact, is_known, is_tensor};
use crate::{dtype, probe, version};
use pyo3::prelude::*;
use pyo3::types::PyString;
use warp_core::device::Device;
use warp_core::dtype::Scalar;
use warp_core::interop::Desc;
use warp_dlpack::{Adapter, Counter, TensorAdapter};

impl Adapter for Torch {
    const MODULE: &'static str = "torch";
    const CHANGES: Option<Counter> = Some(version::changes);

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
    #[inline(always)]
    fn counts_writes(object: &Bound<'_, PyAny>) -> bool {
        is_known(object)
    }
    fn count_write(object: &Bound<'_, PyAny>, watched: bool) -> PyResult<()> {
        version::count_write(object, watched)
    }
    fn register(py: Python<'_>) -> PyResult<()> {
        probe::register(py)
    }
}

impl TensorAdapter for Torch {
    const TENSOR: &'static str = "torch.Tensor";
    const DEVICE: &'static str = "a torch.device or its name";

    fn dtype_from(dtype: &Bound<'_, PyAny>) -> PyResult<Scalar> {
        dtype::dtype_from(dtype)
    }
    fn dtype_to(py: Python<'_>, scalar: Scalar) -> PyResult<Bound<'_, PyAny>> {
        dtype::dtype_to(py, scalar)
    }
    fn device_from(device: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
        let name = device.str()?.to_string();
        let known = device.is_instance_of::<PyString>()
            || device.get_type().fully_qualified_name()? == "torch.device";
        Ok(known.then_some(name))
    }
    fn device_to(device: Device) -> String {
        device.alias().into_owned()
    }
}
