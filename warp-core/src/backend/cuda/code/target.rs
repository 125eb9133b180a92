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

/// Bytes of parameters that every PTX takes. More need PTX 8.1.
pub const FEW_PARAMETERS: usize = 4352;

/// The most bytes of parameters that any PTX takes.
pub const MOST_PARAMETERS: usize = 32_764;

/// The first version of CUDA whose drivers read PTX 8.1, as drivers say it.
pub const MANY_PARAMETERS_SINCE: i32 = 12_010;

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

/// A machine of a compute capability, for entry points with `parameters` bytes of parameters.
pub fn machine(target: Target, sm: u32, parameters: usize, optimised: bool) -> Result<Machine> {
    let cpu = CString::new(format!("sm_{sm}")).unwrap_or_default();
    let spec = Spec {
        triple: TRIPLE,
        cpu: &cpu,
        features: match parameters > FEW_PARAMETERS {
            true => c"+ptx81",
            false => c"",
        },
        optimised,
    };
    Machine::new(target, spec)
}
