//! Gradients of other frameworks' tensors: what an adapter states about them, and the one path to an array.

use super::{Desc, Framework};
use crate::array::{Array, Owner, View};
use crate::error::{Code, Error};

/// Which gradient is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// The one that the tensor has.
    Present,
    /// If it has none, zeros that the framework makes, attached to the tensor if that can have a gradient.
    Made,
}

/// A tensor's gradient.
#[derive(Clone, Debug)]
pub struct Gradient {
    /// Its memory.
    pub array: Array,
    /// Whether it is the one that the framework knows as the tensor's.
    pub attached: bool,
}

/// A framework that differentiates.
pub trait Autograd: Framework {
    /// Whether the tensor wants a gradient.
    ///
    /// # Errors
    /// What the framework raises.
    fn requires_grad(t: &Self::Tensor<'_>) -> Result<bool, Self::Error>;
    /// Makes a tensor of floats want a gradient.
    ///
    /// # Errors
    /// What the framework raises.
    fn set_requires_grad(t: &Self::Tensor<'_>) -> Result<(), Self::Error>;
    /// Whether the framework lets the tensor have a gradient that others can see and set.
    ///
    /// # Errors
    /// What the framework raises.
    fn may_have_gradient(t: &Self::Tensor<'_>) -> Result<bool, Self::Error>;
    /// Describes the gradient's memory and keeps it alive; also says whether it is attached. From then on others may
    /// add to it. `None` only where the tensor has none and [`Want::Present`] was asked for.
    ///
    /// # Errors
    /// What the framework raises, and memory that cannot be described.
    fn hold_gradient(
        t: &Self::Tensor<'_>,
        want: Want,
        out: &mut Desc,
    ) -> Result<Option<(Owner, bool)>, Self::Error>;
    /// Makes the array the gradient of a tensor that may have one and has none. Says whether it is certain that the
    /// framework uses the memory as it lies; otherwise it may have copied the values.
    ///
    /// # Errors
    /// What the framework raises.
    fn set_gradient<'a>(
        cx: Self::Cx<'a>,
        t: &Self::Tensor<'a>,
        gradient: &Array,
    ) -> Result<bool, Self::Error>;
}

/// A tensor's gradient as an array of the same form as `of`, the tensor's own.
///
/// # Errors
/// The framework's, and a gradient that does not fit the tensor.
#[inline]
pub fn import_gradient<'a, F: Autograd>(
    cx: F::Cx<'a>,
    tensor: &F::Tensor<'a>,
    of: &View,
    want: Want,
) -> Result<Option<Gradient>, F::Error> {
    let mut array = Array::EMPTY;
    let attached = import_gradient_into::<F>(cx, tensor, of, want, &mut array)?;
    Ok(attached.map(|attached| Gradient { array, attached }))
}

/// [`import_gradient`], written where it shall stay; returns whether it is attached. `out` is changed only where there is
/// a gradient, and after an error it is without meaning.
///
/// # Errors
/// As [`import_gradient`].
#[inline]
pub fn import_gradient_into<'a, F: Autograd>(
    cx: F::Cx<'a>,
    tensor: &F::Tensor<'a>,
    of: &View,
    want: Want,
    out: &mut Array,
) -> Result<Option<bool>, F::Error> {
    let mut desc = Desc::EMPTY;
    let Some((owner, attached)) = F::hold_gradient(tensor, want, &mut desc)? else {
        return Ok(None);
    };
    out.owner = owner;
    let made = desc.view_into(Some(of.elem), &mut out.view);
    made.map_err(|e| F::raise(cx, e))?;
    if out.view.ndim != of.ndim || out.view.arg.shape != of.arg.shape {
        return Err(F::raise(cx, other_shape(&out.view, of)));
    }
    Ok(Some(attached))
}

#[cold]
fn other_shape(found: &View, of: &View) -> Error {
    Error::new(
        Code::Value,
        format!(
            "it has shape {:?}, the array {:?}",
            found.layout().shape(),
            of.layout().shape()
        ),
    )
}
