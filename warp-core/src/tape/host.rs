//! Whose tape it is.

use super::saved::SavedArray;
use crate::abi::ArrayArg;
use crate::array::View;
use crate::device::Stream;
use crate::error::Error;
use crate::module::Compiled;

/// A kernel that a tape holds.
pub trait Differentiable {
    /// What it compiled to: a launch has done that.
    fn compiled(&self) -> &Compiled;
    /// Its name.
    fn title(&self) -> &str;
    /// Whether gradients may be asked for.
    fn has_backward(&self) -> bool;
}

/// The program whose tape it is: what its arrays, kernels and functions are, and where gradients are.
pub trait Host: Sized + 'static {
    /// What all functions are given.
    type Context<'a>: Copy;
    /// An argument of a launch, or an array.
    type Value: 'static;
    /// A kernel.
    type Kernel: Differentiable + 'static;
    /// What is kept of a launch besides, for the program itself.
    type More: 'static;
    /// A function to be called in the backward pass.
    type Function: 'static;
    /// What is known of a scope.
    type Note: 'static;
    /// What goes wrong.
    type Error;

    /// An error of the tape's own.
    fn error(error: Error) -> Self::Error;

    /// The array that a value is; None for what is none.
    fn view(at: Self::Context<'_>, value: &Self::Value) -> Option<View>;

    /// An array as a launch of a kernel takes it.
    ///
    /// # Errors
    /// It is no array any more.
    fn argument(
        at: Self::Context<'_>,
        launch: (&Self::Kernel, Stream),
        value: &Self::Value,
        parameter: usize,
    ) -> Result<ArrayArg, Self::Error>;

    /// Makes a value's gradient the one that all know who share it.
    ///
    /// # Errors
    /// It cannot be shared any more.
    fn settle(_: Self::Context<'_>, _: &Self::Value) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Sets the gradient of an array to zero, if it has one.
    ///
    /// # Errors
    /// It cannot be written.
    fn clear(at: Self::Context<'_>, value: &Self::Value) -> Result<(), Self::Error>;

    /// Takes a snapshot of what an array holds now, if there is none.
    ///
    /// # Errors
    /// There is no memory.
    fn save(
        at: Self::Context<'_>,
        saved: &mut SavedArray<Self::Value>,
        array: &Self::Value,
    ) -> Result<(), Self::Error>;

    /// Calls a function.
    ///
    /// # Errors
    /// What it raises.
    fn call(at: Self::Context<'_>, function: &Self::Function) -> Result<(), Self::Error>;
}
