//! What a Python function does with arrays, recorded instead of done.
//!
//! The function runs once on arrays that stand for values which nobody knows yet. Launches, fills and copies of arrays
//! that belong to the recording become steps. Whatever else looks at their content ends the recording
//! ([`Unrecordable`]): every way from an array to its memory asks [`door`] first, every way to run a kernel [`launch`]
//! or [`running`]. While nothing is recorded, each of these is one load of a number that never changes.

use crate::array::Array;
use crate::convert;
use crate::convert_list::is_list;
use crate::dtype;
use crate::kernel::Kernel;
use crate::launch::Dims;
use crate::tape;
use pyo3::create_exception;
use pyo3::exceptions::{PyBaseException, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use warp_core::array::{Array as Core, Owner, View};
use warp_core::ty::Elem;

create_exception!(
    warp,
    Unrecordable,
    PyBaseException,
    "Ends a recording: the function looks at what cannot be known yet."
);

/// How many recordings there are, on all threads, and arrays of theirs that outlived them.
static ACTIVE: AtomicUsize = AtomicUsize::new(0);
/// All of them: arrays may be handed to other threads.
static RECORDINGS: Mutex<Vec<Arc<Recording>>> = Mutex::new(Vec::new());

thread_local! {
    /// The recordings of this thread, the innermost last.
    static CURRENT: RefCell<Vec<Arc<Recording>>> = const { RefCell::new(Vec::new()) };
}

struct Recording {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    memories: Vec<Memory>,
    steps: Vec<Py<PyAny>>,
    /// Why this cannot be recorded.
    void: Option<String>,
}

/// Memory that steps name. It is held until the end, so that its addresses are nobody else's.
struct Memory {
    whole: Core,
    addresses: Range<usize>,
    start: Start,
    /// Whether a step names it, or it is one of the given.
    named: bool,
}

impl Memory {
    /// Whether somebody else holds it, who should not: what is from outside is held there.
    fn is_kept(&self) -> bool {
        match &self.whole.owner {
            Owner::Own(memory) => {
                self.start != Start::Outside && self.named && Arc::strong_count(memory) > 1
            }
            _ => false,
        }
    }
}

/// What memory holds before the first step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    /// What the caller gives.
    Given,
    /// Nothing that matters.
    Blank,
    /// What is in it.
    Content,
    /// What is in it whenever the steps are done: it is from outside, and only read.
    Outside,
}

impl Recording {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The memory with these addresses.
    fn find(&self, addresses: &Range<usize>) -> Option<usize> {
        let state = self.state();
        state
            .memories
            .iter()
            .position(|m| m.addresses.start <= addresses.start && addresses.start < m.addresses.end)
    }

    fn add(&self, whole: &Core, start: Start) {
        let addresses = whole.view.addresses();
        self.state().memories.push(Memory {
            whole: whole.clone(),
            addresses,
            start,
            named: start == Start::Given,
        });
    }

    /// Ends the recording.
    fn end(&self, why: String) -> PyErr {
        let text = format!("recording ends: {why}");
        self.state().void.get_or_insert(why);
        Unrecordable::new_err(text)
    }

    fn step(&self, step: Bound<'_, PyTuple>) {
        self.state().steps.push(step.into_any().unbind());
    }

    /// What a step says about an array: its memory and where in it. None for other arrays.
    fn place<'py>(
        &self,
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
        let Some(memory) = self.find(&addresses) else {
            return Ok(None);
        };
        let (base, end, elem, start) = {
            let m = &mut self.state().memories[memory];
            m.named = true;
            let whole = &m.addresses;
            (whole.start, whole.end, m.whole.view.elem, m.start)
        };
        if start == Start::Outside && writes {
            return Ok(None);
        }
        if addresses.end > end || view.elem.scalar() != elem.scalar() {
            return Err(self.end("an array is seen in two ways".into()));
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

    /// [`Recording::place`] for an array that is read, which may be one from outside.
    fn source<'py>(&self, py: Python<'py>, core: &Core) -> PyResult<Option<Bound<'py, PyTuple>>> {
        if let Some(place) = self.place(py, &core.view, false)? {
            return Ok(Some(place));
        }
        if !core.view.is_contiguous() {
            return Ok(None);
        }
        // It may be one of a recording around this one.
        look(&core.view, "a function that is recorded inside")?;
        self.add(core, Start::Outside);
        self.place(py, &core.view, false)
    }
}

fn recordings() -> MutexGuard<'static, Vec<Arc<Recording>>> {
    RECORDINGS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether anything is recorded anywhere.
#[inline(always)]
pub fn active() -> bool {
    ACTIVE.load(Ordering::Relaxed) != 0
}

/// The recording of this thread.
fn current() -> Option<Arc<Recording>> {
    CURRENT.with_borrow(|stack| stack.last().cloned())
}

/// Asked before anybody gets at the memory of an array.
#[inline(always)]
pub fn door(view: &View, what: &str) -> PyResult<()> {
    if active() { look(view, what) } else { Ok(()) }
}

#[cold]
fn look(view: &View, what: &str) -> PyResult<()> {
    if view.layout().is_empty() {
        return Ok(());
    }
    let addresses = view.addresses();
    let all = recordings().clone();
    let knows = |r: &&Arc<Recording>| {
        r.find(&addresses)
            .is_some_and(|at| r.state().memories[at].start != Start::Outside)
    };
    match all.iter().find(knows) {
        Some(recording) => Err(recording.end(format!("{what} looks at the content of an array"))),
        None => Ok(()),
    }
}

