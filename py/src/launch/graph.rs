//! `wp.Graph`: launches, fills and copies that were captured, to run again; `warp/_devices/capture.py` has the functions around it.
//!
//! A run asks first whether all memory is what it was, and has tapes keep what is about to be overwritten; nothing has been
//! written where that fails. Then the steps run one after the other, without Python's lock unless all are quick. With a GPU among
//! the devices they run as `graph_segments.rs` cuts them.

use crate::argument::captured;
use crate::object::error::{Code, error};
use crate::object::message::describe;
use crate::object::record::take;
use crate::object::{Array, trace_state};
use crate::runtime::device;
use crate::runtime::signal::Signal;
use crate::runtime::snapshot::{keep_overwritten, watched};
use crate::runtime::stream::resolve_stream;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::any::Any;
use warp_core::array::Array as Core;
use warp_core::command::{Capture, Command, Commands, Graph as CoreGraph, Host, Shared};
use warp_core::device::{Device, Streams};
use warp_core::dtype::Scalar;
use warp_core::error::Result as Outcome;
use warp_core::ty::Elem;
use warp_dlpack::raise;

/// Launches, fills and copies that were captured, in order. `wp.capture_launch` runs them.
#[pyclass(frozen, module = "warp", name = "Graph")]
pub struct Graph {
    device: Device,
    graph: CoreGraph,
}

impl Graph {
    /// Runs the commands.
    fn run(&self, py: Python<'_>, streams: Streams) -> PyResult<()> {
        let graph = &self.graph;
        let raised = |e| raise(py, e);
        graph.check().map_err(raised)?;
        if watched() {
            let mut outcome = Ok(());
            graph.writes(&mut |written| {
                if outcome.is_ok() {
                    outcome = keep_overwritten(py, written).map(|_| ());
                }
            });
            outcome?;
            // Copying may have run code of the user's.
            graph.check().map_err(raised)?;
        }
        if graph.is_unprepared() {
            freely(py, |interrupted| graph.prepare(interrupted))?;
        }
        if !graph.is_short() {
            return freely(py, |interrupted| graph.run(streams, interrupted));
        }
        let signal = Signal::default();
        let outcome = graph.run(streams, &|| {
            py.detach(std::thread::yield_now);
            signal.came(py)
        });
        outcome.map_err(|e| signal.or_else(|| raised(e)))
    }
}

/// Does something without Python's lock; a signal interrupts it.
fn freely(
    py: Python<'_>,
    what: impl FnOnce(&dyn Fn() -> bool) -> Outcome<()> + Send,
) -> PyResult<()> {
    let signal = Signal::default();
    let outcome = py.detach(|| what(&|| Python::attach(|py| signal.came(py))));
    outcome.map_err(|e| signal.or_else(|| raise(py, e)))
}

#[pymethods]
impl Graph {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let mut outcome = Ok(());
        self.graph.each(&mut |command| {
            if outcome.is_ok() {
                outcome = captured::visit(command, &visit).and_then(|()| match whole(command) {
                    Some(whole) => visit.call(&whole.graph),
                    None => Ok(()),
                });
            }
        });
        outcome
    }

    fn __clear__(&self) {
        self.graph.clear();
    }

    /// Where it runs.
    #[getter]
    fn device<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, device::Device>> {
        device::object(py, self.device)
    }

    fn __len__(&self) -> usize {
        self.graph.commands().len()
    }

    fn __repr__(&self) -> String {
        format!("<warp graph of {} steps>", self.graph.commands().len())
    }

    /// What the steps are: for each its name, and the lists of those that it may run, by name.
    fn _listing<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        listing(py, &self.graph.commands())
    }
}

fn listing<'py>(py: Python<'py>, commands: &[Command]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for command in commands {
        let parts = PyDict::new(py);
        for (name, part) in command.parts() {
            parts.set_item(name, listing(py, &part)?)?;
        }
        list.append((command.name(), parts))?;
    }
    Ok(list)
}

/// Begins to capture on this thread.
#[pyfunction]
fn _capture_begin() -> PyResult<()> {
    trace_state::check_run("wp.capture_begin")?;
    if Capture::begin().is_some() {
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
    let Some(capture) = Capture::current() else {
        return Err(error(
            Code::Runtime,
            "capture_end: this thread captures nothing; wp.capture_begin begins that, on the same thread",
        ));
    };
    if capture.is_in_body() {
        return Err(error(
            Code::Runtime,
            "capture_end: a branch or body is being captured, which must return first",
        ));
    }
    Ok(Graph {
        device: device.0,
        graph: CoreGraph::new(capture.end()),
    })
}

/// Whether this thread captures.
#[pyfunction]
fn _capturing() -> bool {
    warp_core::command::capture::capturing()
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
    if take(|| Ok(Whole::command(graph)))? {
        return Ok(());
    }
    let streams = resolve_stream("capture_launch", stream)?;
    graph
        .get()
        .run(py, streams.map_or(Streams::CURRENT, Streams::from))
}

/// The commands that a function captures, as a graph of their own.
fn body(function: &Bound<'_, PyAny>, keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Shared> {
    if let Ok(graph) = function.cast::<Graph>() {
        return Ok([Whole::command(graph)].into());
    }
    let call = || function.call(PyTuple::empty(function.py()), keywords);
    let (outcome, commands) = match Capture::current() {
        Some(capture) => capture.body(call),
        None => (call(), None),
    };
    outcome?;
    Ok(commands.unwrap_or_else(|| [].into()))
}

/// Captures a branch: which function's or graph's steps run is decided when they would.
#[pyfunction]
fn _capture_if(
    condition: &Bound<'_, Array>,
    on_true: Option<&Bound<'_, PyAny>>,
    on_false: Option<&Bound<'_, PyAny>>,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<()> {
    let of = |function: Option<&Bound<'_, PyAny>>| match function {
        Some(function) => body(function, keywords),
        None => Ok([].into()),
    };
    let (on_true, on_false) = (of(on_true)?, of(on_false)?);
    take_host(Host::If {
        condition: decides(condition),
        on_true,
        on_false,
    })
}

/// Captures a loop: it runs while the condition is not zero.
#[pyfunction]
fn _capture_while(
    condition: &Bound<'_, Array>,
    while_body: &Bound<'_, PyAny>,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<()> {
    let body = body(while_body, keywords)?;
    take_host(Host::While {
        condition: decides(condition),
        body,
    })
}

fn take_host(host: Host) -> PyResult<()> {
    take(|| Ok(Command::Host(host))).map(|_| ())
}

/// The int32 that decides, which Python has looked at.
fn decides(array: &Bound<'_, Array>) -> Core {
    let core = array.get().core.clone();
    debug_assert!(core.view.elem == Elem::Scalar(Scalar::I32));
    core
}

/// A whole graph as a command.
struct Whole {
    graph: Py<Graph>,
}

impl Whole {
    fn command(graph: &Bound<'_, Graph>) -> Command {
        let graph = graph.clone().unbind();
        Command::Host(Host::All(Box::new(Whole { graph })))
    }
}

impl Commands for Whole {
    fn commands(&self) -> Shared {
        self.graph.get().graph.commands()
    }
}

/// The graph that a command is.
fn whole(command: &Command) -> Option<&Whole> {
    match command {
        Command::Host(Host::All(graph)) => (&**graph as &dyn Any).downcast_ref(),
        _ => None,
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
