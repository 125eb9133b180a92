//! Adjoint launches: which gradient belongs to which argument, and what must be kept apart.

use crate::abi::{ArrayArg, Strided};
use crate::adjoint::{ArrayReport, Data};
use crate::array::Owner;
use crate::command::Owners;
use crate::command::snapshot::{keep_overwritten, watched};
use crate::error::{Code, Error, Result};
use crate::ir::{Param, ParamId, ParamType};
use crate::launch::{Block, Dims, interleaved};
use crate::module::{CachedAdjoint, Compiled, Program};
use crate::pass::access::Access;
use smallvec::SmallVec;
use std::ops::Range;

/// A kernel, for messages and derivatives.
#[derive(Clone, Copy)]
pub struct Kernel<'a> {
    /// Its name.
    pub title: &'a str,
    /// What it compiled to.
    pub compiled: &'a Compiled,
}

impl<'a> Kernel<'a> {
    /// The parameters that a launch passes.
    pub fn params(self) -> &'a [Param] {
        self.compiled.program.func.arguments()
    }

    /// How it uses arrays that addresses in memory lead to.
    pub fn reach(self) -> Access {
        let params = self.compiled.program.func.params.iter();
        let mut out = Access::default();
        for (param, access) in params.zip(&self.compiled.access) {
            if let ParamType::PointerBased { .. } = param.ty {
                out.loads |= access.loads;
                out.stores |= access.writes();
            }
        }
        out
    }

    /// An argument for a parameter, with all that it takes to know its bytes.
    pub fn strided(self, at: usize, array: ArrayArg) -> Strided {
        let (ndim, size) = match self.params()[at].ty {
            ParamType::Array { elem, ndim } => (ndim.into(), elem.size()),
            _ => (0, 0),
        };
        Strided { array, ndim, size }
    }
}

/// Which parameters got the same array as an earlier one, where the kernel writes it: the gradient is
/// then taken of the kernel with those parameters made one. Entry `i` names the parameter that stands for `i`. `view` converts the
/// argument of a parameter that is an array.
///
/// # Errors
/// Arguments overlap in memory without being the same array, and one is written; or what `view` says.
#[inline]
pub fn aliases<E>(
    kernel: Kernel<'_>,
    view: impl Fn(usize) -> Result<ArrayArg, E>,
    error: fn(Error) -> E,
) -> Result<Aliases, E> {
    let params = kernel.params();
    let mut stands: Aliases = (0..params.len() as u32).collect();
    let access = &kernel.compiled.access;
    let writes = |i: usize| access[i].writes() || access[i].backward;
    if !(0..params.len()).any(writes) {
        return Ok(stands);
    }
    let mut ranges: SmallVec<[(usize, Range<usize>); 8]> = SmallVec::new();
    for (i, param) in params.iter().enumerate() {
        if !matches!(param.ty, ParamType::Array { .. }) {
            continue;
        }
        let strided = kernel.strided(i, view(i)?);
        let bytes = strided.bytes();
        for (j, near) in &ranges {
            let meet = bytes.start < near.end && near.start < bytes.end;
            let meet = meet && !bytes.is_empty() && !near.is_empty();
            if !meet || !(writes(i) || writes(*j)) {
                continue;
            }
            let other = kernel.strided(*j, view(*j)?);
            if interleaved(&strided, &other) {
                continue;
            }
            if strided.array != other.array || param.ty != params[*j].ty {
                return Err(error(overlap(kernel, *j, i)));
            }
            stands[i] = stands[i].min(stands[*j]);
        }
        ranges.push((i, bytes));
    }
    Ok(stands)
}

/// As in [`crate::module::Reverse::aliases`].
pub type Aliases = SmallVec<[u32; 8]>;

#[cold]
fn overlap(kernel: Kernel<'_>, first: usize, second: usize) -> Error {
    let name = |at: usize| &kernel.params()[at].name;
    let text = format!(
        "gradient of kernel '{}': arguments '{}' and '{}' overlap in memory without being the same \
         array, and the kernel writes one of them; pass separate arrays, or the same array for both",
        kernel.title,
        name(first),
        name(second)
    );
    Error::new(Code::Runtime, text)
}

/// The arguments of an adjoint launch.
pub trait Operands {
    /// What goes wrong.
    type Error;

    /// An error of the launch's own.
    fn error(&self, error: Error) -> Self::Error;

    /// Writes the argument of a parameter that is no array, as the forward launch read it.
    ///
    /// # Errors
    /// It does not fit.
    fn value(&self, at: usize, block: &mut Block, offset: usize) -> Result<(), Self::Error>;

    /// Whether the content is there that an array had before the launch; `changes`: the adjoint changes it.
    fn has_prior(&self, at: usize, changes: bool) -> bool;

    /// An array with the content that the adjoint reads; `writes`: it is written.
    ///
    /// # Errors
    /// It does not fit.
    fn array(&self, at: usize, writes: bool) -> Result<(ArrayArg, Owner), Self::Error>;

