//! Targets, and what they make of a module.

use std::ffi::CStr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use llvm_sys::core::*;
use llvm_sys::target::{LLVMDisposeTargetData, LLVMSetModuleDataLayout};
use llvm_sys::target_machine::*;

use super::context::Module;
use super::error::{Error, Result, take_string};
use super::fork::InUse;

/// A kind of machine that LLVM writes code for.
#[derive(Clone, Copy, Debug)]
pub struct Target(LLVMTargetRef);

// SAFETY: targets are globals of LLVM that stay as they are once they are registered.
unsafe impl Send for Target {}
// SAFETY: as above.
unsafe impl Sync for Target {}

/// LLVM's list of targets has no lock of its own: registering a target or looking one up needs this. No thread forks meanwhile.
pub fn registry(_: &InUse) -> MutexGuard<'static, ()> {
    static REGISTRY: Mutex<()> = Mutex::new(());
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Target {
    /// Registers a target and finds it.
    ///
    /// # Errors
    /// If there is none for the triple.
    pub fn register(in_use: &InUse, triple: &CStr, register: fn()) -> Result<Target> {
        let _one = registry(in_use);
        register();
        let mut target = std::ptr::null_mut();
        let mut message = std::ptr::null_mut();
        // SAFETY: the string is NUL-terminated; the message is ours.
        unsafe {
            match LLVMGetTargetFromTriple(triple.as_ptr(), &mut target, &mut message) {
                0 => Ok(Target(target)),
                _ => Err(Error::new("optimise", take_string(message))),
            }
        }
    }
}

/// What a machine is to be.
#[derive(Clone, Copy, Debug)]
pub struct Spec<'a> {
    /// Target triple.
    pub triple: &'a CStr,
    /// The processor.
    pub cpu: &'a CStr,
    /// What it can do besides.
    pub features: &'a CStr,
    /// Whether the code is to be fast.
    pub optimised: bool,
}

/// A machine to write code for.
pub struct Machine(LLVMTargetMachineRef);

impl Machine {
    /// A machine of a kind.
    ///
    /// # Errors
    /// If LLVM has none.
    pub fn new(target: Target, spec: Spec<'_>) -> Result<Machine> {
        // SAFETY: strings are NUL-terminated.
        let raw = unsafe {
            LLVMCreateTargetMachine(
                target.0,
                spec.triple.as_ptr(),
                spec.cpu.as_ptr(),
                spec.features.as_ptr(),
                match spec.optimised {
                    false => LLVMCodeGenOptLevel::LLVMCodeGenLevelNone,
                    true => LLVMCodeGenOptLevel::LLVMCodeGenLevelDefault,
                },
                LLVMRelocMode::LLVMRelocPIC,
                LLVMCodeModel::LLVMCodeModelSmall,
            )
        };
        match raw.is_null() {
            true => Err(Error::new("optimise", "no target machine for this device")),
            false => Ok(Machine(raw)),
        }
    }

    /// LLVM's own; valid as long as this value.
    pub fn raw(&self) -> LLVMTargetMachineRef {
        self.0
    }

    /// Tells a module what it is for.
    pub fn adopt(&self, module: &Module<'_>, triple: &CStr) {
        // SAFETY: module and machine are alive; the layout is ours until disposed.
        unsafe {
            LLVMSetTarget(module.raw(), triple.as_ptr());
            let layout = LLVMCreateTargetDataLayout(self.0);
            LLVMSetModuleDataLayout(module.raw(), layout);
            LLVMDisposeTargetData(layout);
        }
    }

    /// Has assembly explained in comments.
    pub fn comment(&self) {
        // SAFETY: the machine is alive.
        unsafe { LLVMSetTargetMachineAsmVerbosity(self.0, 1) }
    }

    /// An object file or assembly.
    ///
    /// # Errors
    /// What LLVM refuses.
    pub fn emit(&self, module: &Module<'_>, kind: LLVMCodeGenFileType) -> Result<Vec<u8>> {
        let mut buffer = std::ptr::null_mut();
        let mut message = std::ptr::null_mut();
        // SAFETY: all alive; message and buffer are ours.
        let bytes = unsafe {
            let bad = LLVMTargetMachineEmitToMemoryBuffer(
                self.0,
                module.raw(),
                kind,
                &mut message,
                &mut buffer,
            );
            if bad != 0 {
                return Err(Error::new("emit", take_string(message)));
            }
            let start = LLVMGetBufferStart(buffer).cast::<u8>();
            let bytes = std::slice::from_raw_parts(start, LLVMGetBufferSize(buffer)).to_vec();
            LLVMDisposeMemoryBuffer(buffer);
            bytes
        };
        module.check("emit")?;
        Ok(bytes)
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // SAFETY: ours.
        unsafe { LLVMDisposeTargetMachine(self.0) }
    }
}
