//! Runs a function to trace it.

use crate::dtype;
use crate::object::Array;
use crate::object::error::{Code, error, refuse};
use crate::object::part::on_host;
use crate::object::trace_state::{Memory, Start, Tracing, Untraceable, current};
use crate::runtime::device::current as current_device;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};
use warp_core::array::Array as Core;
use warp_core::ty::Elem;

/// A value that jax computes, while a function is traced: it can be passed to launches, and nothing else.
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
    /// Ends the trace: the function reads the value.
    fn _end(&self) -> PyResult<()> {
        let why = "the function reads a value that jax computes";
        Err(match current() {
            Some(trace) => trace.end(why.into()),
            None => error(
                Code::Runtime,
                "this stood for a value that jax computes while a function was traced",
            ),
        })
    }
}

/// Calls `function` with a list of arrays that stand for others, and traces what it does with them.
///
/// Args:
///     title: Of the function, for messages.
///     function: Called once, with the list.
///     arrays: What the arrays are: dtype, shape and whether they must not be written.
///
/// Returns:
///     (memories, steps, None), or (None, None, why) if it cannot be traced. Memories beyond those of `arrays` are
///     (dtype, shape, content): None for zeros, bytes, or an array from outside.
///
/// Raises:
///     RuntimeError: The function keeps an array of the trace.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "read by one Python function")]
fn _trace<'py>(
    title: &str,
    function: &Bound<'py, PyAny>,
    arrays: Vec<(Bound<'py, PyAny>, Vec<i64>, bool)>,
) -> PyResult<(
    Option<Bound<'py, PyList>>,
    Option<Bound<'py, PyList>>,
    Option<String>,
)> {
    let py = function.py();
    let tracing = Tracing::start();
    let trace = &tracing.0;
    let given = PyList::empty(py);
    for (dtype, shape, read_only) in arrays {
        let elem = dtype::require_elem(&dtype)?;
        let device = current_device();
        let whole = Core::zeros(elem, &shape, device).map_err(refuse(py, "array"))?;
        trace.add(&whole, Start::Given);
        let mut view = whole.view;
        view.read_only = read_only;
        given.append(Array::new(whole.with_view(view)).object(py)?)?;
    }
    let outcome = function.call1((&given,));
    let state = std::mem::take(&mut *trace.state());
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
            return Err(error(
                Code::Runtime,
                format!(
                    "{title} keeps an array that it was given, or made and used, while it was traced; its content is \
                 known only when the program runs. Make the array before, or use graph_mode=GraphMode.NONE",
                ),
            ));
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
                let whole = on_host(py, &memory.whole)?;
                let at = whole.view.arg.data.cast_const();
                // SAFETY: new arrays are contiguous, and held; traced steps have not written them.
                let bytes = unsafe { std::slice::from_raw_parts(at, len) };
                Some(PyBytes::new(py, bytes).into_any())
            }
            Start::Outside => Some(Array::new(memory.whole.clone()).object(py)?.into_any()),
        };
        let shape = PyTuple::new(py, view.layout().shape())?;
        memories.append((dtype::class_of(py, view.elem)?, shape, content))?;
    }
    Ok((Some(memories), Some(PyList::new(py, state.steps)?), None))
}

/// Adds the function and the classes to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("Untraceable", m.py().get_type::<Untraceable>())?;
    m.add_class::<Traced>()?;
    m.add_function(wrap_pyfunction!(_trace, m)?)
}
