//! What a recorded launch is to run with: dimensions, arguments, and the gradients of an adjoint; packed once all are there.

use crate::argument::args::Args;
use crate::argument::pack::{Owners, pack};
use crate::argument::spread::spread;
use crate::argument::written::WrittenTensors;
use crate::kernel::Kernel;
use crate::object::error::{Code, error};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyList;
use warp_core::device::Device;
use warp_core::launch::{Block, Dims};
use warp_core::ty::Type;
use warp_dlpack::referent;

/// Values for parameters; None: not given.
pub type Given<'py> = Vec<Option<Bound<'py, PyAny>>>;

/// Dimensions, arguments and gradients.
pub struct State {
    /// None: not set yet.
    pub dims: Option<Dims>,
    args: Vec<Option<Py<PyAny>>>,
    gradients: Option<Vec<Option<Py<PyAny>>>>,
    /// None: something is not set yet.
    pub packed: Option<Packing>,
}

/// The arguments as the kernel reads them.
pub struct Packing {
    pub block: Block,
    /// The memory that the block points to: an argument may be given other memory, or have been a temporary.
    pub memory: Owners,
    /// Of those that the kernel writes.
    pub tensors: WrittenTensors,
}

impl State {
    /// Checks arguments and packs them if none is missing. Instances of structs are kept as they are now.
    ///
    /// # Errors
    /// An argument does not fit, or an instance of a struct cannot be copied.
    pub fn new(
        py: Python<'_>,
        kernel: &Kernel,
        device: Device,
        dims: Option<Dims>,
        args: &Given<'_>,
        gradients: Option<Given<'_>>,
    ) -> PyResult<State> {
        let whole: Option<Vec<_>> = args.iter().cloned().collect();
        let packed = match (dims, whole) {
            (Some(dims), Some(whole)) => Some(packing(py, kernel, device, dims, &whole)?),
            _ => None,
        };
        State::with(kernel, dims, args, gradients, packed)
    }

    /// As [`State::new`], of arguments that are packed already.
    ///
    /// # Errors
    /// An instance of a struct cannot be copied.
    pub fn with(
        kernel: &Kernel,
        dims: Option<Dims>,
        args: &Given<'_>,
        gradients: Option<Given<'_>>,
        packed: Option<Packing>,
    ) -> PyResult<State> {
        let loose = |list: Given<'_>| list.into_iter().map(|g| g.map(Bound::unbind)).collect();
        Ok(State {
            dims,
            args: kept(kernel, args)?,
            gradients: gradients.map(loose),
            packed,
        })
    }

    /// The arguments.
    pub fn args<'py>(&self, py: Python<'py>) -> Given<'py> {
        bound(py, &self.args)
    }

    /// The gradients of an adjoint.
    pub fn gradients<'py>(&self, py: Python<'py>) -> Option<Given<'py>> {
        self.gradients.as_ref().map(|g| bound(py, g))
    }

    /// What a run needs.
    ///
    /// # Errors
    /// It is not there yet.
    #[inline]
    pub fn ready(&self, kernel: &Kernel) -> PyResult<(Dims, &Packing)> {
        match (self.dims, &self.packed) {
            (Some(dims), Some(packed)) => Ok((dims, packed)),
            _ => Err(self.missing(kernel)),
        }
    }

    #[cold]
    fn missing(&self, kernel: &Kernel) -> PyErr {
        let what = match self.args.iter().position(Option::is_none) {
            Some(at) => format!("argument '{}', with set_params", kernel.names()[at]),
            None => "the dimensions, with set_dim".into(),
        };
        let text = format!("launch of kernel '{}': first set {what}", kernel.title());
        error(Code::Launch, text)
    }

    /// The arguments and gradients of an adjoint as `wp.launch` takes them, of which so many are inputs.
    ///
    /// # Errors
    /// A struct is not what its parameter wants, or Python has no memory.
    pub fn adjoint<'py>(
        &self,
        py: Python<'py>,
        kernel: &Kernel,
        inputs: usize,
    ) -> PyResult<Option<(Args<'py>, [Bound<'py, PyList>; 2])>> {
        let Some(gradients) = self.gradients(py) else {
            return Ok(None);
        };
        let mut args = Args::default();
        args.all.extend(self.args(py).into_iter().flatten());
        args.first = inputs;
        if let Some(arguments) = &kernel.arguments {
            args.spread(kernel, arguments)?;
        }
        let (first, last) = gradients.split_at(inputs);
        Ok(Some((
            args,
            [PyList::new(py, first)?, PyList::new(py, last)?],
        )))
    }

    /// Shows Python's collector what this holds.
    pub fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let gradients = self.gradients.iter().flatten();
        (self.args.iter().chain(gradients).flatten()).try_for_each(|a| visit.call(a))?;
        let mut memory = self.packed.iter().flat_map(|p| &p.memory);
        memory.try_for_each(|(_, owner)| visit.call(referent(owner)))
    }
}

fn bound<'py>(py: Python<'py>, list: &[Option<Py<PyAny>>]) -> Given<'py> {
    let bound = |a: &Option<Py<PyAny>>| a.as_ref().map(|a| a.bind(py).clone());
    list.iter().map(bound).collect()
}

fn packing(
    py: Python<'_>,
    kernel: &Kernel,
    device: Device,
    dims: Dims,
    args: &[Bound<'_, PyAny>],
) -> PyResult<Packing> {
    let ready = kernel.ready(py)?;
    let spread = match &kernel.arguments {
        Some(arguments) => Some(spread(kernel, arguments, args)?.0),
        None => None,
    };
    let leaves = spread.as_deref().unwrap_or(args);
    let packed = pack(kernel, ready, device, dims, leaves)?;
    let memory = packed.hold(kernel, ready, leaves)?;
    Ok(Packing {
        tensors: packed.tensors,
        block: packed.block,
        memory,
    })
}

/// Arguments for later: instances of structs as they are now.
fn kept(kernel: &Kernel, args: &Given<'_>) -> PyResult<Vec<Option<Py<PyAny>>>> {
    let is_struct = |at: usize| {
        let arguments = kernel.arguments.as_deref().unwrap_or_default();
        matches!(arguments.get(at).map(|a| &a.ty), Some(Type::Struct(_)))
    };
    let args = args.iter().enumerate();
    args.map(|(at, value)| match value {
        Some(value) if is_struct(at) => Ok(Some(value.call_method0("__copy__")?.unbind())),
        Some(value) => Ok(Some(value.clone().unbind())),
        None => Ok(None),
    })
    .collect()
}
