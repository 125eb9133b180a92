//! Backends: what turns LLVM text into running code, one folder per kind of device.

pub mod cpu;
