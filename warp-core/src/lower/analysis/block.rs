//! Where the arguments of a kernel lie.

use crate::abi::{BlockLayout, BlockParam};
use crate::ir::{Func, ParamType};

/// Where each parameter of a kernel that is passed lies in the args block.
pub fn block_layout(func: &Func) -> BlockLayout {
    BlockLayout::of(func.arguments().iter().map(|p| match p.ty {
        ParamType::Array { .. }
        | ParamType::Local { .. }
        | ParamType::Shared { .. }
        | ParamType::Gradient { .. }
        | ParamType::PointerBased { .. } => BlockParam::Array,
        ParamType::Elem(elem) => BlockParam::Value {
            size: elem.scalar().size(),
            count: elem.count(),
        },
    }))
}
