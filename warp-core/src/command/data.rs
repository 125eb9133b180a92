//! The command, and what is known of each kind.

use super::algorithm::Algorithm;
use super::launch::Launch;
pub use super::place::Place;
use super::transfer::{self, Copy, Fill, shown};
use crate::abi::Strided;
use crate::array::{Array, Owner, copy};
use crate::device::{Device, Streams};
use crate::error::{Code, Error, Result};
use std::any::Any;
use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// So many quick commands run without a question whether to go on.
const FEW: usize = 64;
/// How often a run asks between commands whether to go on.
const POLL: Duration = Duration::from_millis(20);

/// What a device, or the host, is given to do. It holds the memory that it uses.
pub enum Command {
    /// A kernel runs.
    Launch(Launch),
    /// One element is written to all of an array.
    Fill(Fill),
    /// An array gets the elements of another one.
    Copy(Copy),
    /// A sum, a scan, a sort and their like.
    Algorithm(Algorithm),
    /// The host decides what is done.
    Host(Host),
}

/// What the host does: it decides which commands run. GPUs may do that by themselves.
pub enum Host {
    /// One of two, by an int32.
    If {
        /// The int32.
        condition: Array,
        /// Where it is not zero.
        on_true: Shared,
        /// Where it is.
        on_false: Shared,
    },
    /// A loop, by an int32.
    While {
        /// The int32: the loop ends when it is zero.
        condition: Array,
        /// What is repeated.
        body: Shared,
    },
    /// Nothing: the commands of another graph.
    All(Box<dyn Commands>),
}

/// Commands that several hold.
pub type Shared = Arc<[Command]>;

/// Something that has commands, such as a graph within another one.
pub trait Commands: Any + Send + Sync {
    /// The commands that it has now.
    fn commands(&self) -> Shared;
}

impl Command {
    /// Calls a function with the owners of the memory that this uses itself, without those of the commands that it decides about.
    pub fn owners(&self, each: &mut dyn FnMut(&Owner)) {
        match self {
            Command::Launch(launch) => launch.owners().for_each(each),
            Command::Fill(fill) => each(&fill.to.owner),
            Command::Copy(copy) => {
                each(&copy.to.owner);
                each(&copy.from.owner);
            }
            Command::Algorithm(algorithm) => {
                algorithm.arrays.iter().for_each(|a| each(&a.owner));
            }
            Command::Host(Host::If { condition, .. } | Host::While { condition, .. }) => {
                each(&condition.owner);
            }
            Command::Host(Host::All(_)) => {}
        }
    }

    /// Calls a function with all that this reads. What addresses in memory lead to is not known.
    pub fn reads(&self, each: &mut dyn FnMut(&Strided)) {
        match self {
            Command::Launch(launch) => launch.reads(each),
            Command::Fill(_) => {}
            Command::Copy(copy) => each(&copy.from.view.strided()),
            Command::Algorithm(algorithm) => {
                let read = &algorithm.arrays[..algorithm.reads];
                read.iter().for_each(|a| each(&a.view.strided()));
            }
            Command::Host(host) => {
                if let Host::If { condition, .. } | Host::While { condition, .. } = host {
                    each(&condition.view.strided());
                }
                let parts = host.parts();
                let all = parts.iter().flat_map(|(_, part)| part.iter());
                all.for_each(|command| command.reads(each));
            }
        }
    }

    /// Calls a function with all that this writes.
    pub fn writes(&self, each: &mut dyn FnMut(&Strided)) {
        match self {
            Command::Launch(launch) => launch.writes().iter().for_each(each),
            Command::Fill(fill) => each(&fill.to.view.strided()),
            Command::Copy(copy) => each(&copy.to.view.strided()),
            Command::Algorithm(algorithm) => {
                let written = algorithm.written();
                written.iter().for_each(|a| each(&a.view.strided()));
            }
            Command::Host(host) => host.parts().iter().for_each(|(_, part)| {
                part.iter().for_each(|command| command.writes(each));
            }),
        }
    }

    /// Calls a function with all that this overwrites: of what a launch writes, the elements.
    pub(super) fn overwrites(&self, each: &mut dyn FnMut(&Strided)) {
        match self {
            Command::Launch(launch) => launch.overwrites(each),
            other => other.writes(each),
        }
    }

    /// Asked before this is done again, of the commands that it decides about too: whether all memory is what it was.
    ///
    /// # Errors
    /// Memory has been replaced.
    pub fn check(&self) -> Result<()> {
        match self {
            Command::Launch(launch) => launch.check(),
            Command::Fill(fill) => transfer::check(&fill.to),
            Command::Copy(copy) => {
                transfer::check(&copy.to)?;
                transfer::check(&copy.from)
            }
            Command::Algorithm(algorithm) => algorithm.arrays.iter().try_for_each(transfer::check),
            Command::Host(host) => {
                if let Host::If { condition, .. } | Host::While { condition, .. } = host {
                    transfer::check(condition)?;
                }
                let mut parts = host.parts().into_iter();
                parts.try_for_each(|(_, part)| part.iter().try_for_each(Command::check))
            }
        }
    }

