//! What a compilation depends on besides the kernel.

use crate::cache::Cache;

/// How to compile.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where objects are kept between processes.
    pub cache: Cache,
    /// Index checks that end the launch with an error.
    pub check_bounds: bool,
    /// Integer divisions by zero, failed assertions and variables without a value end the launch with an error too.
    pub debug: bool,
    /// Code that compiles soon and runs slowly.
    pub fast_compile: bool,
}
