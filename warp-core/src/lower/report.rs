//! What users are told of how a kernel was lowered.

use crate::span::Span;

/// A body of a kernel.
#[derive(Clone, PartialEq, Debug)]
pub struct BodyReport {
    /// The end of its symbol: which arrays it is for, and whether it runs groups.
    pub name: String,
    /// How many threads it runs at once in the lanes of vectors; None: one after the other, unless LLVM finds vectors.
    pub lanes: Option<usize>,
    /// Why it is as it is.
    pub why: &'static str,
    /// What costs time, in the order of the text.
    pub notes: Vec<(Costly, Span)>,
    /// Where rows are split.
    pub splits: Vec<(Splits, Span)>,
    /// Why rows are not split, though conditions on thread indices might split them.
    pub whole: Option<&'static str>,
    /// How often registers are written to the stack because there are too few; None where nobody has looked.
    pub spills: Option<usize>,
}

/// What splits the rows of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Splits {
    /// A condition that changes there.
    Condition,
    /// A flat index, which is divided once for a row.
    Division,
}

/// What costs time in a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Costly {
    /// Lanes read from addresses of their own.
    Gather,
    /// Lanes write to addresses of their own.
    Scatter,
    /// Lanes change memory one after the other.
    Serial,
    /// Bytes that each iteration of a loop records for its gradient.
    Record(usize),
    /// A loop that runs as long as its slowest lane.
    Divergent,
}
