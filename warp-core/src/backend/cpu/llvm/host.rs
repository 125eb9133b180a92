//! The machine that this process runs on, as LLVM names it.

use std::borrow::Cow;
use std::ffi::CString;
use std::sync::OnceLock;

use llvm_sys::target::{
    LLVMInitializeX86AsmPrinter, LLVMInitializeX86Target, LLVMInitializeX86TargetInfo,
    LLVMInitializeX86TargetMC,
};
use llvm_sys::target_machine::*;

use crate::backend::cpu::preserve::Registers;
use crate::backend::llvm::error::{Result, take_string};
use crate::backend::llvm::fork::InUse;
use crate::backend::llvm::machine::{Machine, Spec, Target};
use crate::backend::llvm::version;

/// Which processor kernels are compiled for, where that is not the one that runs them: a level of the x86-64 architecture.
const VARIABLE: &str = "WARP_CPU";

/// The levels, with what each has of the features that this machine may lack.
const LEVELS: [(&str, &str); 4] = [
    ("x86-64", ""),
    ("x86-64-v2", "+sse4.2"),
    ("x86-64-v3", "+avx2"),
    ("x86-64-v4", "+avx2,+avx512f,+avx512bw,+avx512vl"),
];

pub struct Host {
    pub triple: CString,
    cpu: CString,
    features: CString,
    /// What is wrong with the variable.
    refusal: Option<String>,
}

impl Host {
    pub fn get() -> &'static Host {
        static HOST: OnceLock<Host> = OnceLock::new();
        HOST.get_or_init(|| {
            // SAFETY: each returns a string of ours.
            let text = |s| CString::new(unsafe { take_string(s) }).unwrap_or_default();
            // SAFETY: no preconditions.
            let mut host = unsafe {
                Host {
                    triple: text(LLVMGetDefaultTargetTriple()),
                    cpu: text(LLVMGetHostCPUName()),
                    features: text(LLVMGetHostCPUFeatures()),
                    refusal: None,
                }
            };
            // Vectors of 64 bytes come with instructions for their masks and for shorter vectors, or are not used.
            if host.has("+avx512f") && !(host.has("+avx512bw") && host.has("+avx512vl")) {
                host.take_level("x86-64-v3");
            }
            if let Some(named) = std::env::var_os(VARIABLE).filter(|named| !named.is_empty()) {
                host.take_level(&named.to_string_lossy());
            }
            host
        })
    }

    /// Compiles for a level instead of this machine.
    fn take_level(&mut self, named: &str) {
        let Some((name, needs)) = LEVELS.iter().find(|(name, _)| *name == named) else {
            let names = LEVELS.map(|(name, _)| name).join(", ");
            self.refusal = Some(format!(
                "{VARIABLE} is '{named}', and may be one of {names}"
            ));
            return;
        };
        if let Some(lacks) = needs.split(',').find(|f| !f.is_empty() && !self.has(f)) {
            self.refusal = Some(format!(
                "{VARIABLE} is '{named}', but this processor lacks {}",
                &lacks[1..]
            ));
            return;
        }
        self.cpu = CString::new(*name).unwrap_or_default();
        self.features = CString::new(*needs).unwrap_or_default();
    }

    /// Whether sums and products have units of their own, as in AMD's Zen family.
    pub fn adds_apart(&self) -> bool {
        self.cpu.to_bytes().starts_with(b"znver") && self.has("+fma")
    }

    /// What code may use, as LLVM lists it.
    pub fn features(&self) -> Cow<'_, str> {
        self.features.to_string_lossy()
    }

    /// Whether code may use a feature, named as LLVM names it.
    fn has(&self, feature: &str) -> bool {
        self.features().split(',').any(|f| f == feature)
    }

    /// A machine to write code for, fast code or any.
    pub fn machine(&self, target: Target, optimised: bool) -> Result<Machine> {
        let spec = Spec {
            triple: &self.triple,
            cpu: &self.cpu,
            features: &self.features,
            optimised,
        };
        Machine::new(target, spec)
    }
}

/// Why there is no machine to compile for, if the program's environment names none.
pub fn refusal() -> Option<&'static str> {
    Host::get().refusal.as_deref()
}

/// Bytes of the largest vector registers of this machine.
pub fn vector_bytes() -> usize {
    let has = |feature| Host::get().has(feature);
    match () {
        () if has("+avx512f") => 64,
        () if has("+avx2") => 32,
        () => 16,
    }
}

/// The vector registers that code uses.
pub fn registers() -> Registers {
    let has = |feature| Host::get().has(feature);
    match () {
        () if has("+avx512f") => Registers::Avx512,
        () if has("+avx2") || has("+avx") => Registers::Avx,
        () => Registers::Sse,
    }
}

/// Whether this machine gathers in less time than loads take: Intel's with vectors of 64 bytes do, AMD's of any generation do not.
pub fn gathers_well() -> bool {
    let host = Host::get();
    host.has("+avx512f") && !host.cpu.to_bytes().starts_with(b"znver")
}

/// LLVM's target for this machine, which the first call registers.
pub fn target(in_use: &InUse) -> Result<Target> {
    static TARGET: OnceLock<Result<Target>> = OnceLock::new();
    let register = || {
        // SAFETY: `Target::register` lets nobody else look at the list of targets meanwhile.
        unsafe {
            LLVMInitializeX86TargetInfo();
            LLVMInitializeX86Target();
            LLVMInitializeX86TargetMC();
            LLVMInitializeX86AsmPrinter();
        }
    };
    TARGET
        .get_or_init(|| Target::register(in_use, &Host::get().triple, register))
        .clone()
}

/// CPU and features of this machine and the compiler's version: all that the same text needs to
/// give the same object. Part of every cache key.
pub fn host_id() -> &'static str {
    static ID: OnceLock<String> = OnceLock::new();
    let _in_use = InUse::new();
    ID.get_or_init(|| {
        let host = Host::get();
        format!(
            "{} {} {} {}",
            version(),
            host.triple.to_string_lossy(),
            host.cpu.to_string_lossy(),
            host.features.to_string_lossy()
        )
    })
}
