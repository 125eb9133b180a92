//! Which elements of its arrays a launch reads and writes, of the arguments in its block.

use super::block::Block;
use crate::abi::Strided;
use crate::array::view::part_of;
use crate::dtype::Scalar;
use crate::ir::{ParamId, ParamType};
use crate::module::Compiled;
use crate::pass::regions::{Arguments, Evaluated, Region, Which};

/// The elements that a launch reads and writes.
pub struct Touched<'a> {
    compiled: &'a Compiled,
    block: &'a Block,
    /// None: any.
    evaluated: Option<Evaluated<'a>>,
}

impl<'a> Touched<'a> {
    /// Of a launch of a kernel as it was compiled, with the arguments in a block.
    pub fn of(compiled: &'a Compiled, block: &'a Block) -> Touched<'a> {
        Touched {
            evaluated: compiled.regions().evaluate(&Packed { compiled, block }),
            compiled,
            block,
        }
    }

    /// The elements of an array that are accessed through the parameters that `stands` says stand for it, as
    /// [`crate::module::Reverse::aliases`]; None for all.
    pub fn region(&self, at: usize, stands: &[u32], which: Which) -> Option<Region> {
        let evaluated = self.evaluated.as_ref()?;
        let program = &self.compiled.program;
        let ParamType::Array { ndim, .. } = program.func.params[at].ty else {
            return None;
        };
        let array = self.block.array(program.layout.offsets[at]);
        let shape = &array.shape[..ndim.into()];
        let own = stands.get(at).copied().unwrap_or(at as u32);
        let others = (0u32..).zip(stands).filter(|(_, s)| **s == own);
        let others = others.map(|(i, _)| ParamId(i));
        let first = stands.is_empty().then_some(ParamId(at as u32));
        evaluated.region(first.into_iter().chain(others), shape, which)
    }

    /// The elements of an array that are written, as an array; None if it is not written.
    pub fn written(&self, at: usize) -> Option<Strided> {
        let program = &self.compiled.program;
        let ParamType::Array { elem, ndim } = program.func.params[at].ty else {
            return None;
        };
        let array = self.block.array(program.layout.offsets[at]);
        let which = Which {
            loads: false,
            stores: true,
        };
        let region = self.region(at, &[], which);
        if region.is_some_and(|region| region.is_empty()) {
            return None;
        }
        Some(Strided {
            array: region.map_or(*array, |region| part_of(array, &region)),
            ndim: ndim.into(),
            size: elem.size(),
        })
    }
}

struct Packed<'a> {
    compiled: &'a Compiled,
    block: &'a Block,
}

impl Packed<'_> {
    fn offset(&self, param: ParamId) -> usize {
        self.compiled.program.layout.offsets[param.0 as usize]
    }
}

impl Arguments for Packed<'_> {
    fn threads(&self, dim: u8) -> i32 {
        let offset = crate::abi::DIMS_OFFSET + 4 * usize::from(dim);
        let bytes = self.block.bytes(offset, 4);
        i32::from_ne_bytes(bytes.try_into().expect("four bytes"))
    }

    fn extent(&self, array: ParamId, dim: u8) -> i32 {
        self.block.array(self.offset(array)).shape[usize::from(dim)]
    }

    fn value(&self, param: ParamId, component: u32, ty: Scalar) -> Option<i64> {
        let size = ty.size();
        let bytes = self
            .block
            .bytes(self.offset(param) + size * component as usize, size);
        let mut wide = [0; 8];
        wide[..size].copy_from_slice(bytes);
        let bits = u64::from_ne_bytes(wide);
        let unused = 64 - ty.bits();
        match ty.is_signed() {
            // The sign fills what is left.
            true => Some((bits << unused).cast_signed() >> unused),
            false => i64::try_from(bits).ok(),
        }
    }
}
