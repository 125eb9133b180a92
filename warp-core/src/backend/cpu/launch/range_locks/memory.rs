//! Ranges of memory that launches change.

use std::ops::Range;

/// Memory that a launch changes.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// The first byte.
    start: usize,
    /// The byte after the last one.
    end: usize,
    /// Whether the lock is exclusive.
    pub(super) alone: bool,
}

impl Memory {
    pub(super) const NONE: Memory = Memory {
        start: 0,
        end: 0,
        alone: false,
    };

    /// Bytes that are changed.
    pub fn new(bytes: &Range<usize>, alone: bool) -> Memory {
        Memory {
            start: bytes.start,
            end: bytes.end,
            alone,
        }
    }

    pub(super) fn meets(&self, other: &Memory) -> bool {
        self.start < other.end && other.start < self.end
    }

    pub(super) fn with(self, other: Memory) -> Memory {
        Memory {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
            alone: self.alone || other.alone,
        }
    }
}
