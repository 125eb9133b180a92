//! A forward launch whose arguments are packed: a tape records it, or tapes keep what it overwrites; then it runs, or a recorder
//! takes it.

use super::in_force;
use super::taped::Recorded;
use crate::argument::lending::lending;
use crate::argument::overwrite::{before_launch, written};
use crate::argument::pack::{Owners, check_owners};
use crate::argument::prepared::{Prepared, Source};
use crate::argument::run::run;
use crate::argument::written::WrittenTensors;
use crate::kernel::{Kernel, Ready};
use crate::runtime::config;
use pyo3::prelude::*;
use warp_core::device::Stream;
use warp_core::launch::{Block, Buffers, Dims};

/// A launch, ready to run.
pub struct Forward<'a, 'py> {
    pub kernel: &'a Bound<'py, Kernel>,
    pub ready: &'a Ready,
    pub stream: Stream,
    pub dims: Dims,
    pub block: &'a Block,
    /// Of those that the kernel writes.
    pub tensors: WrittenTensors,
}

/// The arguments that the block was packed of.
pub trait Arguments<'py> {
    /// Calls a function with the arguments as a tape records them.
    ///
    /// # Errors
    /// Those of the function.
    fn with(&self, f: &mut dyn FnMut(&Recorded<'_, 'py>) -> PyResult<()>) -> PyResult<()>;

    /// Owners of all arrays' memory.
    ///
    /// # Errors
    /// An argument has been given other memory since it was packed.
    fn hold(&self) -> PyResult<Owners>;

    /// Keeps what the launch is about to overwrite in arrays that its arguments lead to, unless that was done.
    ///
    /// # Errors
    /// There is no memory.
    fn before_reaching(&self) -> PyResult<()>;

    /// Asked when the last code of the user's has run that may do so.
    ///
    /// # Errors
    /// Memory has been replaced.
    fn check(&self) -> PyResult<()>;
}

impl<'py> Forward<'_, 'py> {
    /// Does it. A tape records it if `record` says so.
    ///
    /// # Errors
    /// A tape cannot keep what it needs, or the kernel fails while it runs.
    #[inline]
    pub fn launch(&self, record: bool, args: &impl Arguments<'py>) -> PyResult<()> {
        let (py, kernel, ready) = (self.kernel.py(), self.kernel.get(), self.ready);
        let mut owners: Option<Owners> = None;
        let tape = if record { in_force::current() } else { None };
        if let Some(tape) = tape {
            // Recording may run code of the user's: conversions, and the collector.
            let held = owners.insert(args.hold()?);
            args.with(&mut |recorded| {
                let extent = (self.stream, self.dims);
                in_force::add_launch(&tape, self.kernel, extent, recorded, self.block)
            })?;
            check_owners(kernel, held)?;
        } else {
            if before_launch(ready, self.block)? {
                owners = Some(args.hold()?);
            }
            args.before_reaching()?;
        }
        args.check()?;
        if self.tensors.any() {
            args.with(&mut |recorded| self.tensors.count(recorded.args))?;
        }
        let mut lent = None;
        if ready.stores_arrays {
            let held = owners.insert(args.hold()?);
            let place = (self.stream.device, self.block, &*held);
            args.with(&mut |recorded| {
                let given = (recorded.args, recorded.roots);
                lent = Some(lending(kernel, ready, given, place)?);
                Ok(())
            })?;
        }
        let prepared = Prepared {
            lending: lent.as_ref(),
            block: self.block,
            // A derived kernel has adds that are plain ones unless somebody says so, and nobody has looked.
            buffers: Buffers::Unknown,
            hold: &|| match &owners {
                Some(held) => Ok(held.clone()),
                None => args.hold(),
            },
            source: &|| {
                Ok(Source {
                    kernel: self.kernel.clone().unbind(),
                    adjoint: None,
                    writes: written(kernel, ready, self.block).collect(),
                })
            },
        };
        let program = &ready.compiled.program;
        run(py, kernel, program, self.stream, &self.dims, &prepared)?;
        if config::verify_access() {
            in_force::after_launch()?;
        }
        Ok(())
    }
}
