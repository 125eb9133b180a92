//! What a compilation depends on besides the kernel.

use crate::cache::Cache;
use crate::front::Reading;
use crate::lower::Lanes;

/// How to compile.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where objects are kept between processes.
    pub cache: Cache,
    /// Index checks that end the launch with an error.
    pub check_bounds: bool,
    /// Integer divisions by zero, failed assertions and variables without a value end the launch with an error too.
    pub debug: bool,
    /// Loops of more iterations are not unrolled; those whose variable `wp.static` sees are, up to here.
    pub max_unroll: u32,
    /// Code that compiles soon and runs slowly.
    pub fast_compile: bool,
    /// On the CPU, such code runs until code that runs fast is there ([`crate::backend::Backend::compile`]).
    pub tiered: bool,
    /// On GPUs, sums and products may be rounded together ([`crate::lower::Options::contract`]).
    pub fuse_fp: bool,
    /// On GPUs, float32 may be approximated ([`crate::lower::Options::approximate`]).
    pub fast_math: bool,
    /// Whether threads run in the lanes of vectors on the CPU.
    pub lanes: Lanes,
    /// Threads run in their order where the result depends on it, whatever launches say ([`crate::launch::Policy::deterministic`]).
    pub deterministic: bool,
    /// Threads of a block on a GPU, for launches that do not say how many.
    pub block_dim: u32,
    /// Code for the CPU says of which lines of the program it is, for debuggers.
    pub line_info: bool,
}

impl Options {
    /// What of it the front asks for.
    pub(super) fn reading(&self) -> Reading {
        Reading {
            debug: self.debug,
            max_unroll: self.max_unroll,
        }
    }
}
