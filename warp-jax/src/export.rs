//! Our arrays as arrays of jax's.

use crate::dtype::wide;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use warp_core::array::Array;
use warp_core::device::Device;
use warp_core::error::{Code, Error};
use warp_dlpack::{raise, referent};

/// CUDA's default stream, as DLPack numbers it.
const LEGACY: i64 = 1;
/// What a consumer passes who wants no synchronisation.
const NO_WAITING: i64 = -1;

/// A jax array on the memory of a contiguous array.
///
/// jax shares memory that starts at a multiple of 64 bytes, which ours does; else it copies.
///
/// # Errors
/// The elements have 64 bits and jax has no such types switched on, or jax refuses the memory.
pub(crate) fn wrap<'py>(py: Python<'py>, array: &Array) -> PyResult<Bound<'py, PyAny>> {
    let jax = py.import(intern!(py, "jax"))?;
    let scalar = array.view.elem.scalar();
    if wide(scalar) {
        let config = jax.getattr(intern!(py, "config"))?;
        if !config.getattr(intern!(py, "jax_enable_x64"))?.is_truthy()? {
            let error = Error::new(
                Code::Type,
                format!("jax would turn the {scalar} elements of this array into 32-bit ones"),
            )
            .hint("jax.config.update(\"jax_enable_x64\", True) keeps them, or convert the array first");
            return Err(raise(py, error.within("to_jax")));
        }
    }
    let from = py
        .import(intern!(py, "jax.dlpack"))?
        .getattr(intern!(py, "from_dlpack"))?;
    let mut array = array.clone();
    // jax never writes, but asks in a way that cannot be answered "read-only": what it asks says nothing of that.
    array.view.read_only = false;
    from.call1((Lender { array },))
}

/// An array as jax asks for it. jax takes no capsules, but objects that make one.
#[pyclass(frozen)]
struct Lender {
    array: Array,
}

#[pymethods]
impl Lender {
    /// A legacy capsule, the only kind that jax knows.
    #[pyo3(signature = (*, stream=None))]
    fn __dlpack__<'py>(&self, py: Python<'py>, stream: Option<i64>) -> PyResult<Bound<'py, PyAny>> {
        let refuse = |e: Error| raise(py, e.within("__dlpack__"));
        let theirs = match (self.array.view.device, stream.unwrap_or(LEGACY)) {
            (Device::Cpu, _) | (_, NO_WAITING) => None,
            (device, handle) => Some((device, handle as usize)),
        };
        if let Some((device, stream)) = theirs {
            warp_dlpack::follow(device, stream, true).map_err(refuse)?;
        }
        let managed = warp_dlpack::export_legacy(&self.array).map_err(refuse)?;
        warp_dlpack::capsule(py, managed)
    }
    fn __dlpack_device__(&self) -> (u32, i32) {
        warp_dlpack::device(self.array.view.device).into()
    }
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(referent(&self.array.owner))
    }
}
