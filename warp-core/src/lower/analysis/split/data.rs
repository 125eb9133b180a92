//! What rows are split by.

use crate::ir::{Op, Value, Values};

/// Which conditions are decided in the interior.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Those without which a thread does nothing. Lanes run the other ones under masks.
    Idle,
    /// Also those that are the same for all threads but those at the borders of arrays.
    Borders,
}

/// How a value that a subrange begins with goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Held {
    /// It stays.
    Fixed,
    /// It grows by so much from thread to thread.
    Along(i64),
}

/// Where a subrange ends at the latest. The values are those of its first thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// Where a comparison changes, the difference of whose sides grows by `rise`.
    Compare {
        op: Op,
        sides: [Value; 2],
        rise: i64,
    },
    /// Where a quotient changes.
    Quotient { of: Value, by: Value, rise: i64 },
    /// Before an int32 wraps.
    Wrap { of: Value, rise: i64 },
}

/// What is computed where a subrange begins.
#[derive(Debug)]
pub struct Beginning {
    /// The values, in order.
    pub lets: Vec<(Value, Op, Values)>,
    /// Where it ends.
    pub ends: Vec<End>,
}