/// Asked before a kernel runs other than by a recorded launch.
#[inline(always)]
pub fn running(what: &str) -> PyResult<()> {
    if active()
        && let Some(recording) = current()
    {
        return Err(recording.end(format!("{what} runs a kernel")));
    }
    Ok(())
}

/// Says that an array is new; `blank` where its content is zero or does not matter.
#[inline(always)]
pub fn made(core: &Core, blank: bool) {
    if active() {
        add(core, if blank { Start::Blank } else { Start::Content });
    }
}

#[cold]
fn add(core: &Core, start: Start) {
    if let Some(recording) = current()
        && matches!(core.owner, Owner::Own(_))
        && !core.view.layout().is_empty()
        && recording.find(&core.view.addresses()).is_none()
    {
        recording.add(core, start);
    }
}

/// Records a launch; false if this thread records none, so that it is to run.
#[cold]
pub fn launch(kernel: &Bound<'_, Kernel>, dims: Dims, args: &[Bound<'_, PyAny>]) -> PyResult<bool> {
    let (py, k) = (kernel.py(), kernel.get());
    let ready = k.ready(py)?;
    let Some(recording) = current() else {
        for (param, value) in k.params.iter().zip(args).filter(|(p, _)| p.ndim > 0) {
            if let Ok(array) = value.cast::<Array>()
                && array.get().view().elem == param.elem
            {
                look(array.get().view(), "a launch on another thread")?;
            }
        }
        return Ok(false);
    };
    if tape::active() {
        return Err(recording.end("a tape records launches".into()));
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
                        .map_err(|e| e.at(k.title(), &param.name))?;
                    ("value", PyBytes::new(py, &bytes)).into_pyobject(py)?
                }
            });
            continue;
        }
        let writes = ready.writes[i];
        let view = convert::launch_arg(value, param.elem, param.ndim, writes)
            .map_err(|e| e.at(k.title(), &param.name))?;
        let view = View {
            arg: view.arg,
            ndim: param.ndim,
            elem: param.elem,
            ..View::EMPTY
        };
        let place = if writes {
            recording.place(py, &view, true)?
        } else {
            // A temporary would hold what is so now.
            match convert::shared(value, Some(param.elem)) {
                Ok(core) => recording.source(py, &core.with_view(view))?,
                Err(_) => None,
            }
        };
        let Some(place) = place else {
            let what = if writes { "writes" } else { "reads" };
            return Err(recording.end(format!(
                "kernel '{}' {what} '{}', an array from outside of the function",
                k.title(),
                param.name
            )));
        };
        if writes && view.layout().overlaps_itself(param.elem.size()) {
            return Err(recording.end("a kernel writes an array that overlaps itself".into()));
        }
        // One array in two places is one parameter when it is replayed; what overlaps otherwise is not.
        let meets = |(other, wrote): &(View, bool)| {
            let one = other.arg == view.arg && other.elem == view.elem && other.ndim == view.ndim;
            (writes || *wrote) && other.overlaps(&view) && !one
        };
        if !view.layout().is_empty() && seen.iter().any(meets) {
            return Err(recording.end(format!(
                "kernel '{}' is given arrays that overlap, and writes one",
                k.title()
            )));
        }
        seen.push((view, writes));
        listed.push(place);
    }
    let shape = PyTuple::new(py, &dims.shape[..dims.ndim])?;
    let step = ("launch", kernel, shape, PyList::new(py, listed)?);
    recording.step(step.into_pyobject(py)?);
    Ok(true)
}

/// Records that an array is filled with an element; false if it is to be filled now.
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
    let Some(recording) = current() else {
        return look(view, "a fill on another thread").map(|()| false);
    };
    let Some(place) = recording.place(py, view, true)? else {
        return Err(recording.end("an array from outside of the function is filled".into()));
    };
    recording.step(("fill", place, PyBytes::new(py, element)).into_pyobject(py)?);
    Ok(true)
}

/// Records a copy between arrays of one type and shape, of which `from` was made of `src`; false if it is to be made
/// now.
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
    let Some(recording) = current() else {
        look(to, "a copy on another thread")?;
        return look(&from.view, "a copy on another thread").map(|()| false);
    };
    if is_list(src) {
        add(from, Start::Content);
    } else if !convert::shared(src, Some(to.elem))
        .is_ok_and(|core| core.view.arg.data == from.view.arg.data)
    {
        return Err(recording.end("an array of another type, or a temporary, is copied".into()));
    }
    match (recording.place(py, to, true)?, recording.source(py, from)?) {
        (Some(to), Some(from)) => {
            recording.step(("copy", to, from).into_pyobject(py)?);
            Ok(true)
        }
        _ => Err(recording.end("an array from outside of the function is copied".into())),
    }
}

/// A value that jax computes, while a function is recorded: it can be passed to launches, and nothing else.
#[pyclass(frozen, subclass, module = "warp._warp", name = "_Traced")]
struct Traced {
    index: usize,
    elem: Elem,
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
        let recording = Arc::new(Recording {
            state: Mutex::default(),
        });
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
