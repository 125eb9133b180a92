//! What steps say about arrays: which memory, and where in it.

use crate::dtype;
use crate::object::trace_state::{Start, Trace, check_view};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use warp_core::array::{Array as Core, View};

/// What a step says about an array: its memory and where in it. None for other arrays.
///
/// # Errors
/// The array is accessed with two layouts.
pub fn place<'py>(
    trace: &Trace,
    py: Python<'py>,
    view: &View,
    writes: bool,
) -> PyResult<Option<Bound<'py, PyTuple>>> {
    let layout = view.layout();
    let (shape, strides) = (layout.shape(), layout.strides());
    let class = dtype::class_of(py, view.elem)?;
    if layout.is_empty() {
        let made = ("empty", PyTuple::new(py, shape)?, class);
        return made.into_pyobject(py).map(Some);
    }
    let addresses = view.addresses();
    let Some(memory) = trace.find(&addresses) else {
        return Ok(None);
    };
    let (base, end, elem, start) = {
        let m = &mut trace.state().memories[memory];
        m.named = true;
        let whole = &m.addresses;
        (whole.start, whole.end, m.whole.view.elem, m.start)
    };
    if start == Start::Outside && writes {
        return Ok(None);
    }
    if addresses.end > end || view.elem.scalar() != elem.scalar() {
        return Err(trace.end("an array is accessed with two layouts".into()));
    }
    let offset = view.arg.data as usize - base;
    let made = (
        "array",
        memory,
        offset,
        PyTuple::new(py, shape)?,
        PyTuple::new(py, strides)?,
        class,
    );
    made.into_pyobject(py).map(Some)
}

/// [`place`] for an array that is read, which may be one from outside.
///
/// # Errors
/// As for [`place`].
pub fn source<'py>(
    trace: &Trace,
    py: Python<'py>,
    core: &Core,
) -> PyResult<Option<Bound<'py, PyTuple>>> {
    if let Some(place) = place(trace, py, &core.view, false)? {
        return Ok(Some(place));
    }
    if !core.view.is_contiguous() {
        return Ok(None);
    }
    // It may be one of a trace around this one.
    check_view(&core.view, "a function that is traced inside")?;
    trace.add(core, Start::Outside);
    place(trace, py, &core.view, false)
}
