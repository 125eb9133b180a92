//! What an adapter of a Python framework states to the extension module, beside how memory lies ([`Framework`]).
//!
//! The extension has one list of adapters and asks each of them the same: a new adapter is an implementation of these traits
//! and a row of that list (`py/src/registry.rs`).

use pyo3::prelude::*;
use warp_core::device::Device;
use warp_core::dtype::Scalar;
use warp_core::interop::{Autograd, Desc, Framework};

/// Reads how often a framework has changed an array in place. Some arrays are not counted.
pub type Counter = fn(&Bound<'_, PyAny>) -> Option<u64>;

/// A framework of Python.
pub trait Adapter:
    for<'py> Framework<Cx<'py> = Python<'py>, Tensor<'py> = Bound<'py, PyAny>, Error = PyErr>
{
    /// The name of the module that programs import, of the extension's feature, and in `from_NAME`.
    const MODULE: &'static str;
    /// The counter of changes, where the framework has one.
    const CHANGES: Option<Counter> = None;

    /// Whether this is exactly of one of the framework's own array types, once the adapter has seen one of its arrays.
    /// Never imports the framework.
    fn is_exact(object: &Bound<'_, PyAny>) -> bool;

    /// Whether this is an array of the framework, or of a subclass. Never imports the framework.
    fn is_tensor(object: &Bound<'_, PyAny>) -> bool;

    /// Describes memory that the object itself keeps, without running code of the user. `false` where the memory has to be
    /// held, and the framework asked ([`Framework::hold`]); then `out` is without meaning.
    ///
    /// The object passes [`Adapter::is_exact`].
    #[inline(always)]
    fn describe_plain(_object: &Bound<'_, PyAny>, _out: &mut Desc) -> bool {
        false
    }

    /// Why an object of the framework that is no array has no memory to share, for a message about it.
    fn without_values(_object: &Bound<'_, PyAny>) -> Option<&'static str> {
        None
    }

    /// Whether launches tell the framework that they write this array ([`Adapter::count_write`]).
    #[inline(always)]
    fn counts_writes(_object: &Bound<'_, PyAny>) -> bool {
        false
    }

    /// Tells the framework that an array is about to be written; `watched`: somebody compares counts of changes.
    ///
    /// # Errors
    /// An exception that must pass: a signal.
    fn count_write(_object: &Bound<'_, PyAny>, _watched: bool) -> PyResult<()> {
        Ok(())
    }

    /// Prepares the adapter when the extension module is made. Does not import the framework.
    ///
    /// # Errors
    /// What Python raises.
    fn register(_py: Python<'_>) -> PyResult<()> {
        Ok(())
    }
}

/// A framework whose arrays have gradients, and names for types and devices.
pub trait TensorAdapter: Adapter + Autograd {
    /// The type of its tensors, as messages name it.
    const TENSOR: &'static str;
    /// What stands for a device in the framework, as messages name it.
    const DEVICE: &'static str;

    /// The scalar of one of the framework's types.
    ///
    /// # Errors
    /// The object is no such type, or one without a counterpart.
    fn dtype_from(dtype: &Bound<'_, PyAny>) -> PyResult<Scalar>;

    /// The framework's type of a scalar.
    ///
    /// # Errors
    /// The framework cannot be imported, or lacks the type.
    fn dtype_to(py: Python<'_>, scalar: Scalar) -> PyResult<Bound<'_, PyAny>>;

    /// Our name of one of the framework's devices; None where the object is no device.
    ///
    /// # Errors
    /// What Python raises.
    fn device_from(device: &Bound<'_, PyAny>) -> PyResult<Option<String>>;

    /// The framework's name of a device.
    fn device_to(device: Device) -> String;
}
