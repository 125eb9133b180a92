//! Algorithms on whole arrays: sums, scans, sorts, runs and casts, spread over the CPU's threads or done by a GPU.
//!
//! What must hold: results are the same, bit for bit, for any number of threads and in every run, since work is cut by sizes alone;
//! nothing reads beyond the elements that its caller promised. Callers check types, sizes and overlap first: functions here panic on
//! what they do not know rather than guess.
//!
//! Each function but [`cast`] is told a stream of the device that has the memory. A GPU does its work in the order of the stream, and
//! the function returns before that is done.

mod cast;
mod coloring;
pub mod cuda;
mod devices;
mod element;
mod place;
mod reduce;
mod runs;
mod scan;
mod segments;
mod sort;

pub use cast::cast;
pub use coloring::{Graph, Order};
pub use devices::{runs, scan, sort_pairs, sort_segments, sum};
pub(crate) use place::Place;
pub use reduce::Sum;
pub use runs::runs as runs_on_cpu;
pub use sort::Pairs;

use crate::backend::cpu::pool;

/// Fewer elements are not worth a second thread.
const GRAIN: usize = 1 << 14;

/// Runs `work(i)` for each `i` below `n`, on several threads where the whole is `cost` elements or more of work for them.
pub(crate) fn each(n: usize, cost: usize, work: impl Fn(usize) + Sync) {
    if n <= 1 || cost < 2 * GRAIN {
        (0..n).for_each(work);
        return;
    }
    // A few chunks per thread, so that none waits long for the last one.
    let chunk = n
        .div_ceil(8 * pool::threads())
        .max(n.div_ceil(cost / GRAIN));
    let run = |_: usize, begin: i64, end: i64| (begin..end).for_each(|i| work(i as usize));
    pool::run(n as i64, chunk as i64, &|| {}, &run);
}
