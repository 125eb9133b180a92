//! Level 5: tracing: launches, fills and copies of a Python function become steps (see `object/trace_state.rs`).

mod place;
mod run;

pub use run::register;

use crate::argument::convert::{Wanted, launch_arg};
use crate::dtype;
use crate::exchange::{data, is_list};
use crate::kernel::Kernel;
use crate::object::Array;
use crate::object::trace_state::{Start, active, check_view, current, tracing};
use crate::runtime::tapes;
use place::{place, source};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};
use run::Traced;
use smallvec::SmallVec;
use warp_core::array::{Array as Core, View};
use warp_core::device::Device;
use warp_core::launch::Dims;
use warp_dlpack::Lenient;

/// Traces a launch; false if this thread traces nothing, so that it is to run.
///
/// # Errors
/// An argument does not fit, or the launch cannot be traced.
#[cold]
pub fn launch(
    kernel: &Bound<'_, Kernel>,
    device: Device,
    dims: Dims,
    args: &[Bound<'_, PyAny>],
) -> PyResult<bool> {
    if !tracing() {
        return Ok(false);
    }
    let (py, k) = (kernel.py(), kernel.get());
    let ready = k.ready(py)?;
    let Some(trace) = current() else {
        for (param, value) in k.params.iter().zip(args).filter(|(p, _)| p.ndim > 0) {
            if let Ok(array) = value.cast::<Array>()
                && array.get().view().elem == param.elem
            {
                check_view(array.get().view(), "a launch on another thread")?;
            }
        }
        return Ok(false);
    };
    if tapes::active() {
        return Err(trace.end("a tape records launches".into()));
    }
    let mut listed: Vec<Bound<'_, PyTuple>> = Vec::with_capacity(args.len());
    let mut seen: SmallVec<[(View, bool); 12]> = SmallVec::new();
    for (i, (param, value)) in k.params.iter().zip(args).enumerate() {
        if param.ndim == 0 {
            listed.push(match value.cast::<Traced>() {
                Ok(traced) if traced.get().elem == param.elem => {
                    ("given", traced.get().index).into_pyobject(py)?
                }
                _ => {
                    let mut bytes = SmallVec::new();
                    dtype::value_bytes(value, param.elem, &mut bytes)
                        .map_err(|e| k.refuse(e, &param.name))?;
                    ("value", PyBytes::new(py, &bytes)).into_pyobject(py)?
                }
            });
            continue;
        }
        if value.is_none() {
            let what = format!("kernel '{}' is given None for '{}'", k.title(), param.name);
            return Err(trace.end(what));
        }
        let writes = ready.writes[i];
        let view = launch_arg(value, &Wanted::of(param, writes, device))
            .map_err(|e| k.refuse(e, &param.name))?;
        let view = View {
            arg: view.arg,
            ndim: param.ndim,
            elem: param.elem,
            ..View::EMPTY
        };
        let place = if writes {
            place(&trace, py, &view, true)?
        } else {
            // A temporary would hold what is so now.
            match data::shared(value, Some(param.elem)).lenient()? {
                Some(core) => source(&trace, py, &core.with_view(view))?,
                None => None,
            }
        };
        let Some(place) = place else {
            let what = if writes { "writes" } else { "reads" };
            return Err(trace.end(format!(
                "kernel '{}' {what} '{}', an array from outside of the function",
                k.title(),
                param.name
            )));
        };
        if writes && view.layout().overlaps_itself(param.elem.size()) {
            return Err(trace.end("a kernel writes an array that overlaps itself".into()));
        }
        // One array in two places is one parameter when it is replayed; what overlaps otherwise is not.
        let meets = |(other, wrote): &(View, bool)| {
            let one = other.arg == view.arg && other.elem == view.elem && other.ndim == view.ndim;
            (writes || *wrote) && other.overlaps(&view) && !one
        };
        if !view.layout().is_empty() && seen.iter().any(meets) {
            return Err(trace.end(format!(
                "kernel '{}' is given arrays that overlap, and writes one",
                k.title()
            )));
        }
        seen.push((view, writes));
        listed.push(place);
    }
    let shape = PyTuple::new(py, &dims.shape[..dims.ndim])?;
    let step = (
        "launch",
        kernel,
        shape,
        PyList::new(py, listed)?,
        dims.grid.block_dim,
    );
    trace.step(step.into_pyobject(py)?);
    Ok(true)
}

/// Traces that an array is filled with an element; false if it is to be filled now.
///
/// # Errors
/// The fill cannot be traced.
#[inline(always)]
pub fn fill(py: Python<'_>, view: &View, element: &[u8]) -> PyResult<bool> {
    if active() {
        filled(py, view, element)
    } else {
        Ok(false)
    }
}

#[cold]
fn filled(py: Python<'_>, view: &View, element: &[u8]) -> PyResult<bool> {
    let Some(trace) = current() else {
        return check_view(view, "a fill on another thread").map(|()| false);
    };
    let Some(place) = place(&trace, py, view, true)? else {
        return Err(trace.end("an array from outside of the function is filled".into()));
    };
    trace.step(("fill", place, PyBytes::new(py, element)).into_pyobject(py)?);
    Ok(true)
}

/// Traces a copy between arrays of one type and shape, of which `from` was made of `src`; false if it is to be made
/// now.
///
/// # Errors
/// The copy cannot be traced.
#[inline(always)]
pub fn copy(to: &View, from: &Core, src: &Bound<'_, PyAny>) -> PyResult<bool> {
    if active() {
        copied(to, from, src)
    } else {
        Ok(false)
    }
}

#[cold]
fn copied(to: &View, from: &Core, src: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = src.py();
    let Some(trace) = current() else {
        check_view(to, "a copy on another thread")?;
        return check_view(&from.view, "a copy on another thread").map(|()| false);
    };
    if is_list(src) {
        trace.add_new(from, Start::Content);
    } else if !data::shared(src, Some(to.elem))
        .is_ok_and(|core| core.view.arg.data == from.view.arg.data)
    {
        return Err(trace.end("an array of another type, or a temporary, is copied".into()));
    }
    match (place(&trace, py, to, true)?, source(&trace, py, from)?) {
        (Some(to), Some(from)) => {
            trace.step(("copy", to, from).into_pyobject(py)?);
            Ok(true)
        }
        _ => Err(trace.end("an array from outside of the function is copied".into())),
    }
}
