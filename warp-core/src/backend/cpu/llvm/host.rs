//! The machine that this process runs on, as LLVM names it.

use std::borrow::Cow;
use std::ffi::CString;
use std::sync::OnceLock;

use llvm_sys::target_machine::*;

use crate::backend::cpu::preserve::Registers;
use crate::backend::llvm::error::{Result, take_string};
use crate::backend::llvm::fork::InUse;
use crate::backend::llvm::machine::{Machine, Spec, Target};
use crate::backend::llvm::version;

#[cfg(target_arch = "aarch64")]
mod aarch64;
mod facts;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
use aarch64 as architecture;
#[cfg(target_arch = "x86_64")]
use x86_64 as architecture;

use facts::Facts;

/// Which processor kernels are compiled for, where that is not the one that runs them: a level of the architecture.
const VARIABLE: &str = "WARP_CPU";

pub struct Host {
    pub triple: CString,
    facts: Facts,
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
                    facts: architecture::limited(Facts {
                        cpu: text(LLVMGetHostCPUName()),
                        features: text(LLVMGetHostCPUFeatures()),
                    }),
                    refusal: None,
                }
            };
            if let Some(named) = std::env::var_os(VARIABLE).filter(|named| !named.is_empty()) {
                host.take_level(&named.to_string_lossy());
            }
            host
        })
    }

    /// Compiles for a level instead of this machine.
    fn take_level(&mut self, named: &str) {
        let levels = architecture::LEVELS;
        let Some(level) = levels.iter().find(|level| level.name == named) else {
            let names = levels.iter().map(|level| level.name).collect::<Vec<_>>();
            let names = names.join(", ");
            self.refusal = Some(format!(
                "{VARIABLE} is '{named}', and may be one of {names}"
            ));
            return;
        };
        if let Some(lacks) = level
            .needs
            .split(',')
            .find(|f| !f.is_empty() && !self.facts.has(f))
        {
            self.refusal = Some(format!(
                "{VARIABLE} is '{named}', but this processor lacks {}",
                &lacks[1..]
            ));
            return;
        }
        self.facts = Facts::of(level);
    }

    /// Whether sums and products have units of their own.
    pub fn adds_apart(&self) -> bool {
        architecture::adds_apart(&self.facts)
    }

    /// What code may use, as LLVM lists it.
    pub fn features(&self) -> Cow<'_, str> {
        self.facts.features()
    }

    /// A machine to write code for, fast code or any.
    pub fn machine(&self, target: Target, optimised: bool) -> Result<Machine> {
        let spec = Spec {
            triple: &self.triple,
            cpu: &self.facts.cpu,
            features: &self.facts.features,
            optimised,
        };
        Machine::new(target, spec)
    }
}

/// Why there is no machine to compile for, if the program's environment names none.
pub fn refusal() -> Option<&'static str> {
    Host::get().refusal.as_deref()
}

/// Bytes of the largest vector registers that code uses.
pub fn vector_bytes() -> usize {
    architecture::vector_bytes(&Host::get().facts)
}

/// The vector registers that code uses.
pub fn registers() -> Registers {
    architecture::registers(&Host::get().facts)
}

/// Whether this machine gathers in less time than loads take.
pub fn gathers_well() -> bool {
    architecture::gathers_well(&Host::get().facts)
}

/// LLVM's target for this machine, which the first call registers.
pub fn target(in_use: &InUse) -> Result<Target> {
    static TARGET: OnceLock<Result<Target>> = OnceLock::new();
    TARGET
        .get_or_init(|| Target::register(in_use, &Host::get().triple, architecture::register))
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
            host.facts.cpu.to_string_lossy(),
            host.features()
        )
    })
}
