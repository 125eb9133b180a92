//! Lowered text to PTX.

use std::sync::Arc;

use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target_machine::LLVMCodeGenFileType;
use llvm_sys::{LLVMLinkage, LLVMOpcode};

use crate::backend::cuda::code::libdevice::Libdevice;
use crate::backend::cuda::code::target::{self, TRIPLE};
use crate::backend::cuda::math;
use crate::backend::llvm::apart;
use crate::backend::llvm::context::{Context, Module, make_internal};
use crate::backend::llvm::error::Result;
use crate::backend::llvm::fork::InUse;
use crate::backend::llvm::passes::{self, Allowed};

/// How hard LLVM tries. The driver optimises what it is given once more, so that little differs for short kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// Just enough for the driver to do well.
    Quick,
    /// What kernels run with.
    Full,
}

/// How to compile lowered text.
#[derive(Clone, Copy, Debug)]
pub struct How<'a> {
    /// The compute capability, one that [`crate::backend::cuda::supported`] has named.
    pub sm: u32,
    /// Bytes of the entry point's parameters.
    pub parameters: usize,
    /// NVIDIA's mathematics, where it was found.
    pub libdevice: Option<&'a Libdevice>,
    /// How hard LLVM tries.
    pub level: Level,
    /// Functions of float32 may be what the GPU has instructions for, and its numbers below the normal range zero.
    pub approximate: bool,
}

/// Compiles lowered text, whose kernel is `symbol`. None if `interrupted`, which is asked now and then, says so first; LLVM then
/// goes on, and its result is dropped.
///
/// # Errors
/// What LLVM refuses.
pub fn ptx(
    text: &str,
    symbol: &str,
    how: &How<'_>,
    interrupted: &dyn Fn() -> bool,
) -> Result<Option<Vec<u8>>> {
    let How {
        sm,
        parameters,
        libdevice,
        level,
        approximate,
    } = *how;
    let attached = math::attach(text, libdevice.is_some(), approximate);
    let text: Arc<str> = attached.text.into();
    let needs: Arc<[String]> = attached.needs.into();
    let library = libdevice.map(|library| Arc::clone(&library.bitcode));
    let symbol: Arc<str> = symbol.into();
    let target = target::target(&InUse::new())?;
    let work = move || {
        let context = Context::new();
        let module = context.parse(&text)?;
        let machine = target::machine(target, sm, parameters, level == Level::Full)?;
        machine.adopt(&module, TRIPLE);
        if let Some(library) = library.filter(|_| !needs.is_empty()) {
            take_in(&module, &library, &needs, approximate)?;
        }
        if approximate {
            module.flush_float32();
        }
        for f in module.functions() {
            if !is_declaration(f) && name(f) != symbol.as_bytes() {
                // SAFETY: the module is alive.
                unsafe { make_internal(f) };
            }
        }
        let list = match level {
            Level::Quick => c"default<O1>",
            Level::Full => passes::optimising(&module),
        };
        passes::run(&module, &machine, list, ALLOWED)?;
        module.check("optimise")?;
        machine.emit(&module, LLVMCodeGenFileType::LLVMAssemblyFile)
    };
    apart::run(work, interrupted)
}

/// Vectors gain nothing on GPUs beyond wide accesses to memory, which the target forms itself.
const ALLOWED: Allowed = Allowed {
    vectors: false,
    pack: false,
    unroll: true,
    interleave: false,
};

/// Links the functions of libdevice that a module needs, and what these need.
fn take_in(module: &Module<'_>, bitcode: &[u8], needs: &[String], flush: bool) -> Result<()> {
    let library = module.context().read(bitcode)?;
    for f in library.functions() {
        let asked = needs.iter().any(|need| need.as_bytes() == name(f));
        if !asked && !is_declaration(f) {
            // SAFETY: the library is alive. What is internal is linked, and read at all, only if something needs it.
            unsafe { make_internal(f) };
        }
    }
    module.link(library)?;
    answer(module, flush);
    Ok(())
}

/// libdevice asks by `__nvvm_reflect` how exact square roots are to be, and whether small numbers of float32 are zero. LLVM would
/// answer: not at all, and no.
fn answer(module: &Module<'_>, flush: bool) {
    let Some(reflect) = module.find("__nvvm_reflect") else {
        return;
    };
    let some = |u: LLVMUseRef| (!u.is_null()).then_some(u);
    // SAFETY: the function belongs to the module; what uses it is a call of one argument. A use is not looked at again
    // after its call has gone.
    unsafe {
        let mut next = some(LLVMGetFirstUse(reflect));
        while let Some(one) = next {
            next = some(LLVMGetNextUse(one));
            let call = LLVMGetUser(one);
            let is_call = !LLVMIsAInstruction(call).is_null()
                && LLVMGetInstructionOpcode(call) == LLVMOpcode::LLVMCall;
            if !is_call {
                continue;
            }
            let answer = match question(LLVMGetOperand(call, 0)) {
                b"__CUDA_PREC_SQRT\0" => true,
                b"__CUDA_FTZ\0" => flush,
                _ => continue,
            };
            let answer = LLVMConstInt(LLVMTypeOf(call), u64::from(answer), 0);
            LLVMReplaceAllUsesWith(call, answer);
            LLVMInstructionEraseFromParent(call);
        }
    }
}

/// The text that a constant leads to; nothing if it is no text.
///
/// # Safety
/// The value is alive, and so long is what is returned.
unsafe fn question<'a>(mut value: LLVMValueRef) -> &'a [u8] {
    // SAFETY: the caller's promise; casts have one operand, and addresses begin with where they start from.
    unsafe {
        while !LLVMIsAConstantExpr(value).is_null() {
            value = LLVMGetOperand(value, 0);
        }
        if LLVMIsAGlobalVariable(value).is_null() {
            return b"";
        }
        let content = LLVMGetInitializer(value);
        if content.is_null() || LLVMIsConstantString(content) == 0 {
            return b"";
        }
        let mut length = 0;
        let start = LLVMGetAsString(content, &mut length);
        std::slice::from_raw_parts(start.cast(), length)
    }
}

fn is_declaration(f: LLVMValueRef) -> bool {
    // SAFETY: functions come from modules that are alive.
    unsafe {
        LLVMIsDeclaration(f) != 0
            || LLVMGetLinkage(f) == LLVMLinkage::LLVMAvailableExternallyLinkage
    }
}

fn name<'a>(f: LLVMValueRef) -> &'a [u8] {
    let mut length = 0;
    // SAFETY: functions come from modules that are alive, and keep their names.
    unsafe {
        let start = LLVMGetValueName2(f, &mut length);
        std::slice::from_raw_parts(start.cast(), length)
    }
}