    /// Whether it is expected to be done soon.
    pub fn is_short(&self) -> bool {
        match self {
            Command::Launch(launch) => launch.is_short(),
            Command::Fill(fill) => transfer::is_short(&fill.to.view),
            Command::Copy(copy) => transfer::is_short(&copy.to.view),
            Command::Algorithm(algorithm) => algorithm.is_short(),
            // Nobody knows how often.
            Command::Host(Host::While { .. }) => false,
            Command::Host(host) => host.parts().iter().all(|(_, part)| are_short(part)),
        }
    }

    /// Who does it.
    pub fn place(&self) -> Place {
        match self {
            Command::Launch(launch) => launch.place(),
            Command::Fill(fill) => Place::of(&fill.to.view),
            Command::Copy(copy) => copy.place(),
            Command::Algorithm(algorithm) => algorithm.place(),
            Command::Host(_) => Place::Host,
        }
    }

    /// What it is, in a line.
    pub fn name(&self) -> String {
        match self {
            Command::Launch(launch) => launch.name(),
            Command::Fill(fill) => format!("{} {}", fill.name, shown(&fill.to.view)),
            Command::Copy(copy) => format!("{} {}", copy.name, shown(&copy.to.view)),
            Command::Algorithm(algorithm) => {
                let arrays = algorithm.arrays.iter().map(|array| shown(&array.view));
                let arrays: Vec<String> = arrays.collect();
                format!("{} {}", algorithm.name, arrays.join(", "))
            }
            Command::Host(Host::If { .. }) => "if".into(),
            Command::Host(Host::While { .. }) => "while".into(),
            Command::Host(Host::All(_)) => "graph".into(),
        }
    }

    /// The commands that it decides about, and what they are called.
    pub fn parts(&self) -> Vec<(&'static str, Shared)> {
        match self {
            Command::Host(host) => host.parts(),
            _ => Vec::new(),
        }
    }

    /// Does it. `interrupted` is asked now and then; true ends the work.
    ///
    /// # Errors
    /// What a kernel or a device says.
    pub fn run(&self, streams: Streams, interrupted: &dyn Fn() -> bool) -> Result<()> {
        let of_graph = |e: Error| e.within("a graph").of_array();
        match self {
            Command::Launch(launch) => launch.run(streams, interrupted),
            Command::Fill(fill) => fill.run(streams).map_err(of_graph),
            Command::Copy(copy) => copy.run(streams).map_err(of_graph),
            Command::Algorithm(algorithm) => {
                let outcome = algorithm.run(streams);
                outcome.map_err(|e| e.within(algorithm.name).of_array())
            }
            Command::Host(host) => host.run(streams, interrupted),
        }
    }
}

impl Host {
    fn parts(&self) -> Vec<(&'static str, Shared)> {
        match self {
            Host::If {
                on_true, on_false, ..
            } => vec![("true", on_true.clone()), ("false", on_false.clone())],
            Host::While { body, .. } => vec![("body", body.clone())],
            Host::All(graph) => vec![("steps", graph.commands())],
        }
    }

    fn run(&self, streams: Streams, interrupted: &dyn Fn() -> bool) -> Result<()> {
        match self {
            Host::If {
                condition,
                on_true,
                on_false,
            } => match holds(condition, streams)? {
                true => run(on_true, streams, interrupted),
                false => run(on_false, streams, interrupted),
            },
            Host::While { condition, body } => {
                let start = Cell::new(None);
                while holds(condition, streams)? {
                    run(body, streams, interrupted)?;
                    go_on(&start, interrupted)?;
                }
                Ok(())
            }
            Host::All(graph) => run(&graph.commands(), streams, interrupted),
        }
    }
}

/// Whether commands are few and short.
pub(super) fn are_short(commands: &[Command]) -> bool {
    commands.len() <= FEW && commands.iter().all(Command::is_short)
}

/// Runs commands in order, and asks now and then whether to go on.
///
/// # Errors
/// What a kernel or a device says, or that the run was interrupted.
pub(super) fn run(
    commands: &[Command],
    streams: Streams,
    interrupted: &dyn Fn() -> bool,
) -> Result<()> {
    let start = Cell::new(None);
    for (at, command) in commands.iter().enumerate() {
        command.run(streams, interrupted)?;
        if at % FEW == FEW - 1 {
            go_on(&start, interrupted)?;
        }
    }
    Ok(())
}

/// Asks whether to go on, if that was not done just now.
///
/// # Errors
/// The run was interrupted.
pub(super) fn go_on(last: &Cell<Option<Instant>>, interrupted: &dyn Fn() -> bool) -> Result<()> {
    let now = Instant::now();
    match last.get() {
        Some(asked) if now - asked < POLL => return Ok(()),
        None => last.set(Some(now)),
        Some(_) => {
            last.set(Some(now));
            if interrupted() {
                return Err(Error::new(Code::Runtime, "capture_launch: interrupted"));
            }
        }
    }
    Ok(())
}

/// What an int32 says, wherever it is. Waits for the stream.
///
/// # Errors
/// What the device says.
pub(super) fn holds(condition: &Array, streams: Streams) -> Result<bool> {
    let view = &condition.view;
    if view.device == Device::Cpu {
        // SAFETY: it is an int32, as was checked, whose memory the owner keeps.
        return Ok(unsafe { view.arg.data.cast::<i32>().read_unaligned() != 0 });
    }
    // SAFETY: as above.
    let bytes = unsafe { copy::read_on(view, streams) }?;
    Ok(bytes.iter().any(|byte| *byte != 0))
}
