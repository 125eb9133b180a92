//! Whose the tapes of Rust programs are: arrays whose gradients are found by their memory, and kernels that are compiled.

use super::adjoint::{Operands, Packed, pack};
use super::backward::{Args, Backward};
use super::gradients::Gradients;
use super::host::{Differentiable, Host};
use super::launch::TapedLaunch;
use super::plan::Use;
use super::saved::SavedArray;
use crate::abi::ArrayArg;
use crate::array::{Array, Owner, View};
use crate::command::{Command, Fill, Launch, Runnable, Snapshot, perform};
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::launch::{Block, any_overlap};
use crate::module::{CachedAdjoint, Compiled, Program, Reverse};
use crate::pass::regions::Region;
use crate::span::Source;
use smallvec::SmallVec;
use std::sync::Arc;

/// Rust programs.
pub struct Native;

impl SavedArray<Array> {
    /// Of what elements of an array hold now.
    ///
    /// # Errors
    /// There is no memory.
    pub fn of(array: &Array, region: Option<Region>) -> Result<SavedArray<Array>> {
        let mut saved = SavedArray {
            snapshot: None,
            region,
            counted: None,
        };
        saved.take(array)?;
        Ok(saved)
    }

    /// Takes a snapshot.
    fn take(&mut self, array: &Array) -> Result<()> {
        if !self.is_empty() {
            self.snapshot = Some(Snapshot::take(&self.part(array), None)?);
        }
        Ok(())
    }
}

/// A function that a backward pass calls.
pub type Function = Box<dyn Fn() -> Result<()> + Send + Sync>;

impl Differentiable for Arc<Compiled> {
    fn compiled(&self) -> &Compiled {
        self
    }
    fn title(&self) -> &str {
        &self.signature.name
    }
    fn has_backward(&self) -> bool {
        true
    }
}

impl Host for Native {
    type Context<'a> = &'a Gradients;
    /// Empty for an argument that is no array.
    type Value = Array;
    type Kernel = Arc<Compiled>;
    /// Why there is no gradient.
    type More = Option<Error>;
    type Function = Function;
    type Note = ();
    type Error = Error;

    fn error(error: Error) -> Error {
        error
    }
    fn view(_: &Gradients, value: &Array) -> Option<View> {
        Some(value.view)
    }
    fn argument(
        _: &Gradients,
        _: (&Arc<Compiled>, Stream),
        value: &Array,
        _: usize,
    ) -> Result<ArrayArg> {
        Ok(value.view.arg)
    }
    fn clear(gradients: &Gradients, value: &Array) -> Result<()> {
        gradients.of(&value.view).map_or(Ok(()), zero)
    }
    fn save(_: &Gradients, saved: &mut SavedArray<Array>, array: &Array) -> Result<()> {
        saved.take(array)
    }
    fn call(_: &Gradients, function: &Function) -> Result<()> {
        function()
    }
}

impl Backward for Native {
    fn check(gradients: &Gradients, launch: &TapedLaunch<Native>, uses: &[Use]) -> Result<()> {
        let mut written = launch.args.iter().zip(uses).filter(|(_, u)| u.writes);
        match &launch.more {
            Some(refusal) if written.any(|(a, _)| gradients.of(&a.view).is_some()) => {
                Err(refusal.clone())
            }
            _ => Ok(()),
        }
    }
    fn reverse(
        gradients: &Gradients,
        launch: &TapedLaunch<Native>,
        args: &Args<'_, Native>,
        reverse: Reverse,
    ) -> Result<()> {
        let none = launch.args.iter().all(|a| gradients.of(&a.view).is_none());
        if none || launch.more.is_some() {
            return Ok(());
        }
        let kernel = &launch.kernel;
        let slot = reversed(kernel, &reverse)?;
        let program = kernel.adjoint_program(&slot, &|| false);
        let program = program.expect("nothing interrupts");
        program.code(launch.stream.device)?;
        let arguments = Arguments { args, gradients };
        let parts = (&*slot, program);
        let (of, aliases) = (launch.kernel(), &reverse.aliases);
        let mut packed = Packed::default();
        pack(of, parts, &launch.dims, aliases, &arguments, &mut packed)?;
        let apart = !any_overlap(&packed.written);
        let kernel = Box::new(AdjointOf(kernel.clone(), slot.clone()));
        // SAFETY: the block was packed for the adjoint, with arrays whose memory these owners keep.
        let command = unsafe {
            let (place, writes) = ((launch.stream, launch.dims), packed.written.to_vec());
            Launch::new(kernel, place, packed.block, apart, packed.owners, writes)
        };
        perform(Command::Launch(command))
    }
    fn pass_over(_: &Gradients, _: &TapedLaunch<Native>) -> Result<()> {
        Ok(())
    }
}

/// An adjoint of a kernel, with the report.
///
/// # Errors
/// The kernel has no gradient.
pub fn reversed(kernel: &Compiled, reverse: &Reverse) -> Result<Arc<CachedAdjoint>> {
    let made = kernel.adjoint_of(reverse, &|| false);
    match made {
        Ok(slot) => Ok(slot.expect("nothing interrupts")),
        Err(failure) => Err(Error::new(failure.error.code, failure.render())),
    }
}

/// The arguments of an adjoint launch.
struct Arguments<'a> {
    args: &'a Args<'a, Native>,
    gradients: &'a Gradients,
}

impl Operands for Arguments<'_> {
    type Error = Error;

    fn error(&self, error: Error) -> Error {
        error
    }
    fn value(&self, at: usize, block: &mut Block, offset: usize) -> Result<()> {
        if let Some(Some(bytes)) = self.args.launch().values().nth(at) {
            block.write(offset, bytes);
        }
        Ok(())
    }
    fn has_prior(&self, at: usize, changes: bool) -> bool {
        self.args.launch().has_prior(at, changes)
    }
    fn array(&self, at: usize, _: bool) -> Result<(ArrayArg, Owner)> {
        let array = self.args.content(self.gradients, at)?;
        let array = array.unwrap_or_else(|| self.args.at(at).clone());
        Ok((array.view.arg, array.owner))
    }
    fn gradient(&self, at: usize, _: bool) -> Result<Option<(ArrayArg, Owner)>> {
        let gradient = self.gradients.of(&self.args.at(at).view);
        Ok(gradient.map(|gradient| (gradient.view.arg, gradient.owner)))
    }
}

/// An adjoint of a kernel, as a command runs it.
struct AdjointOf(Arc<Compiled>, Arc<CachedAdjoint>);

impl Runnable for AdjointOf {
    fn program(&self) -> &Program {
        let program = self.1.program();
        program.expect("it was compiled before the command was made")
    }
    fn title(&self) -> &str {
        &self.0.signature.name
    }
    fn sources(&self) -> &[Source] {
        &self.0.sources
    }
    fn parameter(&self, at: usize) -> &str {
        &self.0.program.func.params[at].name
    }
    fn is_adjoint(&self) -> bool {
        true
    }
    fn is_deterministic(&self) -> bool {
        false
    }
}

/// Sets an array to zero.
///
/// # Errors
/// What the device says.
pub fn zero(array: Array) -> Result<()> {
    let element = SmallVec::from_elem(0, array.view.elem.size());
    fill(array, element)
}

/// Writes an element to all of an array.
///
/// # Errors
/// What the device says.
pub fn fill(to: Array, element: SmallVec<[u8; 64]>) -> Result<()> {
    perform(Command::Fill(Fill {
        to,
        element,
        name: "fill",
    }))
}
