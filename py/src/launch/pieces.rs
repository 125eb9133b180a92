//! How a graph's steps are run where a GPU is among the devices: what the GPU does alone becomes CUDA graphs, and the host does the
//! rest between them.
//!
//! Branches and loops become parts of CUDA graphs where the driver knows such and their bodies need no host. Otherwise the host
//! waits for the condition.

use crate::object::capture_state::{Control, Place, Shared, Step};
use crate::object::error::refuse;
use pyo3::prelude::*;
use std::ops::Range;
use warp_core::array::{Array as Core, copy as elements};
use warp_core::backend::cuda::graph::{Graph, Recorder, has_conditions, record};
use warp_core::device::{Device, Stream, cuda, current_stream};
use warp_core::error::Error;
use warp_dlpack::raise;

/// A part of a graph, as it is run.
pub enum Piece {
    /// What the GPU does alone.
    Gpu(Graph),
    /// A step that the host does.
    Step(Shared, usize),
    /// A branch that the host decides.
    If(Core, Vec<Piece>, Vec<Piece>),
    /// A loop that the host decides.
    While(Core, Vec<Piece>),
}

/// What can go wrong while steps are recorded.
enum Failure {
    Core(Error),
    Python(PyErr),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Core(error)
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Failure {
        Failure::Python(error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> PyErr {
        match failure {
            Failure::Core(e) => Python::attach(|py| refuse(py, "capture_launch")(e)),
            Failure::Python(e) => e,
        }
    }
}

/// The first GPU that does one of the steps.
pub fn gpu_of(steps: &[Box<dyn Step>]) -> Option<Device> {
    steps
        .iter()
        .find_map(|step| match (step.control(), step.place()) {
            (Some(Control::If(c, a, b)), _) => gpu(c.view.device)
                .or_else(|| gpu_of(a))
                .or_else(|| gpu_of(b)),
            (Some(Control::While(c, body)), _) => gpu(c.view.device).or_else(|| gpu_of(body)),
            (Some(Control::All(steps)), _) => gpu_of(&steps),
            (None, Place::Gpu(device) | Place::GpuOutside(device)) => Some(device),
            (None, Place::Host) => None,
        })
}

fn gpu(device: Device) -> Option<Device> {
    Some(device).filter(|d| *d != Device::Cpu)
}

/// Cuts steps into pieces for a GPU.
///
/// # Errors
/// What a step or the driver says while they are recorded.
pub fn pieces(steps: &Shared, device: Device) -> PyResult<Vec<Piece>> {
    let cutter = Cutter {
        device,
        conditions: has_conditions(device),
    };
    Ok(cutter.cut(steps)?)
}

struct Cutter {
    device: Device,
    /// Whether the GPU can decide by itself.
    conditions: bool,
}

impl Cutter {
    fn cut(&self, steps: &Shared) -> Result<Vec<Piece>, Failure> {
        let mut pieces = Vec::new();
        let mut begun = 0;
        for (at, step) in steps.iter().enumerate() {
            if self.is_recorded(&**step, false) {
                continue;
            }
            self.add(&mut pieces, steps, begun..at)?;
            begun = at + 1;
            match step.control() {
                None => pieces.push(Piece::Step(steps.clone(), at)),
                Some(Control::All(inner)) => pieces.extend(self.cut(&inner)?),
                Some(Control::If(c, a, b)) => {
                    pieces.push(Piece::If(c.clone(), self.cut(a)?, self.cut(b)?))
                }
                Some(Control::While(c, body)) => {
                    pieces.push(Piece::While(c.clone(), self.cut(body)?))
                }
            }
        }
        self.add(&mut pieces, steps, begun..steps.len())?;
        Ok(pieces)
    }

    fn add(
        &self,
        pieces: &mut Vec<Piece>,
        steps: &Shared,
        range: Range<usize>,
    ) -> Result<(), Failure> {
        if !range.is_empty() {
            let graph = record(self.device, |recorder| record_all(&steps[range], recorder))?;
            pieces.push(Piece::Gpu(graph));
        }
        Ok(())
    }

    fn is_recorded(&self, step: &dyn Step, inside: bool) -> bool {
        let all = |steps: &[Box<dyn Step>], inside| {
            steps.iter().all(|step| self.is_recorded(&**step, inside))
        };
        let decides = |c: &Core| self.conditions && c.view.device == self.device;
        match step.control() {
            Some(Control::All(steps)) => all(&steps, inside),
            Some(Control::If(c, a, b)) => decides(c) && all(a, true) && all(b, true),
            Some(Control::While(c, body)) => decides(c) && all(body, true),
            None => match step.place() {
                Place::Gpu(device) => device == self.device,
                Place::GpuOutside(device) => device == self.device && !inside,
                Place::Host => false,
            },
        }
    }
}

fn record_all(steps: &[Box<dyn Step>], recorder: &Recorder) -> Result<(), Failure> {
    for step in steps {
        match step.control() {
            None => step.run(&|| false)?,
            Some(Control::All(steps)) => record_all(&steps, recorder)?,
            Some(Control::If(c, a, b)) => {
                recorder.branch(c.view.arg.data, |r| record_all(a, r), |r| record_all(b, r))?;
            }
            Some(Control::While(c, body)) => {
                recorder.repeat(c.view.arg.data, |r| record_all(body, r))?
            }
        }
    }
    Ok(())
}

/// Whether no piece needs the host.
pub fn are_of_gpu(pieces: &[Piece]) -> bool {
    pieces.iter().all(|piece| matches!(piece, Piece::Gpu(_)))
}

/// Runs pieces in order, on the current stream of a GPU; `go_on` is asked between them.
///
/// # Errors
/// What a step, the driver or `go_on` says.
pub fn run(
    pieces: &[Piece],
    device: Device,
    go_on: &dyn Fn() -> PyResult<()>,
    interrupted: &dyn Fn() -> bool,
) -> PyResult<()> {
    let again = |pieces: &[Piece]| run(pieces, device, go_on, interrupted);
    for piece in pieces {
        match piece {
            Piece::Gpu(graph) => launch(graph, device)?,
            Piece::Step(steps, at) => step(&*steps[*at], device, interrupted)?,
            Piece::If(condition, on_true, on_false) => match holds(condition)? {
                true => again(on_true)?,
                false => again(on_false)?,
            },
            Piece::While(condition, body) => {
                while holds(condition)? {
                    again(body)?;
                    go_on()?;
                }
            }
        }
    }
    Ok(())
}

/// Runs a step. Work of another GPU comes after the queued work of this one, and before its later work.
fn step(step: &dyn Step, device: Device, interrupted: &dyn Fn() -> bool) -> PyResult<()> {
    let other = match step.place() {
        Place::Gpu(other) | Place::GpuOutside(other) if other != device => other,
        _ => return step.run(interrupted),
    };
    let raised = |e| Python::attach(|py| raise(py, e));
    let streams = current_stream(device).and_then(|own| Ok((own, current_stream(other)?)));
    let (own, theirs) = streams.map_err(raised)?;
    cuda::join(theirs, own).map_err(raised)?;
    step.run(interrupted)?;
    cuda::join(own, theirs).map_err(raised)
}

fn launch(graph: &Graph, device: Device) -> PyResult<()> {
    let launched = current_stream(device).and_then(|stream: Stream| {
        // SAFETY: the graph of Python keeps the memory, which goes back in the order of streams.
        unsafe { graph.launch(stream) }
    });
    launched.map_err(|e| Python::attach(|py| raise(py, e)))
}

/// What an int32 says, wherever it is. Waits for the stream.
///
/// # Errors
/// What the device says.
pub fn holds(condition: &Core) -> PyResult<bool> {
    let view = &condition.view;
    if view.device == Device::Cpu {
        // SAFETY: it is an int32, as was checked, whose memory the owner keeps.
        return Ok(unsafe { view.arg.data.cast::<i32>().read_unaligned() != 0 });
    }
    // SAFETY: as above.
    let read = unsafe { elements::read(view) };
    read.map(|bytes| bytes.iter().any(|b| *b != 0))
        .map_err(|e| Python::attach(|py| raise(py, e)))
}
