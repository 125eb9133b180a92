//! How a text is read, where there is a choice.

/// How a text is read.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// Failed assertions and variables without a value end the kernel.
    pub debug: bool,
    /// Loops of more iterations are not written out; those whose variable `wp.static` sees are, up to here.
    pub max_unroll: u32,
}

impl Default for Reading {
    fn default() -> Reading {
        Reading {
            debug: false,
            max_unroll: 16,
        }
    }
}
