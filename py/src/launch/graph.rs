//! `wp.Graph`: launches, fills and copies that were captured, to run again; `warp/_devices/capture.py` has the functions around it.
//!
//! A run asks first whether all memory is what it was, and has tapes keep what is about to be overwritten; nothing has been
//! written where that fails. Then the steps run one after the other, without Python's lock unless all are quick. With a GPU among
//! the devices they run as `pieces.rs` cuts them.

use super::pieces::{self, Piece, are_of_gpu, gpu_of, holds};
use crate::object::access::check_current;
use crate::object::capture_state::{self, Control, Shared, Step, Steps};
use crate::object::error::{Code, error};
use crate::object::message::describe;
use crate::object::{Array, trace_state};
use crate::runtime::device;
use crate::runtime::signal::Signal;
use crate::runtime::snapshot::{keep_overwritten, watched};
use crate::runtime::stream::resolve_stream;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::cell::Cell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use warp_core::abi::Strided;
use warp_core::array::Array as Core;
use warp_core::backend;
use warp_core::device::{Device, Stream, cuda, current_stream, on_stream};
use warp_core::dtype::Scalar;
use warp_core::ty::Elem;
use warp_dlpack::{raise, referent};

/// So many quick steps run without giving up Python's lock.
const FEW: usize = 64;
/// How often a run asks between steps whether to go on.
const POLL: Duration = Duration::from_millis(20);

/// Launches, fills and copies that were captured, in order. `wp.capture_launch` runs them.
#[pyclass(frozen, module = "warp", name = "Graph")]
pub struct Graph {
    device: Device,
    steps: Mutex<Shared>,
    /// The GPU among the devices, and the stream that was current when the capture ended.
    gpu: Option<Stream>,
    /// The steps as they are run, where a GPU is among the devices; made when they first are.
    pieces: Mutex<Option<Arc<[Piece]>>>,
}

impl Graph {
    fn new(device: Device, steps: Steps) -> Graph {
        let gpu = gpu_of(&steps).and_then(|gpu| current_stream(gpu).ok());
        Graph {
            device,
            steps: Mutex::new(steps.into()),
            gpu,
            pieces: Mutex::new(None),
        }
    }

    /// The steps as they are run on a GPU.
    fn pieces(&self, py: Python<'_>, steps: &Shared, origin: Stream) -> PyResult<Arc<[Piece]>> {
        let lock = || self.pieces.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pieces) = &*lock() {
            return Ok(pieces.clone());
        }
        // Outside the lock: nobody waits for it with Python's lock while a GPU is waited for. What was made during the capture
        // was made in the order of this stream, and others are to use it.
        if cuda::capture_of(origin)
            .map_err(|e| raise(py, e))?
            .is_none()
        {
            let signal = Signal::default();
            let ready = py.detach(|| {
                let interrupted = || Python::attach(|py| signal.came(py));
                backend::of(origin.device)?.synchronize(origin, &interrupted)
            });
            ready.map_err(|e| signal.or_else(|| raise(py, e)))?;
        }
        let made: Arc<[Piece]> = pieces::pieces(steps, origin.device)?.into();
        Ok(lock().get_or_insert(made).clone())
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn steps(&self) -> Shared {
        Arc::clone(&self.lock())
    }

    /// How many pieces hold the steps.
    fn held_again(&self) -> usize {
        let pieces = self.pieces.try_lock();
        let pieces = pieces.as_ref().ok().and_then(|pieces| pieces.as_ref());
        pieces.map_or(0, |pieces| {
            pieces
                .iter()
                .filter(|p| matches!(p, Piece::Step(..)))
                .count()
        })
    }

