//! What stops a grid.

use std::fmt;

/// The kind of a fault, from which a driver takes its error code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// An access to memory that is not there or that kernels may not touch so.
    IllegalAddress,
    /// An access at an address that is no multiple of its size.
    Misaligned,
    /// What no device can execute.
    IllegalInstruction,
    /// `trap`, or too deep a chain of calls.
    LaunchFailed,
    /// A failed assertion.
    Assert,
    /// Two threads touched the same bytes, at least one of them to write, and nothing ordered them.
    Race,
    /// Threads wait for others that never come.
    Deadlock,
    /// More instructions than the settings allow.
    Limit,
}

/// A fault: what happened, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What it is.
    pub kind: FaultKind,
    /// The kernel's name.
    pub kernel: String,
    /// The block.
    pub block: [u32; 3],
    /// The thread within the block.
    pub thread: [u32; 3],
    /// Line of the PTX text.
    pub line: usize,
    /// All of it as a sentence.
    pub text: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Fault {}

/// What a part of a run gives. Faults are large and rare.
pub(super) type Outcome<T> = Result<T, Box<Fault>>;

/// What a fault of an instruction is.
pub(super) struct Cause {
    pub kind: FaultKind,
    pub what: String,
}
/// What an instruction gives.
pub(super) type Attempt<T> = Result<T, Box<Cause>>;

pub(super) fn cause(kind: FaultKind, what: impl Into<String>) -> Box<Cause> {
    let what = what.into();
    Box::new(Cause { kind, what })
}
