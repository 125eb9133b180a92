//! How to lower a kernel, and what comes of it.

use crate::abi::ChangedArrays;
use crate::lower::guards::conditions::Conditions;
use crate::lower::report::BodyReport;
use crate::span::{Source, Span};
use std::sync::Arc;

/// Whether threads run in the lanes of vectors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Lanes {
    /// Where it is faster.
    #[default]
    Auto,
    /// Wherever it is possible.
    Always,
    /// Wherever it is possible, in groups of so many: 2, 4, 8, 16, 32 or 64.
    Groups(u8),
    /// Not by lowering; LLVM may find vectors of its own.
    Never,
}

impl Lanes {
    /// A number of its own, for keys.
    pub const fn tag(self) -> u8 {
        match self {
            Lanes::Auto => 0,
            Lanes::Always => 1,
            Lanes::Never => 255,
            Lanes::Groups(width) => width,
        }
    }
}

/// How to lower.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Name of the entry point: letters, digits and underscores.
    pub name: String,
    /// By parameter: whether each element of this array is touched by one thread only, so that atomic
    /// operations on it may be plain ones unless the launch sets [`crate::abi::flag::OVERLAP`]. A parameter
    /// beyond the end is none.
    pub non_atomic: Vec<bool>,
    /// Checks indices when running.
    pub check_bounds: bool,
    /// The kernel is one of this library's own: its indices count from the start, and its launches pass dense arrays.
    pub own: bool,
    /// Checks integer divisors when running.
    pub check_division: bool,
    /// The backend optimises nothing.
    pub fast_compile: bool,
    /// A product that is only added to something may be rounded together with the sum, where the device is faster so. Lowering
    /// for the host never does it, nor for a kernel that records, whose two halves have to round alike. Not for a
    /// kernel that changes floats by atomic minima or maxima, nor for its adjoint, which looks for equal values.
    pub contract: bool,
    /// Quotients, square roots and functions of float32 may be what the device has instructions for, and numbers of float32 below
    /// the normal range zero. The host computes as ever.
    pub approximate: bool,
    /// Whether threads run in lanes on the host.
    pub lanes: Lanes,
    /// Bytes of the host's vector registers. A gang fills two of them or more.
    pub vector: usize,
    /// Whether the host gathers from memory in less time than one load for each lane takes.
    pub gathers: bool,
    /// The texts that places are of, if code for the host is to say which lines it is of. The debugger is told.
    pub lines: Option<Arc<[Source]>>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            name: "kernel".into(),
            non_atomic: Vec::new(),
            check_bounds: false,
            own: false,
            check_division: false,
            fast_compile: false,
            contract: false,
            approximate: false,
            lanes: Lanes::Auto,
            vector: 32,
            gathers: false,
            lines: None,
        }
    }
}

/// A lowered kernel.
#[derive(Clone, PartialEq, Debug)]
pub struct Lowered {
    /// The LLVM text.
    pub text: String,
    /// Places in the user's text that run-time errors name by index.
    pub spans: Vec<Span>,
    /// What each `print` of the kernel prints, where the program that launches does it.
    pub prints: Vec<Printed>,
    /// Whether threads are to run in index order: what they print is then in order too.
    pub in_order: bool,
    /// Whether threads of a GPU collect what they add to an element that all share, and change memory once each warp.
    pub reduces: bool,
    /// Whether threads of a GPU ask for objects.
    pub queries: bool,
    /// What the host asks before it launches on a GPU: whether the body for dense arrays may run, [`crate::abi::flag::DENSE`].
    pub dense: Conditions,
    /// How many threads run at once in lanes, where the host runs groups of them; otherwise 1.
    pub gang: u32,
    /// Which arrays threads of the host may add to in copies of their own.
    pub changed: ChangedArrays,
    /// What users are told of each body.
    pub report: Vec<BodyReport>,
    /// The stacks that the launch has to make room for, in the order of their numbers. Those of the host grow by themselves.
    pub stacks: Vec<StackUse>,
}

/// A stack for recording, or the undo log, that each thread of a kernel has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StackUse {
    /// Its arena number, see [`crate::abi::Ctx::stacks`].
    pub arena: u8,
    /// No thread ever has more units of 8 bytes on it; None if that depends on what the kernel is given.
    pub most: Option<u64>,
}

/// What a `print` prints.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Printed {
    /// The format.
    pub format: String,
    /// A tag for each value, as [`crate::abi::runtime::PRINT`] wants them.
    pub tags: String,
}
