//! `wp.launch` through a quick door: the plain calls, without PyO3's reading of thirteen parameters.

use crate::door::{self, Door};
use crate::launch::launch;
use pyo3::ffi;
use pyo3::prelude::*;

static LAUNCH: Door<13> = Door::new([
    "kernel",
    "dim",
    "inputs",
    "outputs",
    "adj_inputs",
    "adj_outputs",
    "device",
    "stream",
    "adjoint",
    "record_tape",
    "record_cmd",
    "max_blocks",
    "block_dim",
]);

/// # Safety
/// Python calls it as the method it was registered as.
unsafe extern "C" fn raw_launch(
    _module: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    count: isize,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: promised by the caller.
    unsafe {
        LAUNCH.call(args, count, keywords, |py, slots| {
            let [
                Some(kernel),
                Some(dim),
                inputs,
                outputs,
                adj_inputs,
                adj_outputs,
                device,
                stream,
                adjoint,
                record_tape,
                record_cmd,
                None,
                None,
            ] = *slots
            else {
                return Ok(None);
            };
            let flags = (
                door::flag(adjoint, false),
                door::flag(record_tape, true),
                door::flag(record_cmd, false),
            );
            let (Some(adjoint), Some(record_tape), Some(record_cmd)) = flags else {
                return Ok(None);
            };
            let recorded = launch(
                kernel,
                dim,
                door::given(inputs),
                door::given(outputs),
                door::given(adj_inputs),
                door::given(adj_outputs),
                door::given(device),
                door::given(stream),
                adjoint,
                record_tape,
                record_cmd,
                0,
                256,
            )?;
            match recorded {
                None => Ok(Some(py.None().into_bound(py))),
                Some(command) => Ok(Some(command.into_any())),
            }
        })
    }
}

/// Adds the function to the module.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    let ordinary = wrap_pyfunction!(launch, m)?;
    door::add(m, &LAUNCH, ordinary.as_any(), raw_launch)
}
