//! A launch as a step of a capture: its argument block, and what keeps its memory.

use super::pack::{Owners, check_owners};
use super::prepared::{Prepared, Source};
use crate::kernel::fault::exception;
use crate::kernel::{CachedAdjoint, Kernel};
use crate::object::capture_state::{self, Place, Step};
use crate::runtime::config;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use std::sync::Arc;
use warp_core::abi::Strided;
use warp_core::backend::{Code, Executable};
use warp_core::device::{Device, Stream, current_stream};
use warp_core::launch::{self, Block, Buffers, Dims, Job, Policy, any_overlap};
use warp_core::module::Program;
use warp_dlpack::referent;

/// Captures a launch that is ready, whose code is there.
///
/// # Errors
/// Its memory cannot be held.
#[cold]
pub fn capture(stream: Stream, dims: Dims, prepared: &Prepared<'_>) -> PyResult<()> {
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
    capture_state::add(Box::new(Launch {
        kernel,
        adjoint,
        stream,
        dims,
        block: prepared.block.clone(),
        apart,
        owners: (prepared.hold)()?,
        writes: Writes(writes),
    }))
}

struct Launch {
    kernel: Py<Kernel>,
    adjoint: Option<Arc<CachedAdjoint>>,
    stream: Stream,
    dims: Dims,
    block: Block,
    /// The buffers that the kernel adds to are known to lie apart.
    apart: bool,
    owners: Owners,
    writes: Writes,
}

/// The arrays that a launch writes.
struct Writes(Vec<Strided>);

// SAFETY: nobody reads or writes through the addresses, which are compared with others.
unsafe impl Send for Writes {}
// SAFETY: as above.
unsafe impl Sync for Writes {}

impl Launch {
    fn program(&self) -> &Program {
        match &self.adjoint {
            Some(adjoint) => adjoint.program().expect("it was compiled to be captured"),
            None => {
                let ready = self.kernel.get().at_hand();
                &ready
                    .expect("it was compiled to be captured")
                    .compiled
                    .program
            }
        }
    }

    /// The place of the step: on the CPU everything is in order, on a GPU the launch of the graph names the stream.
    fn stream(&self) -> Stream {
        match self.stream.device {
            Device::Cpu => self.stream,
            device => current_stream(device).unwrap_or(self.stream),
        }
    }

    fn job<'a>(&'a self, program: &Program, code: &'a Code) -> Job<'a> {
        let policy = Policy {
            deterministic: config::deterministic(),
            buffers: match self.apart {
                true => Buffers::Apart,
                false => Buffers::Unknown,
            },
        };
        let block = self.block.as_ptr();
        Job::new(program, code, self.stream(), block, self.dims, policy)
    }

    fn code<'a>(&self, program: &'a Program) -> &'a Code {
        let code = program.compiled(self.stream.device);
        code.expect("it was compiled to be captured")
    }
}

impl Step for Launch {
    fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.kernel)?;
        let mut owners = self.owners.iter();
        owners.try_for_each(|(_, owner)| visit.call(referent(owner)))
    }
    fn writes(&self, each: &mut dyn FnMut(&Strided)) {
        self.writes.0.iter().for_each(each);
    }
    fn check(&self) -> PyResult<()> {
        check_owners(self.kernel.get(), &self.owners)
    }
    fn is_short(&self) -> bool {
        let program = self.program();
        self.job(program, self.code(program)).is_short()
    }
    fn run(&self, interrupted: &dyn Fn() -> bool) -> PyResult<()> {
        let program = self.program();
        let code = self.code(program);
        let job = self.job(program, code);
        // SAFETY: the block was packed for this program, and the owners keep the memory of its arrays.
        let outcome = unsafe { launch::run(&job, Some(interrupted)) };
        outcome.map_err(|fault| exception(self.kernel.get(), &fault, &code.spans))
    }
    fn name(&self) -> String {
        let dims = &self.dims.shape[..self.dims.ndim];
        let of = if self.adjoint.is_some() {
            "gradient of "
        } else {
            ""
        };
        format!("{of}{}{dims:?}", self.kernel.get().title())
    }
    fn place(&self) -> Place {
        let device = self.stream.device;
        let Executable::Cuda(executable) = &self.code(self.program()).executable else {
            return Place::Host;
        };
        match executable.prints.is_empty() {
            true => Place::Gpu(device),
            // The host prints.
            false => Place::GpuOutside(device),
        }
    }
}
