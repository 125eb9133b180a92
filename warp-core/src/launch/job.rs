//! From a kernel and a block of arguments to a job: the one place that says how a launch is run.

use super::dims::Dims;
use super::overlap::any_overlap;
use crate::abi::Strided;
use crate::backend::{Code, Grid, Job};
use crate::device::Stream;
use crate::module::Program;

/// What the caller of a launch decides.
#[derive(Clone, Copy, Debug)]
pub struct Policy<'a> {
    /// Results must not depend on the order of threads.
    pub deterministic: bool,
    /// What is known of the buffers that the kernel adds to.
    pub buffers: Buffers<'a>,
}

/// What is known of the buffers of a launch. Adds that need no atomics while threads and buffers are apart become atomic
/// where they are not.
#[derive(Clone, Copy, Debug)]
pub enum Buffers<'a> {
    /// None overlaps itself or another one: the caller, or XLA, made them so.
    Apart,
    /// The caller has not looked.
    Unknown,
    /// What the kernel writes; it is looked at here, if the kernel has such adds.
    Written(&'a [Strided]),
}

impl<'a> Job<'a> {
    /// A launch on a stream of a program whose `code` is for the stream's device.
    // Inlined, because a job that is returned and moved costs a short launch a tenth of its time.
    #[inline(always)]
    pub fn new(
        program: &Program,
        code: &'a Code,
        stream: Stream,
        block: *const u8,
        dims: Dims,
        policy: Policy<'_>,
    ) -> Job<'a> {
        debug_assert_eq!(code.device, stream.device);
        let overlap = match &program.non_atomic_adds {
            None => false,
            Some(adds) => match policy.buffers {
                Buffers::Unknown => true,
                Buffers::Apart => adds.threads_meet(&dims.shape),
                Buffers::Written(arrays) => adds.threads_meet(&dims.shape) || any_overlap(arrays),
            },
        };
        Job {
            code,
            stream,
            block,
            dims: dims.shape,
            in_order: code.in_order
                || (program.order_matters && (policy.deterministic || program.is_deterministic())),
            overlap,
            queries: program.queries,
            ordered_by: program.ordered_by,
            grid: Grid {
                block_dim: match dims.grid.block_dim {
                    0 => program.block_dim(),
                    said => said,
                },
                ..dims.grid
            },
        }
    }
}
