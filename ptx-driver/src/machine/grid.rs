//! What a driver passes to run a grid, and what it gets.

use std::ptr::NonNull;

/// Memory that kernels can reach.
pub trait Memory: Sync {
    /// Host address of `bytes` bytes at a device address, if all of them lie in one live allocation that kernels of this device may
    /// touch. While a grid runs, the answer must stay true, and nobody else may access that memory.
    fn at(&self, address: u64, bytes: u64) -> Option<NonNull<u8>>;
}

/// How many threads run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Blocks along each axis.
    pub grid: [u32; 3],
    /// Threads of a block along each axis.
    pub block: [u32; 3],
    /// Bytes of shared memory behind the kernel's own variables.
    pub dynamic_shared: u32,
}

/// How a grid is run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Decides all that is left to chance. With 0, `activemask` always tells of all lanes that are there.
    pub seed: u64,
    /// Switch threads at memory accesses, one time in so many.
    pub switch: Option<u32>,
    /// Report races.
    pub races: bool,
    /// Stop a grid that executes more instructions than this, as one that never ends.
    pub instruction_limit: Option<u64>,
}

/// What a run that went well did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// Instructions that all threads executed together.
    pub instructions: u64,
}
