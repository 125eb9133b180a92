//! How LLVM learns on Arm that some calls change no register: by a calling convention. On x86-64 it is an attribute of the call
//! ([`PRESERVING`](crate::abi::runtime::PRESERVING)), which means nothing here.

use llvm_sys::LLVMCallConv;
use llvm_sys::core::{LLVMSetFunctionCallConv, LLVMSetInstructionCallConv};

use crate::abi::runtime::{RARE, RARE_OF_TWO, RECORD_GROW, REFUEL};
use crate::backend::llvm::context::Module;

/// Gives the functions of the runtime that are written so, and their calls, that convention. Arguments are passed as ever.
pub fn adopt(module: &Module<'_>) {
    const ALL: u32 = LLVMCallConv::LLVMPreserveAllCallConv as u32;
    let names = [REFUEL, RECORD_GROW]
        .into_iter()
        .chain(RARE)
        .chain(RARE_OF_TWO);
    for f in names.filter_map(|name| module.find(name)) {
        // SAFETY: function and calls belong to the module, which is alive.
        unsafe {
            LLVMSetFunctionCallConv(f, ALL);
            for call in module.uses(f) {
                LLVMSetInstructionCallConv(call, ALL);
            }
        }
    }
}
