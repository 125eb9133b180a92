//! Targets: what turns LLVM text into running code, one folder per kind of machine.

pub mod cpu;
