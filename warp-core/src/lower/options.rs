//! How to lower a kernel, and what comes of it.

use crate::span::Span;

/// How to lower.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Name of the entry point: letters, digits and underscores.
    pub name: String,
    /// By parameter: whether each element of this array is touched by one thread only, so that atomic
    /// operations on it may be plain ones unless the launch sets [`crate::abi::flag::OVERLAP`]. A parameter
    /// beyond the end is none.
    pub plain: Vec<bool>,
    /// Checks indices when running.
    pub check_bounds: bool,
    /// Checks integer divisors when running.
    pub check_division: bool,
    /// The backend optimises nothing.
    pub fast_compile: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            name: "kernel".into(),
            plain: Vec::new(),
            check_bounds: false,
            check_division: false,
            fast_compile: false,
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
}

/// What a `print` prints.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Printed {
    /// The format.
    pub format: String,
    /// A tag for each value, as [`crate::abi::runtime::PRINT`] wants them.
    pub tags: String,
}
