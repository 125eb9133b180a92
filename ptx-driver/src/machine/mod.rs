//! Runs a grid of threads over memory.
//!
//! Blocks run one after the other and a block's threads one at a time, both in an order drawn from a seed: until a barrier, an operation
//! of a warp, the end, or a switch by chance. So a result that depends on luck differs from seed to seed, and the same seed gives
//! the same run. What a GPU leaves undefined or lets pass is a fault where it can be seen: accesses out of bounds, barriers that
//! some threads never reach, lanes that a mask names and that are gone, and, if asked for, races.
//!
//! - `grid`: what a driver passes and gets. `launch`: what all blocks share. `block`, `thread`: what one block and one thread have.
//! - `tlb`, `access`: addresses to memory. `race`: who touched what. `fault`: what stops a grid.
//! - `memory`, `call`, `frame`, `step`: run the instructions of a thread. `barrier`, `warp`: what threads wait for.
//! - `schedule`: which block and which thread runs next.

mod access;
mod barrier;
mod block;
mod call;
mod fault;
mod frame;
mod grid;
mod launch;
mod memory;
mod race;
mod random;
mod schedule;
mod step;
mod thread;
mod tlb;
mod warp;

pub use fault::{Fault, FaultKind};
pub use grid::{Grid, Memory, Report, Settings};
pub(crate) use random::Random;

use crate::ptx::Module;

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
