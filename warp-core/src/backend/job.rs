//! A launch that is ready to run.

use super::code::{Code, Executable};
use crate::device::Stream;
use crate::objects;
use crate::ty::MAX_NDIM;

/// A launch that is ready to run. [`crate::launch`] makes it.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The kernel.
    pub code: &'a Code,
    /// Where it runs, and after what.
    pub stream: Stream,
    /// Its argument block.
    pub block: *const u8,
    /// Launch dimensions, unused ones 1.
    pub dims: [i32; MAX_NDIM],
    /// Threads run in index order, one after the other.
    pub in_order: bool,
    /// Adds that the kernel makes without atomics may meet.
    pub overlap: bool,
    /// The kernel queries objects by their ids.
    pub queries: bool,
    /// Where in the argument block the id is of an object in whose order threads run best.
    pub ordered_by: Option<usize>,
    /// The grid of a launch on a GPU.
    pub grid: Grid,
}

/// What the caller wants of a grid.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Grid {
    /// Threads of a block; 0 leaves it to the kernel.
    pub block_dim: u32,
    /// The most blocks; 0 leaves it to the backend.
    pub max_blocks: u32,
}

// SAFETY: the argument block is only read during a launch, by whatever thread.
unsafe impl Send for Job<'_> {}
// SAFETY: as above.
unsafe impl Sync for Job<'_> {}

impl Job<'_> {
    /// The order in which threads run best, if an argument says one for just so many; else null.
    #[inline]
    pub fn order(&self) -> *const u32 {
        let by = self.ordered_by.filter(|_| !self.in_order);
        by.map_or(std::ptr::null(), |offset| {
            // SAFETY: the block holds a number of 64 bits there.
            let id = unsafe { self.block.add(offset).cast::<u64>().read_unaligned() };
            objects::order(id, self.dims[0] as usize)
        })
    }

    /// Number of threads.
    #[inline]
    pub fn total(&self) -> i64 {
        // In pairs: a chain of products takes twice as long.
        let d = self.dims.map(i64::from);
        (d[0] * d[1]) * (d[2] * d[3])
    }

    /// Whether the launch is expected to return so soon that the caller need not give up a lock for it.
    #[inline]
    pub fn is_short(&self) -> bool {
        let Executable::Cpu(executable) = &self.code.executable else {
            // It is given to a stream.
            return true;
        };
        executable.cost().is_short(self.total())
    }
}
