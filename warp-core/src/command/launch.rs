//! Launches: an argument block, and what keeps its memory.

use super::place::Place;
use crate::abi::Strided;
use crate::array::nested_owners::Lending;
use crate::array::{Array, Owner, View};
use crate::backend::{Code, Executable};
use crate::device::{Device, Stream, Streams};
use crate::error::Result;
use crate::ir::ParamType;
use crate::launch::{self, Block, Buffers, Dims, Job, Policy, Touched, fault};
use crate::module::{Compiled, Program};
use crate::pass::access;
use crate::span::Source;
use std::any::Any;
use std::sync::Arc;

/// Owners of arrays' memory, with the numbers of the parameters that they are for.
pub type Owners = Vec<(usize, Owner)>;

/// What a launch runs: a program that was compiled for the launch's device, and what messages say of it.
pub trait Runnable: Any + Send + Sync {
    /// The program.
    fn program(&self) -> &Program;
    /// The kernel's name.
    fn title(&self) -> &str;
    /// The kernel's text.
    fn sources(&self) -> &[Source];
    /// The name of a parameter.
    fn parameter(&self, at: usize) -> &str;
    /// Whether this is not the kernel but its adjoint.
    fn is_adjoint(&self) -> bool;
    /// Whether results must not depend on the order of threads.
    fn is_deterministic(&self) -> bool;
    /// The kernel, where a tape of a Rust program may run its derivative.
    fn differentiable(&self) -> Option<&Arc<Compiled>> {
        None
    }
}

/// A launch that may be run again.
pub struct Launch {
    kernel: Box<dyn Runnable>,
    stream: Stream,
    dims: Dims,
    block: Block,
    /// The buffers that the kernel adds to are known to lie apart.
    apart: bool,
    owners: Owners,
    writes: Writes,
    lending: Option<Lending>,
}

/// The arrays that a launch writes.
struct Writes(Vec<Strided>);

// SAFETY: nobody reads or writes through the addresses, which are compared with others.
unsafe impl Send for Writes {}
// SAFETY: as above.
unsafe impl Sync for Writes {}

impl Launch {
    /// A launch of a compiled kernel.
    ///
    /// # Safety
    /// The block was packed for the program, its arrays are as large as it says, and the owners keep their memory.
    pub unsafe fn new(
        kernel: Box<dyn Runnable>,
        (stream, dims): (Stream, Dims),
        block: Block,
        apart: bool,
        owners: Owners,
        writes: Vec<Strided>,
    ) -> Launch {
        Launch {
            kernel,
            stream,
            dims,
            block,
            apart,
            owners,
            writes: Writes(writes),
            lending: None,
        }
    }

    /// The same, where the kernel stores array descriptors.
    #[must_use]
    pub fn with_lending(self, lending: Option<Lending>) -> Launch {
        Launch { lending, ..self }
    }

    /// What it runs.
    pub fn kernel(&self) -> &dyn Runnable {
        &*self.kernel
    }

    /// On the CPU everything is in order; on a GPU who runs it says on which stream.
    fn stream(&self, streams: Streams) -> Stream {
        match self.stream.device {
            Device::Cpu => self.stream,
            device => streams.of(device).unwrap_or(self.stream),
        }
    }

    fn job<'a>(&'a self, program: &Program, code: &'a Code, stream: Stream) -> Job<'a> {
        let policy = Policy {
            deterministic: self.kernel.is_deterministic(),
            buffers: match self.apart {
                true => Buffers::Apart,
                false => Buffers::Unknown,
            },
        };
        let block = self.block.as_ptr();
        Job::new(program, code, stream, block, self.dims, policy)
    }

