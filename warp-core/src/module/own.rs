//! Kernels of this library's own: those of algorithms on GPUs, `library/algorithm.py`.

use crate::error::{Bug, Result};
use crate::front::{self, Meanings, Reading};
use crate::ir::ThreadBlock;
use crate::library::Library;
use crate::lower;
use crate::pass;
use crate::verify::Verified;

/// Which kernel, and what its text depends on.
#[derive(Clone, Debug)]
pub struct OwnKernel {
    /// Where its text stands.
    pub library: &'static Library,
    /// Its name there.
    pub function: &'static str,
    /// What names mean in it.
    pub meanings: Meanings,
    /// Its name in the compiled text: letters, digits and underscores.
    pub symbol: String,
    /// How its threads form blocks.
    pub threads: ThreadBlock,
}

impl OwnKernel {
    /// The kernel as IR.
    ///
    /// # Errors
    /// A bug of the library or of a pass.
    pub fn build(&self) -> Result<Verified, Bug> {
        let bug = |what: &dyn std::fmt::Display| Bug(format!("kernel `{}`: {what}", self.symbol));
        let found = front::library_kernel(self.library, self.function, &self.meanings);
        let (text, scope) = found.map_err(|e| bug(&e))?;
        let built = front::build(text, &*scope, Reading::default()).map_err(|e| bug(&e))?;
        let mut func = built.func;
        func.name.clone_from(&self.symbol);
        func.threads = Some(self.threads);
        pass::front(func)
    }

    /// How it is lowered. Sums are rounded one by one.
    pub fn lowering(&self) -> lower::Options {
        lower::Options {
            name: self.symbol.clone(),
            own: true,
            ..lower::Options::default()
        }
    }
}
