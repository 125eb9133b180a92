//! Blocks of threads that work together: how many threads a block has, what they wait for, and what they share.

use std::fmt::{self, Display, Formatter};

/// How the threads of a kernel form blocks: those that differ in one launch dimension alone, which is the last one. The launch has
/// as many threads along it as a block has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ThreadBlock {
    /// Threads of a block.
    pub threads: u32,
    /// The dimension along which they lie.
    pub dim: u8,
}

/// The most threads of a block.
pub const MAX_THREADS: u32 = 1024;
/// Threads of a warp: those that exchange values directly.
pub const WARP: u32 = 32;
/// The most bytes of all arrays that a block shares.
pub const MAX_SHARED: usize = 48 << 10;

impl Display for ThreadBlock {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} along {}", self.threads, self.dim)
    }
}

/// Which threads wait for each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ThreadScope {
    /// Those of a warp.
    Warp,
    /// Those of a block.
    Block,
}

impl ThreadScope {
    /// All of them.
    pub const ALL: [ThreadScope; 2] = [ThreadScope::Warp, ThreadScope::Block];

    /// The name in the text form.
    pub const fn name(self) -> &'static str {
        match self {
            ThreadScope::Warp => "warp",
            ThreadScope::Block => "block",
        }
    }
}
