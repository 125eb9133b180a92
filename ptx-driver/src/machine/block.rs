//! A block that runs: its threads, and what they wait for.

use super::thread::Thread;

/// Barriers of a block.
pub(super) const BARRIERS: usize = 16;

/// One of a block's barriers.
#[derive(Clone, Default)]
pub(super) struct Barrier {
    pub arrived: u32,
    pub expected: u32,
    pub waiting: Vec<u32>,
    /// What the reduction makes of the predicates so far.
    pub count: u32,
}

/// A block that runs.
pub(super) struct Block {
    pub number: u64,
    pub threads: Vec<Thread>,
    pub barriers: [Barrier; BARRIERS],
    /// Of each warp: how many lanes wait for others.
    pub waiting: Vec<u32>,
}
