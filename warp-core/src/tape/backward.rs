//! What a backward pass asks of the program whose tape it is.

use super::host::Host;
use super::launch::TapedLaunch;
use super::plan::Use;
use super::restored::Restored;
use crate::array::Array;
use crate::module::Reverse;

/// A program that runs launches backwards.
pub trait Backward: Host {
    /// Arguments that are made anew for each pass, with their parameters: parts of arrays whose gradients may have come since.
    ///
    /// # Errors
    /// There is no memory.
    fn parts(
        _: Self::Context<'_>,
        _: &TapedLaunch<Self>,
    ) -> Result<Vec<(usize, Self::Value)>, Self::Error> {
        Ok(Vec::new())
    }

    /// Refuses a pass through a launch whose gradient cannot be formed.
    ///
    /// # Errors
    /// Why it cannot, where there is a gradient of what it wrote.
    fn check(
        at: Self::Context<'_>,
        launch: &TapedLaunch<Self>,
        uses: &[Use],
    ) -> Result<(), Self::Error>;

    /// Runs the adjoint of a launch, with the arguments of a pass, if it has one.
    ///
    /// # Errors
    /// What goes wrong.
    fn reverse(
        at: Self::Context<'_>,
        launch: &TapedLaunch<Self>,
        args: &Args<'_, Self>,
        reverse: Reverse,
    ) -> Result<(), Self::Error>;

    /// Passes a launch over whose kernel is not to be differentiated.
    ///
    /// # Errors
    /// What goes wrong.
    fn pass_over(at: Self::Context<'_>, launch: &TapedLaunch<Self>) -> Result<(), Self::Error>;
}

/// The arguments of a launch in a pass: those of the launch, but for what was made anew ([`Backward::parts`]).
pub struct Args<'a, H: Host> {
    pub(super) launch: &'a TapedLaunch<H>,
    pub(super) parts: &'a [(usize, H::Value)],
    pub(super) restored: &'a Restored,
}

impl<'a, H: Host> Args<'a, H> {
    /// The launch.
    pub fn launch(&self) -> &'a TapedLaunch<H> {
        self.launch
    }

    /// An argument.
    pub fn at(&self, at: usize) -> &'a H::Value {
        let part = self.parts.iter().find(|(of, _)| *of == at);
        part.map_or(&self.launch.args[at], |(_, value)| value)
    }

    /// What an argument held that has been overwritten since; None for what it holds now.
    ///
    /// # Errors
    /// There is no memory.
    pub fn content(&self, context: H::Context<'_>, at: usize) -> Result<Option<Array>, H::Error> {
        let saved = self.launch.saved();
        let Some(Some(one)) = saved.0.get(at) else {
            return Ok(None);
        };
        if !one.is_overwritten() {
            return Ok(None);
        }
        let Some(view) = H::view(context, &self.launch.args[at]) else {
            return Ok(None);
        };
        let content = self.restored.content(one, &view, self.launch.stream);
        content.map_err(H::error)
    }
}
