//! Where the arguments of a kernel lie.

use crate::abi;
use crate::ir::{Func, ParamType};

/// Where each parameter of a kernel lies in the args block.
pub fn block_layout(func: &Func) -> abi::Layout {
    abi::Layout::of(func.params.iter().map(|p| match p.ty {
        ParamType::Array { .. } => abi::Param::Array,
        ParamType::Elem(elem) => abi::Param::Value {
            size: elem.scalar().size(),
            count: elem.count(),
        },
    }))
}
