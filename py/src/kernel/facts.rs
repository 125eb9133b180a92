//! What CUDA knows of a kernel that is loaded on a GPU.

use super::Kernel;
use crate::runtime::device::Device;
use pyo3::prelude::*;
use warp_core::backend::Executable;
use warp_core::backend::cuda::Executable as OnGpu;
use warp_core::error::{Bug, Result};
use warp_dlpack::raise;

/// Asks something of a kernel on a GPU; compiles it as its first launch there would.
fn ask<T>(
    kernel: &Bound<'_, Kernel>,
    device: &Device,
    question: impl FnOnce(&OnGpu) -> Result<T>,
) -> PyResult<T> {
    let py = kernel.py();
    let current = Kernel::current(kernel)?;
    let program = &current.get().ready(py)?.compiled.program;
    let code = match program.compiled(device.0) {
        Some(code) => code,
        None => current.get().compile_for(py, program, device.0)?,
    };
    let answer = if let Executable::Cuda(executable) = &code.executable {
        question(executable)
    } else {
        Err(Bug("CUDA properties of a kernel on another device".into()).into())
    };
    answer.map_err(|e| raise(py, e))
}

/// Registers, and bytes of local memory, that a thread takes.
#[pyfunction]
fn _thread_cost(kernel: &Bound<'_, Kernel>, device: &Device) -> PyResult<(u32, u32)> {
    let cost = ask(kernel, device, |on_gpu| on_gpu.loaded.cost())?;
    Ok((cost.registers, cost.local_bytes))
}

/// Threads of a block with which most run at a time, and the blocks that fill the GPU.
#[pyfunction]
fn _suggested_block(kernel: &Bound<'_, Kernel>, device: &Device) -> PyResult<(u32, u32)> {
    ask(kernel, device, |on_gpu| on_gpu.loaded.suggested_block())
}

/// How many blocks a cluster can have.
#[pyfunction]
fn _largest_cluster(
    kernel: &Bound<'_, Kernel>,
    device: &Device,
    threads: u32,
    shared: u32,
) -> PyResult<u32> {
    ask(kernel, device, |on_gpu| {
        Ok(on_gpu.loaded.largest_cluster(threads, shared))
    })
}

/// Adds the functions to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_thread_cost, m)?)?;
    m.add_function(wrap_pyfunction!(_suggested_block, m)?)?;
    m.add_function(wrap_pyfunction!(_largest_cluster, m)?)
}
