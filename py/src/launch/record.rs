//! `Tape.record_launch`: a launch that a tape records without running it.

use super::host::TapedLaunch;
use super::taped::{Recorded, record};
use crate::argument::args::Args;
use crate::argument::dims::{dims, grid};
use crate::argument::pack::pack;
use crate::kernel::Kernel;
use crate::object::error::{Code, error};
use crate::object::message::describe;
use crate::object::trace_state;
use crate::runtime::stream::of_launch;
use pyo3::prelude::*;

/// What a tape keeps of a launch with these arguments.
///
/// # Errors
/// An argument does not fit; the error names it.
pub fn record_launch(
    kernel: &Bound<'_, PyAny>,
    dim: &Bound<'_, PyAny>,
    inputs: Option<&Bound<'_, PyAny>>,
    outputs: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
    (max_blocks, block_dim): (i64, i64),
) -> PyResult<TapedLaunch> {
    let Ok(bound) = kernel.cast::<Kernel>() else {
        return Err(error(
            Code::Launch,
            format!(
                "record_launch: kernel is {}, expected a kernel; decorate the function with @wp.kernel",
                describe(kernel)
            ),
        ));
    };
    trace_state::check_run("record_launch")?;
    let bound = Kernel::current(bound)?;
    let kernel = bound.get();
    let stream = of_launch(kernel.title(), device, None)?;
    let mut dims = dims(kernel, dim)?;
    dims.grid = grid(kernel, max_blocks, Some(block_dim))?;
    let mut args = Args::default();
    args.collect(kernel, inputs, outputs)?;
    if let Some(arguments) = &kernel.arguments {
        args.spread(kernel, arguments)?;
    }
    let ready = kernel.ready(bound.py())?;
    let packed = pack(kernel, ready, stream.device, dims, &args.all)?;
    let recorded = Recorded {
        args: &args.all,
        roots: args.roots(),
        given: args.given(),
        inputs: args.inputs(kernel),
    };
    record(&bound, stream, dims, &recorded, &packed.block)
}
