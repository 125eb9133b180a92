//! LLVM, wrapped: text in, object out; object in, address out. The only module that calls LLVM.
//!
//! What must hold: LLVM never ends the process (every failure is a [`Error`]), every LLVM object is
//! owned by a value that disposes of it, a context never leaves the thread that made it, and any
//! number of threads may compile and load at once.

mod apart;
mod compile;
mod error;
mod exit;
mod fatal;
mod fork;
mod init;
mod jit;
mod prepare;
#[cfg(test)]
mod tests;

pub use compile::{OptLevel, Tuning, compile, compile_unless, host_id, optimized_text};
pub use error::{Error, Result};
pub use jit::{Loaded, load};
pub use prepare::{finish_preparing, prepare};
