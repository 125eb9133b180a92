//! Lowered kernels against the reference interpreter, and golden texts.
#![cfg(feature = "llvm")]

mod addressed;
mod choice;
mod deterministic;
mod driver;
mod functions;
mod golden;
mod matrices;
mod memory;
mod native;
mod operations;
mod regions;
mod segments;
mod tiered;
