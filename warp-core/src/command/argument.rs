//! Launches of compiled kernels on arrays, for Rust programs.

use super::launch::{Launch, Owners, Runnable};
use crate::abi::Strided;
use crate::array::{Array, Owner};
use crate::device::Stream;
use crate::error::{Code, Error, Result};
use crate::ir::ParamType;
use crate::launch::{Block, Dims, any_overlap};
use crate::module::{Compiled, Program};
use crate::objects;
use crate::span::Source;
use crate::ty::Elem;
use std::sync::Arc;

/// An argument of a launch. Structs are passed as their leaves.
#[derive(Clone, Copy, Debug)]
pub enum Argument<'a> {
    /// For an array.
    Array(&'a Array),
    /// For a value: its bytes, as they lie in memory.
    Value(&'a [u8]),
}

impl Runnable for Arc<Compiled> {
    fn program(&self) -> &Program {
        &self.program
    }
    fn title(&self) -> &str {
        &self.signature.name
    }
    fn sources(&self) -> &[Source] {
        &self.sources
    }
    fn parameter(&self, at: usize) -> &str {
        &self.program.func.params[at].name
    }
    fn is_adjoint(&self) -> bool {
        false
    }
    fn is_deterministic(&self) -> bool {
        false
    }
    fn differentiable(&self) -> Option<&Arc<Compiled>> {
        Some(self)
    }
}

impl Launch {
    /// A launch of a kernel on a stream; compiles the kernel if need be.
    ///
    /// # Errors
    /// An argument does not fit its parameter, the kernel follows addresses in memory, or it does not compile.
    pub fn of(
        kernel: &Arc<Compiled>,
        (stream, dims): (Stream, Dims),
        args: &[Argument<'_>],
    ) -> Result<Launch> {
        let program = &kernel.program;
        program.code(stream.device)?;
        let (params, offsets) = (&program.func.params, &program.layout.offsets);
        let mut packing = Packing {
            kernel,
            stream,
            block: Block::new(program.layout.size, dims.shape),
            owners: Owners::new(),
            writes: Vec::new(),
        };
        let mut given = args.iter();
        for (at, (param, offset)) in params.iter().zip(offsets).enumerate() {
            match (param.ty, given.as_slice().first()) {
                (
                    ParamType::Local { .. } | ParamType::Shared { .. } | ParamType::Gradient { .. },
                    _,
                ) => continue,
                (ParamType::PointerBased { .. }, _) => {
                    return Err(packing.wrong(at, "it is an address in memory"));
                }
                (ParamType::Array { elem, ndim }, Some(Argument::Array(array))) => {
                    packing.array(at, *offset, (elem, ndim), array)?;
                }
                (ParamType::Elem(elem), Some(Argument::Value(bytes))) => {
                    packing.value(at, *offset, elem, bytes)?;
                }
                (ty, Some(argument)) => {
                    return Err(packing.wrong(at, &format!("{ty:?} is given {argument:?}")));
                }
                (_, None) => return Err(packing.wrong(at, "it is missing")),
            }
            given.next();
        }
        if given.next().is_some() {
            let text = format!("launch of kernel '{}': too many arguments", kernel.title());
            return Err(Error::new(Code::Launch, text));
        }
        let apart = !any_overlap(&packing.writes);
        let kernel = Box::new(kernel.clone());
        let Packing {
            block,
            owners,
            writes,
            ..
        } = packing;
        // SAFETY: the block was packed for the program, with arrays whose memory these owners keep.
        Ok(unsafe { Launch::new(kernel, (stream, dims), block, apart, owners, writes) })
    }
}

struct Packing<'a> {
    kernel: &'a Arc<Compiled>,
    stream: Stream,
    block: Block,
    owners: Owners,
    writes: Vec<Strided>,
}

impl Packing<'_> {
    fn wrong(&self, at: usize, what: &str) -> Error {
        let (kernel, name) = (self.kernel.title(), self.kernel.parameter(at));
        let text = format!("launch of kernel '{kernel}': argument '{name}': {what}");
        Error::new(Code::Launch, text)
    }

    fn array(
        &mut self,
        at: usize,
        offset: usize,
        (elem, ndim): (Elem, u8),
        array: &Array,
    ) -> Result<()> {
        let (view, writes) = (&array.view, self.kernel.access[at].writes());
        if !array.owner.is_current() {
            return Err(array.owner.moved());
        }
        if (view.elem, view.ndim) != (elem, ndim) {
            let what = format!(
                "an array of {elem} with {ndim} dimensions is given one of {} with {}",
                view.elem, view.ndim
            );
            return Err(self.wrong(at, &what));
        }
        if view.device != self.stream.device {
            let what = format!("the array is on the device \"{}\"", view.device);
            return Err(self.wrong(at, &what));
        }
        if writes && view.read_only {
            return Err(self.wrong(at, "the kernel writes it, and the array is read-only"));
        }
        self.block.write_array(offset, &view.arg);
        self.owners.push((at, array.owner.clone()));
        if writes {
            self.writes.push(view.strided());
        }
        Ok(())
    }

    fn value(&mut self, at: usize, offset: usize, elem: Elem, bytes: &[u8]) -> Result<()> {
        if bytes.len() != elem.size() {
            let what = format!(
                "{elem} has {} bytes, given are {}",
                elem.size(),
                bytes.len()
            );
            return Err(self.wrong(at, &what));
        }
        self.block.write(offset, bytes);
        // It may hold ids of objects, which are kept.
        if self.kernel.program.queries {
            let keepers = objects::hold_in(elem, bytes).into_iter();
            let owners = keepers.map(|keeper| (at, Owner::of(Box::new(keeper))));
            self.owners.extend(owners);
        }
        Ok(())
    }
}