    /// Runs the steps.
    fn run(&self, py: Python<'_>) -> PyResult<()> {
        let steps = self.steps();
        check(&steps)?;
        if watched() {
            let mut outcome = Ok(());
            each_write(&steps, &mut |written| {
                if outcome.is_ok() {
                    outcome = keep_overwritten(py, written).map(|_| ());
                }
            });
            outcome?;
            // Copying may have run code of the user's.
            check(&steps)?;
        }
        let signal = Signal::default();
        if let Some(origin) = self.gpu {
            let pieces = self.pieces(py, &steps, origin)?;
            let outcome = if are_of_gpu(&pieces) {
                pieces::run(&pieces, origin.device, &|| Ok(()), &|| false)
            } else {
                py.detach(|| {
                    let start = Cell::new(None);
                    let interrupted = || Python::attach(|py| signal.came(py));
                    pieces::run(
                        &pieces,
                        origin.device,
                        &|| go_on(&start, &interrupted),
                        &interrupted,
                    )
                })
            };
            return outcome.map_err(|error| signal.or_else(|| error));
        }
        let outcome = if is_short(&steps) {
            run(&steps, &|| {
                py.detach(std::thread::yield_now);
                signal.came(py)
            })
        } else {
            py.detach(|| run(&steps, &|| Python::attach(|py| signal.came(py))))
        };
        outcome.map_err(|error| signal.or_else(|| error))
    }
}

fn check(steps: &[Box<dyn Step>]) -> PyResult<()> {
    steps.iter().try_for_each(|step| {
        step.check()?;
        step.parts().iter().try_for_each(|(_, part)| check(part))
    })
}

fn each_write(steps: &[Box<dyn Step>], each: &mut dyn FnMut(&Strided)) {
    for step in steps {
        step.writes(each);
    }
}

fn is_short(steps: &[Box<dyn Step>]) -> bool {
    steps.len() <= FEW && steps.iter().all(|step| step.is_short())
}

/// Runs steps in order, and asks now and then whether to go on.
fn run(steps: &[Box<dyn Step>], interrupted: &dyn Fn() -> bool) -> PyResult<()> {
    let start = Cell::new(None);
    for (at, step) in steps.iter().enumerate() {
        step.run(interrupted)?;
        if at % FEW == FEW - 1 {
            go_on(&start, interrupted)?;
        }
    }
    Ok(())
}

/// Asks whether to go on, if that was not done just now.
fn go_on(last: &Cell<Option<Instant>>, interrupted: &dyn Fn() -> bool) -> PyResult<()> {
    let now = Instant::now();
    match last.get() {
        Some(asked) if now - asked < POLL => return Ok(()),
        None => last.set(Some(now)),
        Some(_) => {
            last.set(Some(now));
            if interrupted() {
                return Err(error(Code::Runtime, "capture_launch: interrupted"));
            }
        }
    }
    Ok(())
}

#[pymethods]
impl Graph {
    // The lock is not waited for: who holds it is reachable. So is who runs the steps, which counts itself.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self.steps.try_lock() {
            // Pieces hold the steps that the host does once more.
            Ok(steps) if Arc::strong_count(&steps) == 1 + self.held_again() => {
                steps.iter().try_for_each(|step| step.visit(&visit))
            }
            _ => Ok(()),
        }
    }

    fn __clear__(&self) {
        let pieces = self
            .pieces
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let old = std::mem::replace(&mut *self.lock(), Arc::new([]));
        drop((pieces, old));
    }

    /// Where it runs.
    #[getter]
    fn device<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, device::Device>> {
        device::object(py, self.device)
    }

    fn __len__(&self) -> usize {
        self.lock().len()
    }

    fn __repr__(&self) -> String {
        format!("<warp graph of {} steps>", self.lock().len())
    }

    /// What the steps are: for each its name, and the lists of those that it may run, by name.
    fn _listing<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        listing(py, &self.steps())
    }
}

fn listing<'py>(py: Python<'py>, steps: &[Box<dyn Step>]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for step in steps {
        let parts = PyDict::new(py);
        for (name, part) in step.parts() {
            parts.set_item(name, listing(py, &part)?)?;
        }
        list.append((step.name(), parts))?;
    }
    Ok(list)
}

