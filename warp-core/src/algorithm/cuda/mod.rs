//! The same algorithms on NVIDIA GPUs, by kernels of this library in the language of kernels.
//!
//! Each is a few launches in the order of a stream, with memory from the driver's pool; nothing waits, and no block waits
//! for another one. How work is cut depends on sizes alone, and floats are added in an order that does, so that results have the
//! same bits in every run.

mod element;
mod kernel;
mod moves;
mod run;
mod runs;
mod scan;
mod segments;
mod sort;
mod sum;

pub use kernel::Kernel;
pub use run::Run;
pub use runs::runs;
pub use scan::scan;
pub use segments::sort_segments;
pub use sort::sort_pairs;
pub use sum::sum;

use crate::backend::cuda::own::only_loading;
use crate::device::Stream;
use crate::error::Result;

pub use crate::backend::cuda::own::keep_in;

/// A stream of a GPU, for an algorithm.
///
/// # Errors
/// There is no such GPU, or its driver refuses.
pub fn on(stream: Stream) -> Result<Run> {
    Run::on(stream)
}

/// Calls functions of [`crate::algorithm`] that do nothing on a GPU but load the kernels that they need there, so that a graph that is
/// recorded later finds them.
///
/// # Errors
/// What the driver says.
pub fn load(what: impl FnOnce() -> Result<()>) -> Result<()> {
    only_loading(what)
}
