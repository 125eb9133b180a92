//! Whether a Python function is being traced, on arrays that stand for values which are not known yet.
//!
//! The traced function runs once; launches, fills and copies of its arrays become steps (`trace/`). Anything else that reads
//! the content of such an array ends the trace ([`Untraceable`]): every path from an array to its memory asks
//! [`check_access`](super::access::check_access) first, every path to a launch asks [`check_run`] or traces the launch. While nothing is traced, each
//! of these is one load of a number that never changes. `tests/python/launch/test_trace.py` has a row for each attribute of
//! `wp.array`, and fails where one is missing.
//!
//! [`Untraceable`] is a `BaseException`, so that `except Exception` does not catch it. It marks the trace even if
//! the function catches it.

use pyo3::create_exception;
use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use warp_core::array::{Array as Core, Owner, View};
use warp_core::command::{Command, Recorder, Start as Holds, recorder};
use warp_core::error::Result as Outcome;

pub use warp_core::command::recorder::active;

create_exception!(
    warp,
    Untraceable,
    PyBaseException,
    "Ends a trace: the function looks at what cannot be known yet."
);

/// All traces: arrays may be handed to other threads.
static TRACES: Mutex<Vec<Arc<Trace>>> = Mutex::new(Vec::new());
/// How many these are: asked where a tape records, too, so without the lock.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Whether any thread traces a function.
#[inline(always)]
pub fn tracing() -> bool {
    COUNT.load(Ordering::Relaxed) != 0
}

fn traces() -> MutexGuard<'static, Vec<Arc<Trace>>> {
    TRACES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What has been traced so far.
#[derive(Default)]
pub struct Trace {
    state: Mutex<State>,
}

/// Memories and steps.
#[derive(Default)]
pub struct State {
    /// Those of the arrays that are given, then others as they come.
    pub memories: Vec<Memory>,
    /// As Python reads them.
    pub steps: Vec<Py<PyAny>>,
    /// Why this cannot be traced.
    pub void: Option<String>,
}

/// Memory that steps name. It is held until the end, so that its addresses are not reused.
pub struct Memory {
    /// All of it, as the array that it was made for.
    pub whole: Core,
    pub addresses: Range<usize>,
    /// What it holds at first.
    pub start: Start,
    /// Whether a step names it, or it is one of the given.
    pub named: bool,
}

impl Memory {
    /// Whether something else holds it that should not: what is from outside is held there.
    pub fn is_kept(&self) -> bool {
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
pub enum Start {
    /// What the caller gives.
    Given,
    /// Nothing that matters.
    Blank,
    /// What is in it.
    Content,
    /// What is in it whenever the steps are done: it is from outside, and only read.
    Outside,
}

impl Trace {
    /// For a moment.
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The memory with these addresses.
    pub fn find(&self, addresses: &Range<usize>) -> Option<usize> {
        let state = self.state();
        state
            .memories
            .iter()
            .position(|m| m.addresses.start <= addresses.start && addresses.start < m.addresses.end)
    }

    /// Adds memory, which is held from now on.
    pub fn add(&self, whole: &Core, start: Start) {
        let addresses = whole.view.addresses();
        self.state().memories.push(Memory {
            whole: whole.clone(),
            addresses,
            start,
            named: start == Start::Given,
        });
    }

    /// Adds the memory of a new array.
    pub fn add_new(&self, core: &Core, start: Start) {
        if matches!(core.owner, Owner::Own(_))
            && !core.view.layout().is_empty()
            && self.find(&core.view.addresses()).is_none()
        {
            self.add(core, start);
        }
    }

    /// Ends the trace.
    pub fn end(&self, why: String) -> PyErr {
        let text = format!("tracing ends: {why}");
        self.state().void.get_or_insert(why);
        Untraceable::new_err(text)
    }

    /// Adds a step.
    pub fn step(&self, step: Bound<'_, PyTuple>) {
        self.state().steps.push(step.into_any().unbind());
    }
}

/// A trace that is this thread's innermost one while this is alive.
pub struct Tracing(pub Arc<Trace>);

impl Tracing {
    /// Begins a trace on this thread.
    pub fn start() -> Tracing {
        let trace = Arc::new(Trace::default());
        COUNT.fetch_add(1, Ordering::Relaxed);
        traces().push(trace.clone());
        recorder::push(trace.clone());
        Tracing(trace)
    }
}

impl Drop for Tracing {
    fn drop(&mut self) {
        traces().retain(|t| !Arc::ptr_eq(t, &self.0));
        recorder::remove(&*self.0);
        COUNT.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The innermost trace of this thread.
pub fn current() -> Option<Arc<Trace>> {
    match tracing() {
        true => recorder::find(),
        false => None,
    }
}

/// Ends the trace that an array belongs to, if there is one.
///
/// # Errors
/// [`Untraceable`], where the array belongs to a trace.
#[cold]
pub fn check_view(view: &View, what: &str) -> PyResult<()> {
    if !tracing() || view.layout().is_empty() {
        return Ok(());
    }
    let addresses = view.addresses();
    let all = traces().clone();
    let knows = |r: &&Arc<Trace>| {
        r.find(&addresses)
            .is_some_and(|at| r.state().memories[at].start != Start::Outside)
    };
    match all.iter().find(knows) {
        Some(trace) => Err(trace.end(format!("{what} reads the content of an array"))),
        None => Ok(()),
    }
}

/// Asked before a kernel runs other than by a traced launch.
///
/// # Errors
/// [`Untraceable`], where this thread traces a function.
#[inline(always)]
pub fn check_run(what: &str) -> PyResult<()> {
    if active()
        && let Some(trace) = current()
    {
        return Err(trace.end(format!("{what} runs a kernel")));
    }
    Ok(())
}

/// Says that an array is new, and what it holds.
#[inline(always)]
pub fn note_array(core: &Core, holds: Holds) {
    recorder::made(core, holds);
}

impl Recorder for Trace {
    // It takes launches, fills and copies as they are called: their arguments may stand for values that are not known yet.
    fn defers(&self) -> bool {
        false
    }

    fn take(&self, _: Command) -> Outcome<()> {
        Ok(())
    }

    fn made(&self, array: &Core, holds: Holds) -> bool {
        self.add_new(
            array,
            match holds {
                Holds::Content => Start::Content,
                Holds::Any | Holds::Zeros => Start::Blank,
            },
        );
        true
    }
}
