//! Compiling a kernel before it is launched.

use super::Kernel;
use crate::runtime::device;
use pyo3::prelude::*;

/// Compiles a kernel for a device, if it is not compiled yet, as its first launch there would.
#[pyfunction]
fn _load_kernel(kernel: &Bound<'_, Kernel>, device: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = kernel.py();
    let device = device::resolve(Some(device))?;
    let current = Kernel::current(kernel)?;
    let program = &current.get().ready(py)?.compiled.program;
    if program.compiled(device).is_none() {
        current.get().compile_for(py, program, device)?;
    }
    Ok(())
}

/// Adds the function to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_load_kernel, m)?)
}
