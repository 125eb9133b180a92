//! One call of an operator: which arrays its kernel gets, and over what it is launched.
//!
//! This is the one executor of tensors' frameworks. A framework says how its tensors are looked at, copied and made ([`Caller`]). The
//! calls of a compiled XLA program are filled in advance, of the same [`Supply`]s: there XLA makes the arrays.

use super::clear::needs_clearing;
use super::data::Operator;
use super::resolve::{Resolved, Source, Supply};
use crate::abi::{ArrayArg, BlockLayout};
use crate::error::{Code, Error, Result};
use crate::launch::Block;
use crate::ty::MAX_NDIM;
use smallvec::SmallVec;

/// Extents of an array, those of elements left out.
pub type Extents = SmallVec<[i64; MAX_NDIM]>;

/// What is done with an array that the caller gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Take {
    /// Its extents count, and nothing else.
    Extents,
    /// The kernel gets it.
    Array,
    /// The kernel gets a copy.
    Copy,
}

/// Who calls an operator, with the tensors of a framework.
pub trait Caller {
    /// What goes wrong.
    type Error;

    /// An error of the operator's.
    fn error(&self, error: Error) -> Self::Error;

    /// Looks at the array that is given for a parameter: its extents, and what the kernel gets of it; nothing for [`Take::Extents`].
    ///
    /// # Errors
    /// It does not fit.
    fn given(
        &mut self,
        param: usize,
        take: Take,
    ) -> Result<(Extents, Option<ArrayArg>), Self::Error>;

    /// Makes the array of a parameter; `zero`: it has to be zero at first.
    ///
    /// # Errors
    /// There is no memory.
    fn make(&mut self, param: usize, extents: &[i64], zero: bool) -> Result<ArrayArg, Self::Error>;

    /// Writes the value that is given for a parameter.
    ///
    /// # Errors
    /// It does not fit.
    fn value(&mut self, param: usize, block: &mut Block, offset: usize) -> Result<(), Self::Error>;
}

/// What the caller gives besides arrays and values.
#[derive(Clone, Copy, Default)]
pub struct Dims<'a> {
    /// The launch dimensions of an item.
    pub launch: Option<&'a [i64]>,
    /// The extents of outputs, one after the other.
    pub outputs: Option<&'a [i64]>,
}

/// A kernel as its operator is called.
#[derive(Clone, Copy)]
pub struct Callee<'a> {
    /// The operator.
    pub operator: &'a Operator,
    /// The same for what the caller gives.
    pub resolved: &'a Resolved,
    /// Where arguments of the kernel lie.
    pub layout: &'a BlockLayout,
    /// For each parameter, whether a launch over its extents writes all of it.
    pub covered: &'a [bool],
}

/// What is known of a parameter.
#[derive(Default)]
struct Filled {
    extents: Extents,
    arg: Option<ArrayArg>,
}

impl Callee<'_> {
    /// Packs the arguments of the kernel into an empty block; returns the launch dimensions, unused ones 1.
    ///
    /// # Errors
    /// What the caller says, or what is given does not go together.
    pub fn pack<C: Caller>(
        &self,
        caller: &mut C,
        given: Dims<'_>,
        block: &mut Block,
    ) -> Result<[i32; MAX_NDIM], C::Error> {
        let (operator, supplies) = (self.operator, &self.resolved.supplies);
        let mut filled: SmallVec<[Filled; 8]> = SmallVec::new();
        for (i, p) in operator.parameters.iter().enumerate() {
            let mut one = Filled::default();
            if p.ndim > 0 && p.binding.is_argument() {
                let take = match &supplies[i] {
                    Supply::New(_) => Take::Extents,
                    Supply::Argument => Take::Array,
                    _ => Take::Copy,
                };
                (one.extents, one.arg) = caller.given(i, take)?;
            }
            filled.push(one);
        }
        let dims = self.extents(&self.resolved.launch, &filled, given);
        let dims = dims.and_then(|dims| operator.check_launch(&dims));
        let dims = dims.map_err(|e| caller.error(e))?;
        block.begin(self.layout.size, &dims);
        for (i, supply) in supplies.iter().enumerate() {
            let Supply::New(sources) = supply else {
                continue;
            };
            let extents = self.extents(sources, &filled, given);
            let extents = extents.and_then(|e| operator.check_extents(i, &e).map(|()| e));
            let extents = extents.map_err(|e| caller.error(e))?;
            let zero = needs_clearing(self.covered[i], &narrow(&extents), &dims);
            filled[i].arg = Some(caller.make(i, &extents, zero)?);
        }
        for (i, supply) in supplies.iter().enumerate() {
            let offset = self.layout.offsets[i];
            let (of, missing) = match supply {
                Supply::Value => {
                    caller.value(i, block, offset)?;
                    continue;
                }
                Supply::Argument | Supply::Copy | Supply::New(_) => (i, false),
                Supply::Same(of) => (*of, false),
                Supply::Missing(of) => (*of, true),
            };
            let Some(mut arg) = filled[of].arg else {
                return Err(caller.error(self.bug("an array is not there")));
            };
            if missing {
                let shape = arg.shape;
                arg = ArrayArg {
                    shape,
                    ..ArrayArg::MISSING
                };
            }
            block.write_array(offset, &arg);
        }
        Ok(dims)
    }

    /// The numbers that extents are.
    fn extents(&self, sources: &[Source], filled: &[Filled], given: Dims<'_>) -> Result<Extents> {
        let one = |source: &Source| {
            let (list, at) = match source {
                Source::Of(extent) => (Some(&*filled[extent.param].extents), extent.dim),
                Source::Launch(at) => (given.launch, *at),
                Source::Output(at) => (given.outputs, *at),
            };
            let number = list.and_then(|list| list.get(at).copied());
            number.ok_or_else(|| self.bug("an extent is not known"))
        };
        sources.iter().map(one).collect()
    }

    #[cold]
    fn bug(&self, what: &str) -> Error {
        let text = format!("{}: {what}; please report", self.operator.title);
        Error::new(Code::Bug, text)
    }
}

/// Extents that were checked, as launches have them.
fn narrow(extents: &[i64]) -> SmallVec<[i32; MAX_NDIM]> {
    extents.iter().map(|n| *n as i32).collect()
}
