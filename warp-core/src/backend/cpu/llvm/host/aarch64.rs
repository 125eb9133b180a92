//! What LLVM compiles for on Arm processors of 64 bits.

use std::ffi::CString;

use llvm_sys::target::{
    LLVMInitializeAArch64AsmPrinter, LLVMInitializeAArch64Target, LLVMInitializeAArch64TargetInfo,
    LLVMInitializeAArch64TargetMC,
};

use super::facts::{Facts, Level};
use crate::backend::cpu::preserve::Registers;

pub const LEVELS: &[Level] = &[
    Level {
        name: "armv8-a",
        cpu: "generic",
        needs: "",
    },
    // Atomic operations that are one instruction.
    Level {
        name: "armv8.1-a",
        cpu: "generic",
        needs: "+lse",
    },
];

/// A processor without what code does not use: SVE, whose vectors have another length on each processor. Vectors are those of NEON.
pub fn limited(facts: Facts) -> Facts {
    let features = facts.features().into_owned();
    let without = match features.is_empty() {
        true => "-sve".to_string(),
        false => format!("{features},-sve"),
    };
    Facts {
        features: CString::new(without).unwrap_or_default(),
        cpu: facts.cpu,
    }
}

/// None is known.
pub fn adds_apart(_: &Facts) -> bool {
    false
}

pub fn vector_bytes(_: &Facts) -> usize {
    16
}

pub fn registers(_: &Facts) -> Registers {
    Registers::Neon
}

/// NEON does not gather.
pub fn gathers_well(_: &Facts) -> bool {
    false
}

/// Adds LLVM's target to its list, which `Target::register` lets nobody else look at meanwhile.
pub fn register() {
    // SAFETY: no preconditions but that.
    unsafe {
        LLVMInitializeAArch64TargetInfo();
        LLVMInitializeAArch64Target();
        LLVMInitializeAArch64TargetMC();
        LLVMInitializeAArch64AsmPrinter();
    }
}
