//! What LLVM compiles for on x86-64.

use llvm_sys::target::{
    LLVMInitializeX86AsmPrinter, LLVMInitializeX86Target, LLVMInitializeX86TargetInfo,
    LLVMInitializeX86TargetMC,
};

use super::facts::{Facts, Level};
use crate::backend::cpu::preserve::Registers;

pub const LEVELS: &[Level] = &[
    Level {
        name: "x86-64",
        cpu: "x86-64",
        needs: "",
    },
    Level {
        name: "x86-64-v2",
        cpu: "x86-64-v2",
        needs: "+sse4.2",
    },
    Level {
        name: "x86-64-v3",
        cpu: "x86-64-v3",
        needs: "+avx2",
    },
    Level {
        name: "x86-64-v4",
        cpu: "x86-64-v4",
        needs: "+avx2,+avx512f,+avx512bw,+avx512vl",
    },
];

/// A processor without what code does not use: vectors of 64 bytes come with instructions for their masks and for shorter vectors, or
/// not at all.
pub fn limited(facts: Facts) -> Facts {
    match facts.has("+avx512f") && !(facts.has("+avx512bw") && facts.has("+avx512vl")) {
        true => Facts::of(&LEVELS[2]),
        false => facts,
    }
}

/// As in AMD's Zen family.
pub fn adds_apart(facts: &Facts) -> bool {
    facts.cpu.to_bytes().starts_with(b"znver") && facts.has("+fma")
}

pub fn vector_bytes(facts: &Facts) -> usize {
    match () {
        () if facts.has("+avx512f") => 64,
        () if facts.has("+avx2") => 32,
        () => 16,
    }
}

pub fn registers(facts: &Facts) -> Registers {
    match () {
        () if facts.has("+avx512f") => Registers::Avx512,
        () if facts.has("+avx2") || facts.has("+avx") => Registers::Avx,
        () => Registers::Sse,
    }
}

/// Intel's processors with vectors of 64 bytes do, AMD's of any generation do not.
pub fn gathers_well(facts: &Facts) -> bool {
    facts.has("+avx512f") && !facts.cpu.to_bytes().starts_with(b"znver")
}

/// Adds LLVM's target to its list, which `Target::register` lets nobody else look at meanwhile.
pub fn register() {
    // SAFETY: no preconditions but that.
    unsafe {
        LLVMInitializeX86TargetInfo();
        LLVMInitializeX86Target();
        LLVMInitializeX86TargetMC();
        LLVMInitializeX86AsmPrinter();
    }
}
