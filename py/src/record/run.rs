//! Runs a function to record it.

use super::recording::{Memory, Recording, Start};
use super::{ACTIVE, CURRENT, Unrecordable, current, recordings};
use crate::array::Array;
use crate::dtype;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use warp_core::array::Array as Core;
use warp_core::ty::Elem;

/// A value that jax computes, while a function is recorded: it can be passed to launches, and nothing else.
#[pyclass(frozen, subclass, module = "warp._warp", name = "_Traced")]
pub struct Traced {
    /// Which of the values.
    pub index: usize,
    /// What it is.
    pub elem: Elem,
}

#[pymethods]
impl Traced {
    #[new]
    fn new(index: usize, dtype: &Bound<'_, PyAny>) -> PyResult<Traced> {
        Ok(Traced {
            index,
            elem: dtype::require_elem(dtype)?,
        })
    }
    /// Ends the recording: somebody wants to know the value.
    fn _end(&self) -> PyResult<()> {
        let why = "the function looks at a value that jax computes";
        Err(match current() {
            Some(recording) => recording.end(why.into()),
            None => PyRuntimeError::new_err(
                "this stood for a value that jax computes while a function was recorded",
            ),
        })
    }
}

/// Takes a recording off this thread, and its memory off the list, whatever happens.
struct Running(Arc<Recording>);

impl Running {
    fn start() -> Running {
        let recording = Arc::new(Recording::default());
        recordings().push(recording.clone());
        CURRENT.with_borrow_mut(|stack| stack.push(recording.clone()));
        ACTIVE.fetch_add(1, Ordering::Relaxed);
        Running(recording)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        CURRENT.with_borrow_mut(|stack| stack.pop());
        recordings().retain(|r| !Arc::ptr_eq(r, &self.0));
        ACTIVE.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Calls `function` with a list of arrays that stand for others, and records what it does with them.
///
/// Args:
///     title: Of the function, for messages.
///     function: Called once, with the list.
///     arrays: What the arrays are: dtype, shape and whether they must not be written.
///
/// Returns:
///     (memories, steps, None), or (None, None, why) if it cannot be recorded. Memories beyond those of `arrays` are
///     (dtype, shape, content): None for zeros, bytes, or an array from outside.
///
/// Raises:
///     RuntimeError: The function keeps an array of the recording.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "read by one Python function")]
fn _record<'py>(
    title: &str,
    function: &Bound<'py, PyAny>,
    arrays: Vec<(Bound<'py, PyAny>, Vec<i64>, bool)>,
) -> PyResult<(
    Option<Bound<'py, PyList>>,
    Option<Bound<'py, PyList>>,
    Option<String>,
)> {
    let py = function.py();
    let running = Running::start();
    let recording = &running.0;
    let given = PyList::empty(py);
    for (dtype, shape, read_only) in arrays {
        let elem = dtype::require_elem(&dtype)?;
        let device = warp_core::device::Device::Cpu;
        let whole = Core::zeros(elem, &shape, device).map_err(crate::array::refuse(py, "array"))?;
        recording.add(&whole, Start::Given);
        let mut view = whole.view;
        view.read_only = read_only;
        given.append(Bound::new(py, Array::new(whole.with_view(view)))?)?;
    }
    let outcome = function.call1((&given,));
    let state = std::mem::take(&mut *recording.state());
    if state.void.is_none() {
        outcome?;
    } else {
        drop(outcome);
    }
    given.call_method0("clear")?;
    // Who keeps an array will find nothing in it that was to be written, whatever the function does later.
    if state.memories.iter().any(Memory::is_kept) {
        py.import("gc")?.call_method0("collect")?;
        if state.memories.iter().any(Memory::is_kept) {
            return Err(PyRuntimeError::new_err(format!(
                "{title} keeps an array that it was given, or made and used, while it was recorded; its content is \
                 known only when the program runs. Make the array before, or use graph_mode=GraphMode.NONE",
            )));
        }
    }
    if let Some(why) = state.void {
        return Ok((None, None, Some(why)));
    }
    let memories = PyList::empty(py);
    for memory in &state.memories {
        if memory.start == Start::Given {
            continue;
        }
        let view = &memory.whole.view;
        let content = match memory.start {
            Start::Given | Start::Blank => None,
            Start::Content => {
                let len = view.layout().len() * view.elem.size();
                // SAFETY: new arrays are contiguous, and held; recorded steps have not written them.
                let bytes = unsafe { std::slice::from_raw_parts(view.arg.data.cast_const(), len) };
                Some(PyBytes::new(py, bytes).into_any())
            }
            Start::Outside => Some(Bound::new(py, Array::new(memory.whole.clone()))?.into_any()),
        };
        let shape = PyTuple::new(py, view.layout().shape())?;
        memories.append((dtype::class_of(py, view.elem)?, shape, content))?;
    }
    Ok((Some(memories), Some(PyList::new(py, state.steps)?), None))
}

/// Adds the function and the classes to the module.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("Unrecordable", m.py().get_type::<Unrecordable>())?;
    m.add_class::<Traced>()?;
    m.add_function(wrap_pyfunction!(_record, m)?)
}
