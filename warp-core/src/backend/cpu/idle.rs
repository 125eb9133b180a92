//! Large blocks of host memory that arrays have given back, for the next ones of their size.
//!
//! A loop that makes arrays in each step gets memory that its caches still hold and that the system has mapped already: the C library
//! gives large blocks back to the system, which maps and clears each page anew. The blocks that wait are few: [`CAPACITY`].

use std::collections::VecDeque;
use std::sync::Mutex;

/// Bytes that wait at most, on all threads.
pub const CAPACITY: usize = 64 << 20;

static IDLE: Mutex<Idle> = Mutex::new(Idle::new());

/// Blocks that wait, those that have waited longest first.
#[derive(Debug)]
struct Idle {
    blocks: VecDeque<Block>,
    bytes: usize,
}

/// A block of the C library.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// Its address.
    pub base: usize,
    /// How many bytes it was allocated with.
    pub size: usize,
}

impl Idle {
    const fn new() -> Idle {
        Idle {
            blocks: VecDeque::new(),
            bytes: 0,
        }
    }

    fn take(&mut self, size: usize) -> Option<Block> {
        let at = self.blocks.iter().rposition(|block| block.size == size)?;
        let block = self.blocks.remove(at)?;
        self.bytes -= block.size;
        Some(block)
    }

    /// Adds a block, and returns those for which there is no room any more.
    fn add(&mut self, block: Block) -> Vec<Block> {
        let mut gone = Vec::new();
        self.blocks.push_back(block);
        self.bytes += block.size;
        while self.bytes > CAPACITY
            && let Some(oldest) = self.blocks.pop_front()
        {
            self.bytes -= oldest.size;
            gone.push(oldest);
        }
        gone
    }
}

/// A block of a size, if one waits. It has any content.
pub fn take(size: usize) -> Option<Block> {
    // Nobody is waited for: a child of a fork may have no one who gives the lock back.
    IDLE.try_lock().ok()?.take(size)
}

/// Lets a block wait. Returns the blocks that are to be freed.
pub fn add(block: Block) -> Vec<Block> {
    match IDLE.try_lock() {
        Ok(mut idle) => idle.add(block),
        Err(_) => vec![block],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_block_of_a_size_comes_first_and_the_oldest_goes() {
        let mut idle = Idle::new();
        let block = |base: usize, size: usize| Block { base, size };
        for at in 1..4 {
            assert!(idle.add(block(at, 100)).is_empty());
        }
        assert!(idle.add(block(9, 200)).is_empty());
        assert_eq!(idle.take(100), Some(block(3, 100)));
        assert_eq!(idle.take(300), None);
        let gone = idle.add(block(5, CAPACITY - 300));
        assert_eq!(gone, [block(1, 100)]);
        let gone = idle.add(block(6, CAPACITY + 1));
        let rest = [
            block(2, 100),
            block(9, 200),
            block(5, CAPACITY - 300),
            block(6, CAPACITY + 1),
        ];
        assert_eq!(gone, rest);
        assert_eq!((idle.bytes, idle.take(100)), (0, None));
    }
}
