//! Lowered kernels against the reference interpreter. Golden texts are in `files`.

mod addressed;
mod choice;
mod deterministic;
mod driver;
mod functions;
mod matrices;
mod memory;
mod operations;
mod regions;
mod segments;
mod tiered;
