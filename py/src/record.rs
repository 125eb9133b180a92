//! What a Python function does with arrays, recorded instead of done.
//!
//! The function runs once on arrays that stand for values which nobody knows yet. Launches, fills and copies of arrays
//! that belong to the recording become steps. Whatever else looks at their content ends the recording
//! ([`Unrecordable`]): every way from an array to its memory asks [`door`] first, every way to run a kernel [`launch`]
//! or [`running`]. While nothing is recorded, each of these is one load of a number that never changes.

mod recording;
mod run;

pub use run::register;

use crate::array::Array;
use crate::convert;
use crate::convert_list::is_list;
use crate::dtype;
use crate::kernel::Kernel;
use crate::launch::Dims;
use crate::tape;
use pyo3::create_exception;
use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};
use recording::{Recording, Start};
use run::Traced;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use warp_core::array::{Array as Core, Owner, View};

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
