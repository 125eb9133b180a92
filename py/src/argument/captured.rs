//! A launch as a command.

use super::prepared::{Prepared, Source};
use crate::kernel::Kernel;
use crate::runtime::config;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use std::any::Any;
use std::sync::Arc;
use warp_core::command::{Command, Launch, Runnable};
use warp_core::device::Stream;
use warp_core::launch::{Buffers, Dims, any_overlap};
use warp_core::module::{CachedAdjoint, Program};
use warp_core::span;
use warp_dlpack::referent;

/// A launch that is ready, whose code is there, as a command.
///
/// # Errors
/// Its memory cannot be held.
#[cold]
pub fn command(stream: Stream, dims: Dims, prepared: &Prepared<'_>) -> PyResult<Command> {
    let Source {
        kernel,
        adjoint,
        writes,
    } = (prepared.source)()?;
    let apart = match prepared.buffers {
        Buffers::Apart => true,
        Buffers::Unknown => false,
        Buffers::Written(arrays) => !any_overlap(arrays),
    };
    let kernel = Box::new(OfKernel { kernel, adjoint });
    let (block, owners) = (prepared.block.clone(), (prepared.hold)()?);
    // SAFETY: the block was packed for this program, with the arrays whose memory these owners keep.
    let launch = unsafe { Launch::new(kernel, (stream, dims), block, apart, owners, writes) };
    Ok(Command::Launch(
        launch.with_lending(prepared.lending.cloned()),
    ))
}

/// Shows Python's collector what a command holds, but for what Python made a part of it.
///
/// # Errors
/// The collector wants to see no more.
pub fn visit(command: &Command, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
    if let Command::Launch(launch) = command
        && let Some(of) = (launch.kernel() as &dyn Any).downcast_ref::<OfKernel>()
    {
        visit.call(&of.kernel)?;
    }
    let mut outcome = Ok(());
    command.owners(&mut |owner| {
        if outcome.is_ok() {
            outcome = visit.call(referent(owner));
        }
    });
    outcome
}

/// A kernel, or an adjoint of it, that was compiled for what a command runs.
struct OfKernel {
    kernel: Py<Kernel>,
    adjoint: Option<Arc<CachedAdjoint>>,
}

impl Runnable for OfKernel {
    fn program(&self) -> &Program {
        let program = match &self.adjoint {
            Some(adjoint) => adjoint.program(),
            None => {
                let ready = self.kernel.get().at_hand();
                ready.map(|ready| &ready.compiled.program)
            }
        };
        program.expect("it was compiled before the command was made")
    }
    fn title(&self) -> &str {
        self.kernel.get().title()
    }
    fn sources(&self) -> &[span::Source] {
        self.kernel.get().sources()
    }
    fn parameter(&self, at: usize) -> &str {
        &self.kernel.get().params[at].name
    }
    fn is_adjoint(&self) -> bool {
        self.adjoint.is_some()
    }
    fn is_deterministic(&self) -> bool {
        config::deterministic()
    }
}
