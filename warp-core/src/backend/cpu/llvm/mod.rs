//! LLVM for this machine: text in, object out; object in, address out.

mod balance;
mod compile;
mod elf;
mod host;
mod jit;
mod names;
mod prepare;
#[cfg(target_arch = "aarch64")]
mod preserved;
#[cfg(test)]
mod tests;

pub use crate::backend::llvm::{Error, Result};
pub use compile::{OptLevel, Tuning, assembly, compile, compile_unless, optimized_text};
pub use host::{gathers_well, host_id, refusal, vector_bytes};
pub use jit::{Loaded, load};
pub use names::write_perf_map;
pub use prepare::{finish_preparing, prepare};