/// Begins to capture on this thread.
#[pyfunction]
fn _capture_begin() -> PyResult<()> {
    trace_state::check_run("wp.capture_begin")?;
    if capture_state::begin() {
        return Ok(());
    }
    Err(error(
        Code::Runtime,
        "capture_begin: this thread captures already; end that with wp.capture_end first",
    ))
}

/// Ends the capture of this thread.
#[pyfunction]
fn _capture_end(device: &device::Device) -> PyResult<Graph> {
    if capture_state::in_body() {
        return Err(error(
            Code::Runtime,
            "capture_end: a branch or body is being captured, which must return first",
        ));
    }
    match capture_state::end() {
        Some(steps) => Ok(Graph::new(device.0, steps)),
        None => Err(error(
            Code::Runtime,
            "capture_end: this thread captures nothing; wp.capture_begin begins that, on the same thread",
        )),
    }
}

/// Whether this thread captures.
#[pyfunction]
fn _capturing() -> bool {
    capture_state::capturing()
}

/// Runs a graph, or captures that it is to be run.
#[pyfunction]
#[pyo3(signature = (graph, stream=None))]
fn _capture_launch(
    py: Python<'_>,
    graph: &Bound<'_, PyAny>,
    stream: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let Ok(graph) = graph.cast::<Graph>() else {
        return Err(error(
            Code::Type,
            format!(
                "capture_launch: graph is {}, expected a wp.Graph, as wp.capture_end returns",
                describe(graph)
            ),
        ));
    };
    trace_state::check_run("wp.capture_launch")?;
    if capture_state::capturing() {
        let whole = Whole {
            graph: graph.clone().unbind(),
        };
        return capture_state::add(Box::new(whole));
    }
    let stream = resolve_stream("capture_launch", stream)?;
    let _on = stream.filter(|s| s.device != Device::Cpu).map(on_stream);
    graph.get().run(py)
}

/// The steps that a function captures, as a graph of their own.
fn body(
    py: Python<'_>,
    function: &Bound<'_, PyAny>,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<Shared> {
    if let Ok(graph) = function.cast::<Graph>() {
        let whole = Whole {
            graph: graph.clone().unbind(),
        };
        return Ok(Arc::new([Box::new(whole) as Box<dyn Step>]));
    }
    capture_state::enter_body();
    let outcome = function.call(PyTuple::empty(py), keywords);
    let steps = capture_state::leave_body();
    outcome?;
    let steps = steps.unwrap_or_default().into_iter();
    Ok(steps.filter(|step| !step.is_idle()).collect())
}

/// Captures a branch: which function's or graph's steps run is decided when they would.
#[pyfunction]
fn _capture_if(
    py: Python<'_>,
    condition: &Bound<'_, Array>,
    on_true: Option<&Bound<'_, PyAny>>,
    on_false: Option<&Bound<'_, PyAny>>,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<()> {
    let condition = Condition::new(condition);
    let of = |function: Option<&Bound<'_, PyAny>>| match function {
        Some(function) => body(py, function, keywords),
        None => Ok(Steps::new().into()),
    };
    let (on_true, on_false) = (of(on_true)?, of(on_false)?);
    capture_state::add(Box::new(If {
        condition,
        on_true,
        on_false,
    }))
}

/// Captures a loop: it runs while the condition is not zero.
#[pyfunction]
fn _capture_while(
    py: Python<'_>,
    condition: &Bound<'_, Array>,
    while_body: &Bound<'_, PyAny>,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<()> {
    let condition = Condition::new(condition);
    let body = body(py, while_body, keywords)?;
    capture_state::add(Box::new(While { condition, body }))
}

/// A whole graph as a step.
struct Whole {
    graph: Py<Graph>,
}

