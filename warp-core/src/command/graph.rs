//! Graphs: commands in order, to be done any number of times.
//!
//! The commands run one after the other. With a GPU among the devices they run as `graph_segments` cuts them.

use super::data::{Command, Host, Shared, are_short, run};
use super::graph_segments::{self, GraphSegment, are_of_gpu, gpu_of, segments};
use crate::abi::Strided;
use crate::backend;
use crate::device::{Stream, Streams, cuda, current_stream};
use crate::error::Result;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Commands, and how they are run.
pub struct Graph {
    commands: Mutex<Shared>,
    /// The GPU among the devices, and the stream that was current when the graph was made.
    gpu: Option<Stream>,
    /// The commands as they are run, where a GPU is among the devices; made when they first are.
    segments: Mutex<Option<Arc<[GraphSegment]>>>,
}

impl Graph {
    /// A graph of commands.
    pub fn new(commands: Vec<Command>) -> Graph {
        let gpu = gpu_of(&commands).and_then(|gpu| current_stream(gpu).ok());
        Graph {
            commands: Mutex::new(commands.into()),
            gpu,
            segments: Mutex::new(None),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.commands.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn made(&self) -> MutexGuard<'_, Option<Arc<[GraphSegment]>>> {
        self.segments.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The commands.
    pub fn commands(&self) -> Shared {
        Arc::clone(&self.lock())
    }

    /// Forgets the commands.
    pub fn clear(&self) {
        let segments = self.made().take();
        let old = std::mem::replace(&mut *self.lock(), Arc::new([]));
        drop((segments, old));
    }

    /// Calls a function with each command, also those that others decide about, unless the graph runs or somebody else holds them.
    /// Waits for no lock.
    pub fn each(&self, f: &mut dyn FnMut(&Command)) {
        let Ok(commands) = self.commands.try_lock() else {
            return;
        };
        // Pieces hold the commands that the host does once more.
        if Arc::strong_count(&commands) == 1 + self.held_again() {
            each(&commands, f);
        }
    }

    /// How many segments hold the commands.
    fn held_again(&self) -> usize {
        let segments = self.segments.try_lock();
        let segments = segments
            .as_ref()
            .ok()
            .and_then(|segments| segments.as_ref());
        segments.map_or(0, |segments| {
            let held = |segment: &&GraphSegment| matches!(segment, GraphSegment::Command(..));
            segments.iter().filter(held).count()
        })
    }

    /// Asked before a run: whether all memory is what it was.
    ///
    /// # Errors
    /// Memory has been replaced.
    pub fn check(&self) -> Result<()> {
        self.commands().iter().try_for_each(Command::check)
    }

    /// Calls a function with all that a run may write.
    pub fn writes(&self, each: &mut dyn FnMut(&Strided)) {
        let commands = self.commands();
        commands.iter().for_each(|command| command.writes(each));
    }

    /// Whether a run needs [`Graph::prepare`] first.
    pub fn is_unprepared(&self) -> bool {
        self.gpu.is_some() && self.made().is_none()
    }

    /// Makes CUDA graphs of what GPUs do, once. Waits for the stream on which the graph was captured, unless `interrupted`, which is
    /// asked now and then, ends the waiting.
    ///
    /// # Errors
    /// What a command or the driver says.
    pub fn prepare(&self, interrupted: &dyn Fn() -> bool) -> Result<()> {
        let Some(origin) = self.gpu.filter(|_| self.is_unprepared()) else {
            return Ok(());
        };
        // What was made during the capture was made in the order of this stream, and others are to use it.
        if cuda::capture_of(origin)?.is_none() {
            backend::of(origin.device)?.synchronize(origin, interrupted)?;
        }
        // Outside the lock: recording may run code of others.
        let segments = segments(&self.commands(), origin.device);
        let segments = segments.map_err(|e| e.within("capture_launch").of_array())?;
        self.made().get_or_insert(segments.into());
        Ok(())
    }

    /// Whether a run is expected to be done soon, or GPUs alone do it.
    pub fn is_short(&self) -> bool {
        match (self.gpu, &*self.made()) {
            (Some(_), Some(segments)) => are_of_gpu(segments),
            (Some(_), None) => false,
            (None, _) => are_short(&self.commands()),
        }
    }

    /// Runs the commands. `interrupted` is asked now and then; true ends the run.
    ///
    /// # Errors
    /// What a kernel or a device says.
    pub fn run(&self, streams: Streams, interrupted: &dyn Fn() -> bool) -> Result<()> {
        self.prepare(interrupted)?;
        let segments = self.made().clone();
        match (self.gpu, segments) {
            (Some(origin), Some(segments)) => {
                graph_segments::run(&segments, origin.device, streams, interrupted)
            }
            _ => run(&self.commands(), streams, interrupted),
        }
    }
}

fn each(commands: &[Command], f: &mut dyn FnMut(&Command)) {
    for command in commands {
        f(command);
        match command {
            Command::Host(Host::If {
                on_true, on_false, ..
            }) => {
                each(on_true, f);
                each(on_false, f);
            }
            Command::Host(Host::While { body, .. }) => each(body, f),
            _ => {}
        }
    }
}
