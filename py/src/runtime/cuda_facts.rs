//! What CUDA knows: versions, contexts, what graphs can do, times of what ran, profilers.

use super::device::{self, Device};
use pyo3::prelude::*;
use warp_core::backend::cuda::{graph, timing};
use warp_core::device::cuda::{Driver, gpu_of, gpus};
use warp_core::device::{Device as Core, name_device, unname_device};
use warp_core::error::Result;
use warp_dlpack::raise;

fn raised<T>(py: Python<'_>, result: Result<T>) -> PyResult<T> {
    result.map_err(|e| raise(py, e))
}

/// The version of the driver, as 12040 for 12.4; None where there is no GPU.
#[pyfunction]
fn _driver_version() -> Option<i32> {
    gpus().first()?;
    Driver::get().ok()?.version().ok()
}

/// Names the GPU that a context is the primary one of, and gives it; None where it is no GPU's. Without a context the thread's current
/// one counts, and where there is none, that of the current device.
#[pyfunction]
fn _name_device<'py>(
    py: Python<'py>,
    name: &str,
    context: Option<usize>,
) -> PyResult<Option<Bound<'py, Device>>> {
    let found = match context.or_else(current_context) {
        Some(context) => gpus()
            .iter()
            .find(|gpu| gpu.context_handle() == Some(context)),
        None => gpu_of(device::current()).ok(),
    };
    let Some(gpu) = found else {
        return Ok(None);
    };
    raised(py, name_device(name, gpu.device()))?;
    device::object(py, gpu.device()).map(Some)
}

fn current_context() -> Option<usize> {
    gpus().first()?;
    let mut context = std::ptr::null_mut();
    // SAFETY: writes a handle.
    unsafe { Driver::get().ok()?.context_get_current(&raw mut context) }.ok()?;
    (!context.is_null()).then_some(context as usize)
}

/// Takes a name away; false where no device was given it.
#[pyfunction]
fn _unname_device(name: &str) -> bool {
    unname_device(name)
}

/// Whether CUDA graphs of a device can have branches and loops.
#[pyfunction]
fn _has_conditions(device: &Device) -> bool {
    device.0 != Core::Cpu && graph::has_conditions(device.0)
}

/// Times these kinds of things from now on; 0 times nothing.
#[pyfunction]
fn _time(filter: u32) {
    timing::set_filter(filter);
}

/// What was timed since this was asked last: device, name, kind and milliseconds.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "a row of four")]
fn _timed<'py>(py: Python<'py>) -> PyResult<Vec<(Bound<'py, Device>, String, u32, f32)>> {
    let all = raised(py, py.detach(timing::take))?;
    let rows = all.into_iter().map(|one| {
        let device = device::object(py, one.device)?;
        Ok((device, one.name, one.kind as u32, one.milliseconds))
    });
    rows.collect()
}

/// Has a profiler of CUDA's record, or not.
#[pyfunction]
fn _profile(py: Python<'_>, device: &Device, record: bool) -> PyResult<()> {
    if device.0 == Core::Cpu {
        return Ok(());
    }
    let profiled = gpu_of(device.0).and_then(|gpu| {
        let current = gpu.enter()?;
        // SAFETY: no preconditions.
        unsafe {
            match record {
                true => current.driver().profiler_start(),
                false => current.driver().profiler_stop(),
            }
        }
    });
    raised(py, profiled)
}

/// Adds the functions to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_driver_version, m)?)?;
    m.add_function(wrap_pyfunction!(_name_device, m)?)?;
    m.add_function(wrap_pyfunction!(_unname_device, m)?)?;
    m.add_function(wrap_pyfunction!(_has_conditions, m)?)?;
    m.add_function(wrap_pyfunction!(_time, m)?)?;
    m.add_function(wrap_pyfunction!(_timed, m)?)?;
    m.add_function(wrap_pyfunction!(_profile, m)?)
}