    /// The gradient of an array; None if none is wanted.
    ///
    /// # Errors
    /// It does not fit.
    fn gradient(&self, at: usize, writes: bool) -> Result<Option<(ArrayArg, Owner)>, Self::Error>;
}

/// The arguments of an adjoint launch, packed.
#[derive(Default)]
pub struct Packed {
    /// As the adjoint reads them.
    pub block: Block,
    /// What keeps their memory.
    pub owners: Owners,
    /// What the adjoint writes.
    pub written: SmallVec<[Strided; 8]>,
}

/// Packs the arguments of an adjoint launch, and keeps what it is about to overwrite. In place, since moving them costs as much.
///
/// # Errors
/// An operand does not fit, prior content is missing, or there is no memory.
pub fn pack<O: Operands>(
    kernel: Kernel<'_>,
    (slot, adjoint): (&CachedAdjoint, &Program),
    dims: &Dims,
    aliases: &[u32],
    operands: &O,
    packed: &mut Packed,
) -> Result<(), O::Error> {
    let layout = &adjoint.layout;
    packed.block.begin(layout.size, &dims.shape);
    for (i, param) in kernel.params().iter().enumerate() {
        let offset = layout.offsets[i];
        let ParamType::Array { elem, ndim } = param.ty else {
            operands.value(i, &mut packed.block, offset)?;
            continue;
        };
        let report = slot.reversed.report.array(ParamId(i as u32));
        let report = report.expect("the report has an entry for every array");
        let mut packing = Packing {
            kernel: kernel.title,
            param: (i, &param.name),
            ndim: ndim.into(),
            size: elem.size(),
            report,
            operands,
            packed: &mut *packed,
        };
        let forward = packing.array(offset)?;
        if let Some(grad) = report.grad {
            let offset = layout.offsets[grad.0 as usize];
            let stands = aliases.get(i).is_none_or(|s| *s as usize == i);
            packing.gradient(stands, offset, &forward)?;
        }
    }
    Ok(())
}

/// An array of an adjoint launch.
struct Packing<'a, O> {
    kernel: &'a str,
    param: (usize, &'a str),
    ndim: usize,
    size: usize,
    report: &'a ArrayReport,
    operands: &'a O,
    packed: &'a mut Packed,
}

impl<O: Operands> Packing<'_, O> {
    fn array(&mut self, offset: usize) -> Result<ArrayArg, O::Error> {
        let (i, data) = (self.param.0, self.report.data);
        let prior = matches!(data, Data::Before | Data::Scratch);
        if prior && !self.operands.has_prior(i, data == Data::Scratch) {
            return Err(self.lacks_prior());
        }
        let writes = matches!(data, Data::Scratch | Data::Live);
        let (forward, owner) = self.operands.array(i, writes)?;
        self.packed.owners.push((i, owner));
        self.packed.block.write_array(offset, &forward);
        if data == Data::Live {
            self.writes(forward)?;
        }
        Ok(forward)
    }

    fn gradient(
        &mut self,
        stands: bool,
        offset: usize,
        forward: &ArrayArg,
    ) -> Result<(), O::Error> {
        let (i, writes) = (self.param.0, self.report.adds || self.report.consumes);
        let mut arg = ArrayArg {
            shape: forward.shape,
            ..ArrayArg::MISSING
        };
        if let Some((gradient, owner)) = self.operands.gradient(i, writes)? {
            arg = gradient;
            self.packed.owners.push((i, owner));
            let ndim = self.ndim;
            if arg.shape[..ndim] != forward.shape[..ndim] {
                return Err(self.misshaped(&arg, forward));
            }
            if stands && writes {
                self.writes(arg)?;
            }
        }
        self.packed.block.write_array(offset, &arg);
        Ok(())
    }

    fn writes(&mut self, array: ArrayArg) -> Result<(), O::Error> {
        let strided = Strided {
            array,
            ndim: self.ndim,
            size: self.size,
        };
        self.packed.written.push(strided);
        if watched() {
            keep_overwritten(&strided).map_err(|e| self.operands.error(e))?;
        }
        Ok(())
    }

    #[cold]
    fn lacks_prior(&self) -> O::Error {
        let text = format!(
            "gradient of kernel '{}': it overwrites elements of '{}' that it has read, so its gradient \
             needs what the array held before the launch; record the launch with wp.Tape, which \
             keeps that, or write to another array",
            self.kernel, self.param.1
        );
        self.operands.error(Error::new(Code::Runtime, text))
    }

    #[cold]
    fn misshaped(&self, gradient: &ArrayArg, array: &ArrayArg) -> O::Error {
        let text = format!(
            "launch of kernel '{}': the gradient of '{}' has shape {:?}, the array has {:?}; give them the same",
            self.kernel,
            self.param.1,
            &gradient.shape[..self.ndim],
            &array.shape[..self.ndim]
        );
        self.operands.error(Error::new(Code::Value, text))
    }
}
