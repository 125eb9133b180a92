//! NVIDIA GPUs, as LLVM names them.

use std::ffi::{CStr, CString};
use std::sync::OnceLock;

use llvm_sys::target::{
    LLVMInitializeNVPTXAsmPrinter, LLVMInitializeNVPTXTarget, LLVMInitializeNVPTXTargetInfo,
    LLVMInitializeNVPTXTargetMC,
};

use crate::backend::llvm::error::Result;
use crate::backend::llvm::fork::InUse;
use crate::backend::llvm::machine::{Machine, Spec, Target};

/// What kernels are compiled for. `cuda` also tells LLVM that what pointers among the arguments lead to is global memory.
pub const TRIPLE: &CStr = c"nvptx64-nvidia-cuda";

/// LLVM's target, which the first call registers.
pub fn target(in_use: &InUse) -> Result<Target> {
    static TARGET: OnceLock<Result<Target>> = OnceLock::new();
    let register = || {
        // SAFETY: `Target::register` lets nobody else look at the list of targets meanwhile.
        unsafe {
            LLVMInitializeNVPTXTargetInfo();
            LLVMInitializeNVPTXTarget();
            LLVMInitializeNVPTXTargetMC();
            LLVMInitializeNVPTXAsmPrinter();
        }
    };
    TARGET
        .get_or_init(|| Target::register(in_use, TRIPLE, register))
        .clone()
}

/// A machine of a compute capability.
pub fn machine(target: Target, sm: u32, optimised: bool) -> Result<Machine> {
    let cpu = CString::new(format!("sm_{sm}")).unwrap_or_default();
    let spec = Spec {
        triple: TRIPLE,
        cpu: &cpu,
        features: c"",
        optimised,
    };
    Machine::new(target, spec)
}
