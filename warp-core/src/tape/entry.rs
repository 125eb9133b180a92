//! What a tape keeps of each thing that it has recorded.

use super::host::Host;
use super::launch::TapedLaunch;
use super::plan::Use;
use std::sync::Arc;

/// One thing that a tape has recorded.
pub enum Entry<H: Host> {
    /// A launch.
    Launch(Arc<TapedLaunch<H>>),
    /// An array, or part of one, was filled: its gradient ends there.
    Fill(Arc<[H::Value]>),
    /// A function to be called in the backward pass, and the arrays whose gradients it uses: so many that were read, to which it
    /// adds, then those that were written.
    Call(Arc<(H::Function, Vec<H::Value>, usize)>),
}

impl<H: Host> Clone for Entry<H> {
    fn clone(&self) -> Entry<H> {
        match self {
            Entry::Launch(launch) => Entry::Launch(launch.clone()),
            Entry::Fill(array) => Entry::Fill(array.clone()),
            Entry::Call(call) => Entry::Call(call.clone()),
        }
    }
}

impl<H: Host> Entry<H> {
    /// A fill of an array.
    pub fn fill(array: H::Value) -> Entry<H> {
        Entry::Fill(Arc::new([array]))
    }

    /// A call of a function that adds to the gradients of `reads` what follows from those of `writes`.
    pub fn call(function: H::Function, reads: Vec<H::Value>, writes: Vec<H::Value>) -> Entry<H> {
        let count = reads.len();
        let mut arrays = reads;
        arrays.extend(writes);
        Entry::Call(Arc::new((function, arrays, count)))
    }

    /// The arrays, and for launches the other arguments too.
    pub fn values(&self) -> &[H::Value] {
        match self {
            Entry::Launch(launch) => &launch.args,
            Entry::Fill(array) => array,
            Entry::Call(call) => &call.1,
        }
    }

    /// How the entry uses each array; values use nothing.
    ///
    /// # Errors
    /// An argument is no array any more.
    pub fn uses(&self, at: H::Context<'_>) -> Result<Vec<Use>, H::Error> {
        let (fills, reads) = match self {
            Entry::Launch(launch) => return launch.uses(at),
            Entry::Fill(_) => (true, 0),
            Entry::Call(call) => (false, call.2),
        };
        let each = self.values().iter().enumerate();
        let uses = each.map(|(n, value)| match H::view(at, value) {
            Some(view) => {
                let how = Use {
                    reads: n < reads,
                    writes: n >= reads,
                    fills,
                    ..Use::NOTHING
                };
                Use::of(view.strided(), &how)
            }
            None => Use::NOTHING,
        });
        Ok(uses.collect())
    }
}
