//! Lowered kernels against the reference interpreter. Golden texts are in `files`.

mod choice;
mod deterministic;
mod driver;
mod fission;
mod functions;
mod matrices;
mod memory;
mod operations;
mod pointer_based;
mod regions;
mod tiered;