impl Step for Whole {
    fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.graph)
    }
    fn writes(&self, each: &mut dyn FnMut(&Strided)) {
        each_write(&self.graph.get().steps(), each);
    }
    // Its steps are parts, which are asked.
    fn check(&self) -> PyResult<()> {
        Ok(())
    }
    fn is_short(&self) -> bool {
        is_short(&self.graph.get().steps())
    }
    fn run(&self, interrupted: &dyn Fn() -> bool) -> PyResult<()> {
        run(&self.graph.get().steps(), interrupted)
    }
    fn name(&self) -> String {
        "graph".into()
    }
    fn parts(&self) -> Vec<(&'static str, Shared)> {
        vec![("steps", self.graph.get().steps())]
    }
    fn control(&self) -> Option<Control<'_>> {
        Some(Control::All(self.graph.get().steps()))
    }
}

/// An array of one int32 that decides.
struct Condition(Core);

impl Condition {
    /// Of an array that Python has looked at.
    fn new(array: &Bound<'_, Array>) -> Condition {
        let core = array.get().core.clone();
        debug_assert!(core.view.elem == Elem::Scalar(Scalar::I32));
        Condition(core)
    }

    fn holds(&self) -> PyResult<bool> {
        holds(&self.0)
    }
}

struct If {
    condition: Condition,
    on_true: Shared,
    on_false: Shared,
}

impl Step for If {
    fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(referent(&self.condition.0.owner))?;
        let mut steps = self.on_true.iter().chain(self.on_false.iter());
        steps.try_for_each(|step| step.visit(visit))
    }
    fn writes(&self, each: &mut dyn FnMut(&Strided)) {
        each_write(&self.on_true, each);
        each_write(&self.on_false, each);
    }
    fn check(&self) -> PyResult<()> {
        check_current(&self.condition.0, "a graph")
    }
    fn is_short(&self) -> bool {
        is_short(&self.on_true) && is_short(&self.on_false)
    }
    fn run(&self, interrupted: &dyn Fn() -> bool) -> PyResult<()> {
        match self.condition.holds()? {
            true => run(&self.on_true, interrupted),
            false => run(&self.on_false, interrupted),
        }
    }
    fn name(&self) -> String {
        "if".into()
    }
    fn parts(&self) -> Vec<(&'static str, Shared)> {
        vec![
            ("true", self.on_true.clone()),
            ("false", self.on_false.clone()),
        ]
    }
    fn control(&self) -> Option<Control<'_>> {
        Some(Control::If(
            &self.condition.0,
            &self.on_true,
            &self.on_false,
        ))
    }
}

struct While {
    condition: Condition,
    body: Shared,
}

impl Step for While {
    fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(referent(&self.condition.0.owner))?;
        self.body.iter().try_for_each(|step| step.visit(visit))
    }
    fn writes(&self, each: &mut dyn FnMut(&Strided)) {
        each_write(&self.body, each);
    }
    fn check(&self) -> PyResult<()> {
        check_current(&self.condition.0, "a graph")
    }
    // Nobody knows how often.
    fn is_short(&self) -> bool {
        false
    }
    fn run(&self, interrupted: &dyn Fn() -> bool) -> PyResult<()> {
        let start = Cell::new(None);
        while self.condition.holds()? {
            run(&self.body, interrupted)?;
            go_on(&start, interrupted)?;
        }
        Ok(())
    }
    fn name(&self) -> String {
        "while".into()
    }
    fn parts(&self) -> Vec<(&'static str, Shared)> {
        vec![("body", self.body.clone())]
    }
    fn control(&self) -> Option<Control<'_>> {
        Some(Control::While(&self.condition.0, &self.body))
    }
}

/// Adds the class and the functions to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Graph>()?;
    m.add_function(wrap_pyfunction!(_capture_begin, m)?)?;
    m.add_function(wrap_pyfunction!(_capture_end, m)?)?;
    m.add_function(wrap_pyfunction!(_capturing, m)?)?;
    m.add_function(wrap_pyfunction!(_capture_launch, m)?)?;
    m.add_function(wrap_pyfunction!(_capture_if, m)?)?;
    m.add_function(wrap_pyfunction!(_capture_while, m)?)
}