    fn code<'a>(&self, program: &'a Program) -> &'a Code {
        let code = program.compiled(self.stream.device);
        code.expect("it was compiled before the command was made")
    }

    pub(super) fn owners(&self) -> impl Iterator<Item = &Owner> {
        self.owners.iter().map(|(_, owner)| owner)
    }

    pub(super) fn writes(&self) -> &[Strided] {
        &self.writes.0
    }

    /// Calls a function with the elements that this writes.
    pub(super) fn overwrites(&self, each: &mut dyn FnMut(&Strided)) {
        match self.kernel.differentiable() {
            Some(kernel) => {
                let touched = Touched::of(kernel, &self.block);
                let access = kernel.access.iter().enumerate();
                let written = access.filter(|(_, access)| access.writes());
                let parts = written.filter_map(|(at, _)| touched.written(at));
                parts.for_each(|part| each(&part));
            }
            None => self.writes().iter().for_each(each),
        }
    }

    pub(super) fn reads(&self, each: &mut dyn FnMut(&Strided)) {
        let access = access::of(&self.kernel.program().func);
        for (at, array) in self.arrays() {
            if access[at].loads {
                each(&array.view.strided());
            }
        }
    }

    /// Where it runs, and over what.
    pub fn extent(&self) -> (Stream, Dims) {
        (self.stream, self.dims)
    }

    /// The arguments as they are packed.
    pub fn block(&self) -> &Block {
        &self.block
    }

    /// The arrays among the arguments, with the numbers of their parameters.
    pub fn arrays(&self) -> impl Iterator<Item = (usize, Array)> {
        let program = self.kernel.program();
        let (params, offsets) = (program.func.arguments(), &program.layout.offsets);
        let params = params.iter().zip(offsets).enumerate();
        params.filter_map(|(at, (param, offset))| {
            let ParamType::Array { elem, ndim } = param.ty else {
                return None;
            };
            let view = View {
                arg: *self.block.array(*offset),
                elem,
                ndim,
                read_only: false,
                device: self.stream.device,
            };
            let owner = self.owners.iter().find(|(of, _)| *of == at);
            let owner = owner.map_or(Owner::Nobody, |(_, owner)| owner.clone());
            Some((at, Array { view, owner }))
        })
    }

    /// Asked before it is run again.
    ///
    /// # Errors
    /// The memory of an argument has been replaced.
    pub(super) fn check(&self) -> Result<()> {
        match self.owners.iter().find(|(_, owner)| !owner.is_current()) {
            None => Ok(()),
            Some((at, owner)) => {
                let (kernel, name) = (self.kernel.title(), self.kernel.parameter(*at));
                let place = format!("launch of kernel '{kernel}': argument '{name}'");
                Err(owner.moved().within(place))
            }
        }
    }

    pub(super) fn is_short(&self) -> bool {
        let program = self.kernel.program();
        let code = self.code(program);
        self.job(program, code, self.stream(Streams::CURRENT))
            .is_short()
    }

    pub(super) fn run(&self, streams: Streams, interrupted: &dyn Fn() -> bool) -> Result<()> {
        let program = self.kernel.program();
        let code = self.code(program);
        let job = self.job(program, code, self.stream(streams));
        // SAFETY: promised when this was made, and the owners keep the memory.
        let outcome = unsafe { launch::run(&job, Some(interrupted)) };
        if let Some(lending) = &self.lending {
            lending.apply(true);
        }
        outcome.map_err(|slot| {
            fault::error(
                self.kernel.title(),
                self.kernel.sources(),
                &slot,
                &code.spans,
            )
        })
    }

    pub(super) fn name(&self) -> String {
        let dims = &self.dims.shape[..self.dims.ndim];
        let of = match self.kernel.is_adjoint() {
            true => "gradient of ",
            false => "",
        };
        format!("{of}{}{dims:?}", self.kernel.title())
    }

    pub(super) fn place(&self) -> Place {
        let device = self.stream.device;
        let Executable::Cuda(executable) = &self.code(self.kernel.program()).executable else {
            return Place::Host;
        };
        match executable.prints.is_empty() {
            true => Place::Gpu(device),
            // The host prints.
            false => Place::GpuOutside(device),
        }
    }
}
