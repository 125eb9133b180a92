//! Functions that keep every register keep whole vectors.
//!
//! LLVM ends functions that use vectors with `vzeroupper`, which clears the upper halves of all of them, and does so
//! behind the code that gives a function's caller its registers back ([`KEEPING`](crate::abi::runtime::KEEPING)).

use llvm_sys::LLVMAttributeFunctionIndex as FUNCTION;
use llvm_sys::core::*;

use crate::abi::runtime::KEEPING;
use crate::backend::llvm::context::Module;

/// Has the functions that keep registers clear none. `features` are those of the machine, which functions without a list
/// of their own have.
pub fn keep_vectors(module: &Module<'_>, features: &str) {
    let keeping = KEEPING.trim_matches('"');
    let key = "target-features";
    let value = format!("{features},-vzeroupper");
    for function in module.functions() {
        // SAFETY: the function belongs to the module, which is alive; LLVM copies the texts.
        unsafe {
            let (name, length) = (keeping.as_ptr().cast(), keeping.len() as u32);
            if LLVMGetStringAttributeAtIndex(function, FUNCTION, name, length).is_null() {
                continue;
            }
            let attribute = LLVMCreateStringAttribute(
                LLVMGetModuleContext(module.raw()),
                key.as_ptr().cast(),
                key.len() as u32,
                value.as_ptr().cast(),
                value.len() as u32,
            );
            LLVMAddAttributeAtIndex(function, FUNCTION, attribute);
        }
    }
}
