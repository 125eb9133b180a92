//! Runs a grid of threads over memory.
//!
//! Blocks run one after the other and a block's threads one at a time, both in an order drawn from a seed: until a barrier, an operation
//! of a warp, the end, or a switch by chance. So a result that depends on luck differs from seed to seed, and the same seed gives
//! the same run. What a GPU leaves undefined or lets pass is a fault where it can be seen: accesses out of bounds, barriers that
//! some threads never reach, lanes that a mask names and that are gone, and, if asked for, races.
//!
//! - `launch`: what all blocks share. `block`: which thread runs next. `thread`: registers, frames, local memory.
//! - `step`, `memory`, `call`: run instructions. `access`: addresses to memory. `barrier`, `warp`: what threads wait for. `race`: who touched what.

mod access;
mod barrier;
mod block;
mod call;
mod fault;
mod launch;
mod memory;
mod race;
mod random;
mod step;
mod thread;
mod warp;

pub use fault::{Fault, FaultKind};

use crate::ptx::Module;
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

/// Runs a kernel. `globals` are the addresses of the module's variables, in their order; `params` is the block of parameters.
///
/// # Errors
/// The first fault of a thread.
///
/// # Panics
/// If `kernel` is none of the module's, or `globals` or `params` are shorter than it needs.
pub fn run(
    module: &Module,
    kernel: usize,
    globals: &[u64],
    grid: &Grid,
    params: &[u8],
    memory: &dyn Memory,
    settings: &Settings,
) -> Result<Report, Fault> {
    assert!(globals.len() >= module.globals.len());
    assert!(params.len() >= module.kernels[kernel].param_bytes);
    let mut launch = launch::Launch::new(module, kernel, globals, grid, params, memory, settings);
    launch.run().map_err(|fault| *fault)?;
    let instructions = launch.executed;
    Ok(Report { instructions })
}
