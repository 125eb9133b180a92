//! LLVM, as far as backends share it: text to a module, passes, and what a target makes of a module.
//!
//! What must hold, here and in the folders of the backends: LLVM never ends the process (every failure is an [`Error`]), every
//! LLVM object is owned by a value that disposes of it, a context never leaves the thread that made it, and any number of
//! threads may compile at once.

pub(super) mod apart;
pub(super) mod context;
pub(super) mod error;
mod exit;
mod fatal;
pub(super) mod fork;
mod init;
pub(super) mod machine;
pub(super) mod passes;
mod version;

pub use error::{Error, Result};
pub(super) use init::init;
pub use version::version;
