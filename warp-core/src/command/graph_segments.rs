//! How a graph's commands are run where a GPU is among the devices: what the GPU does alone becomes CUDA graphs, and the host does
//! the rest between them.
//!
//! Branches and loops become parts of CUDA graphs where the driver knows such and their bodies need no host. Otherwise the host
//! waits for the condition.

use super::data::{Command, Host, Place, Shared, go_on, holds};
use crate::array::Array;
use crate::backend::cuda::graph::{Graph, Recording, has_conditions, record};
use crate::device::{Device, Streams, cuda};
use crate::error::Result;
use std::cell::Cell;
use std::ops::Range;
use std::time::Instant;

/// A part of a graph, as it is run.
pub enum GraphSegment {
    /// What the GPU does alone.
    Gpu(Graph),
    /// A command that the host does.
    Command(Shared, usize),
    /// A branch that the host decides.
    If(Array, Vec<GraphSegment>, Vec<GraphSegment>),
    /// A loop that the host decides.
    While(Array, Vec<GraphSegment>),
}

/// The first GPU that does one of the commands.
pub fn gpu_of(commands: &[Command]) -> Option<Device> {
    let gpu = |device: Device| Some(device).filter(|d| *d != Device::Cpu);
    commands.iter().find_map(|command| match command {
        Command::Host(Host::If {
            condition,
            on_true,
            on_false,
        }) => gpu(condition.view.device)
            .or_else(|| gpu_of(on_true))
            .or_else(|| gpu_of(on_false)),
        Command::Host(Host::While { condition, body }) => {
            gpu(condition.view.device).or_else(|| gpu_of(body))
        }
        Command::Host(Host::All(graph)) => gpu_of(&graph.commands()),
        command => match command.place() {
            Place::Gpu(device) | Place::GpuOutside(device) => Some(device),
            Place::Host => None,
        },
    })
}

/// Cuts commands into segments for a GPU.
///
/// # Errors
/// What a command or the driver says while they are recorded.
pub fn segments(commands: &Shared, device: Device) -> Result<Vec<GraphSegment>> {
    let cutter = Cutter {
        device,
        conditions: has_conditions(device),
    };
    cutter.cut(commands)
}

struct Cutter {
    device: Device,
    /// Whether the GPU can decide by itself.
    conditions: bool,
}

impl Cutter {
    fn cut(&self, commands: &Shared) -> Result<Vec<GraphSegment>> {
        let mut segments = Vec::new();
        let mut begun = 0;
        for (at, command) in commands.iter().enumerate() {
            if self.is_recorded(command, false) {
                continue;
            }
            self.add(&mut segments, commands, begun..at)?;
            begun = at + 1;
            match command {
                Command::Host(Host::All(graph)) => segments.extend(self.cut(&graph.commands())?),
                Command::Host(Host::If {
                    condition,
                    on_true,
                    on_false,
                }) => segments.push(GraphSegment::If(
                    condition.clone(),
                    self.cut(on_true)?,
                    self.cut(on_false)?,
                )),
                Command::Host(Host::While { condition, body }) => {
                    segments.push(GraphSegment::While(condition.clone(), self.cut(body)?));
                }
                _ => segments.push(GraphSegment::Command(commands.clone(), at)),
            }
        }
        self.add(&mut segments, commands, begun..commands.len())?;
        Ok(segments)
    }

    fn add(
        &self,
        segments: &mut Vec<GraphSegment>,
        commands: &Shared,
        range: Range<usize>,
    ) -> Result<()> {
        if !range.is_empty() {
            let graph = record(self.device, |recording| {
                record_all(&commands[range], recording)
            })?;
            segments.push(GraphSegment::Gpu(graph));
        }
        Ok(())
    }

    fn is_recorded(&self, command: &Command, inside: bool) -> bool {
        let all =
            |commands: &[Command], inside| commands.iter().all(|c| self.is_recorded(c, inside));
        let decides = |c: &Array| self.conditions && c.view.device == self.device;
        match command {
            Command::Host(Host::All(graph)) => all(&graph.commands(), inside),
            Command::Host(Host::If {
                condition,
                on_true,
                on_false,
            }) => decides(condition) && all(on_true, true) && all(on_false, true),
            Command::Host(Host::While { condition, body }) => decides(condition) && all(body, true),
            command => match command.place() {
                Place::Gpu(device) => device == self.device,
                Place::GpuOutside(device) => device == self.device && !inside,
                Place::Host => false,
            },
        }
    }
}

fn record_all(commands: &[Command], recording: &Recording) -> Result<()> {
    for command in commands {
        match command {
            Command::Host(Host::All(graph)) => record_all(&graph.commands(), recording)?,
            Command::Host(Host::If {
                condition,
                on_true,
                on_false,
            }) => recording.branch(
                condition.view.arg.data,
                |r| record_all(on_true, r),
                |r| record_all(on_false, r),
            )?,
            Command::Host(Host::While { condition, body }) => {
                recording.repeat(condition.view.arg.data, |r| record_all(body, r))?;
            }
            command => command.run(recording.stream().into(), &|| false)?,
        }
    }
    Ok(())
}

/// Whether no segment needs the host.
pub fn are_of_gpu(segments: &[GraphSegment]) -> bool {
    segments
        .iter()
        .all(|segment| matches!(segment, GraphSegment::Gpu(_)))
}

/// Runs segments in order, on the streams of a GPU.
///
/// # Errors
/// What a command or the driver says, or that the run was interrupted.
pub fn run(
    segments: &[GraphSegment],
    device: Device,
    streams: Streams,
    interrupted: &dyn Fn() -> bool,
) -> Result<()> {
    let runner = Runner {
        device,
        streams,
        interrupted,
        asked: Cell::new(None),
    };
    runner.run(segments)
}

struct Runner<'a> {
    device: Device,
    streams: Streams,
    interrupted: &'a dyn Fn() -> bool,
    /// When it was last asked whether to go on.
    asked: Cell<Option<Instant>>,
}

impl Runner<'_> {
    fn run(&self, segments: &[GraphSegment]) -> Result<()> {
        for segment in segments {
            match segment {
                // SAFETY: the commands keep the memory, which goes back in the order of streams.
                GraphSegment::Gpu(graph) => unsafe { graph.launch(self.streams.of(self.device)?) }?,
                GraphSegment::Command(commands, at) => self.command(&commands[*at])?,
                GraphSegment::If(condition, on_true, on_false) => {
                    match holds(condition, self.streams)? {
                        true => self.run(on_true)?,
                        false => self.run(on_false)?,
                    }
                }
                GraphSegment::While(condition, body) => {
                    while holds(condition, self.streams)? {
                        self.run(body)?;
                        go_on(&self.asked, self.interrupted)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Runs a command. Work of another GPU comes after the queued work of this one, and before its later work.
    fn command(&self, command: &Command) -> Result<()> {
        let other = match command.place() {
            Place::Gpu(other) | Place::GpuOutside(other) if other != self.device => other,
            _ => return command.run(self.streams, self.interrupted),
        };
        let (own, theirs) = (self.streams.of(self.device)?, self.streams.of(other)?);
        cuda::join(theirs, own)?;
        command.run(self.streams, self.interrupted)?;
        cuda::join(own, theirs)
    }
}
