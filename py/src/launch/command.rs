//! `wp.Launch`: a launch with its arguments, ready to be repeated.

use super::tape;
use super::taped::Recorded;
use crate::argument::dims::dims as read_dims;
use crate::argument::overwrite::{before_launch, written};
use crate::argument::pack::{Owners, check_owners, pack};
use crate::argument::prepared::{Prepared, Source};
use crate::argument::run::run;
use crate::argument::spread::spread;
use crate::kernel::Kernel;
use crate::object::error::{Code, error};
use crate::object::trace_state;
use crate::runtime::stream::resolve_stream;
use crate::runtime::{config, tapes};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use warp_core::device::Stream;
use warp_core::launch::{Block, Buffers, Dims};
use warp_core::ty::Type;
use warp_dlpack::referent;

/// A recorded launch: `wp.launch(..., record_cmd=True)`. Its arrays stay alive with it.
#[pyclass(frozen, module = "warp", name = "Launch")]
pub struct Launch {
    kernel: Py<Kernel>,
    stream: Stream,
    /// How many of the arguments are inputs.
    inputs: usize,
    /// Replaced as a whole: a launch that runs keeps the memory of the state that it began with.
    state: Mutex<Arc<State>>,
}

struct State {
    dims: Dims,
    args: Vec<Py<PyAny>>,
    block: Block,
    /// The memory that the block points to: an argument may be given other memory, or have been a temporary.
    memory: Owners,
}

/// Arguments for later: instances of structs as they are now.
fn kept(kernel: &Kernel, args: &[Bound<'_, PyAny>]) -> PyResult<Vec<Py<PyAny>>> {
    let is_struct = |at: usize| {
        let arguments = kernel.arguments.as_deref().unwrap_or_default();
        matches!(arguments.get(at).map(|a| &a.ty), Some(Type::Struct(_)))
    };
    let args = args.iter().enumerate();
    args.map(|(at, value)| match is_struct(at) {
        true => Ok(value.call_method0("__copy__")?.unbind()),
        false => Ok(value.clone().unbind()),
    })
    .collect()
}

impl Launch {
    /// Records a launch whose arguments, of which so many are inputs, have been packed in `block`, and whose memory is held.
    ///
    /// # Errors
    /// An instance of a struct cannot be copied.
    pub fn new(
        kernel: Py<Kernel>,
        stream: Stream,
        dims: Dims,
        (args, inputs): (&[Bound<'_, PyAny>], usize),
        block: Block,
        memory: Owners,
    ) -> PyResult<Launch> {
        let state = State {
            dims,
            args: kept(kernel.get(), args)?,
            block,
            memory,
        };
        Ok(Launch {
            kernel,
            stream,
            inputs,
            state: Mutex::new(Arc::new(state)),
        })
    }

    /// The stream to launch on: the given one, which must be of the same device, else that of the recorded launch.
    fn stream(&self, given: Option<&Bound<'_, PyAny>>) -> PyResult<Stream> {
        if given.is_none() {
            return Ok(self.stream);
        }
        let place = || format!("launch of kernel '{}'", self.kernel.get().title());
        match resolve_stream(&place(), given)? {
            None => Ok(self.stream),
            Some(stream) if stream.device == self.stream.device => Ok(stream),
            Some(stream) => Err(error(
                Code::Value,
                format!(
                    "{}: the stream is one of the device \"{}\", the arguments are on \"{}\"",
                    place(),
                    stream.device,
                    self.stream.device
                ),
            )),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Arc<State>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> Arc<State> {
        Arc::clone(&self.lock())
    }

    /// Records a run on the tapes in force.
    #[cold]
    fn record(&self, py: Python<'_>, stream: Stream, state: &State) -> PyResult<()> {
        let args: Vec<_> = state.args.iter().map(|a| a.bind(py).clone()).collect();
        let (leaves, roots) = match &self.kernel.get().arguments {
            Some(arguments) => spread(self.kernel.get(), arguments, &args)?,
            None => (args.into(), Vec::new()),
        };
        let kernel = self.kernel.bind(py);
        let recorded = Recorded {
            args: &leaves,
            roots: &roots,
            inputs: self.inputs,
        };
        tape::add_launch(kernel, stream, state.dims, &recorded, &state.block)
    }

    /// Replaces the arguments if all of them fit.
    fn replace(&self, py: Python<'_>, dims: Dims, args: Vec<Bound<'_, PyAny>>) -> PyResult<()> {
        let kernel = self.kernel.get();
        let ready = kernel.ready(py)?;
        let spread = match &kernel.arguments {
            Some(arguments) => Some(spread(kernel, arguments, &args)?.0),
            None => None,
        };
        let leaves = spread.as_deref().unwrap_or(&args);
        let packed = pack(kernel, ready, self.stream.device, dims, leaves)?;
        let memory = packed.hold(kernel, ready, leaves)?;
        let new = State {
            dims,
            args: kept(kernel, &args)?,
            block: packed.block,
            memory,
        };
        // The old arguments may run Python code when they go: not while the lock is held.
        let old = std::mem::replace(&mut *self.lock(), Arc::new(new));
        drop(old);
        Ok(())
    }

    fn args<'py>(&self, py: Python<'py>) -> (Dims, Vec<Bound<'py, PyAny>>) {
        let state = self.state();
        (
            state.dims,
            state.args.iter().map(|a| a.bind(py).clone()).collect(),
        )
    }
}

#[pymethods]
impl Launch {
    // The lock is not waited for: who holds it is reachable. So is who runs a state that was replaced, which counts itself.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.kernel)?;
        match self.state.try_lock() {
            Ok(state) if Arc::strong_count(&state) == 1 => {
                state.args.iter().try_for_each(|a| visit.call(a))?;
                (state.memory.iter()).try_for_each(|(_, owner)| visit.call(referent(owner)))
            }
            _ => Ok(()),
        }
    }

    /// The kernel.
    #[getter]
    fn kernel(&self, py: Python<'_>) -> Py<Kernel> {
        self.kernel.clone_ref(py)
    }

    /// The launch dimensions.
    #[getter]
    fn dim<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let dims = self.state().dims;
        PyTuple::new(py, &dims.shape[..dims.ndim])
    }

    /// Changes the launch dimensions: an int or a tuple of up to 4 ints.
    fn set_dim(&self, dim: &Bound<'_, PyAny>) -> PyResult<()> {
        let dims = read_dims(self.kernel.get(), dim)?;
        let (_, args) = self.args(dim.py());
        self.replace(dim.py(), dims, args)
    }

    /// Changes the argument at a position, counted over inputs and outputs.
    ///
    /// Raises:
    ///     IndexError: There is no such argument.
    ///     TypeError, ValueError: The value does not fit the parameter.
    fn set_param_at_index(&self, index: isize, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let (dims, mut args) = self.args(value.py());
        let count = args.len() as isize;
        if !(-count..count).contains(&index) {
            return Err(error(
                Code::Index,
                format!(
                    "set_param_at_index: index {index} is out of range, kernel '{}' has {count} parameters",
                    self.kernel.get().title()
                ),
            ));
        }
        args[index.rem_euclid(count) as usize] = value.clone();
        self.replace(value.py(), dims, args)
    }

    /// Changes the argument of a named parameter.
    fn set_param_by_name(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let kernel = self.kernel.get();
        match kernel.names().iter().position(|n| *n == name) {
            Some(at) => self.set_param_at_index(at as isize, value),
            None => {
                let names = kernel.names();
                Err(error(
                    Code::Launch,
                    format!(
                        "set_param_by_name: kernel '{}' has no parameter '{name}'; it has {}",
                        kernel.title(),
                        names.join(", ")
                    ),
                ))
            }
        }
    }

    /// Changes all arguments, inputs and outputs in one list.
    fn set_params(&self, params: &Bound<'_, PyAny>) -> PyResult<()> {
        let list: Vec<Bound<'_, PyAny>> = if let Ok(list) = params.cast::<PyList>() {
            list.iter().collect()
        } else {
            params.try_iter()?.collect::<PyResult<_>>()?
        };
        let kernel = self.kernel.get();
        if list.len() != kernel.arity {
            return Err(error(
                Code::Launch,
                format!(
                    "set_params: kernel '{}' takes {} arguments, {} given",
                    kernel.title(),
                    kernel.arity,
                    list.len()
                ),
            ));
        }
        let dims = self.state().dims;
        self.replace(params.py(), dims, list)
    }

    /// Runs the launch. An active tape records it.
    #[pyo3(signature = (stream=None))]
    fn launch(&self, py: Python<'_>, stream: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let kernel = self.kernel.get();
        let stream = self.stream(stream)?;
        trace_state::check_run("wp.Launch")?;
        let state = self.state();
        let ready = kernel.ready(py)?;
        if tapes::active() {
            self.record(py, stream, &state)?;
        } else {
            before_launch(kernel, ready, &state.block)?;
        }
        check_owners(kernel, &state.memory)?;
        let prepared = Prepared {
            block: &state.block,
            buffers: Buffers::Unknown,
            hold: &|| Ok(state.memory.clone()),
            source: &|| {
                Ok(Source {
                    kernel: self.kernel.clone_ref(py),
                    adjoint: None,
                    writes: written(kernel, ready, &state.block).collect(),
                })
            },
        };
        let program = &ready.compiled.program;
        run(py, kernel, program, stream, state.dims, prepared)?;
        if config::verify_access() {
            tape::after_launch(py)?;
        }
        Ok(())
    }

    fn __repr__(&self) -> String {
        let dims = self.state().dims;
        format!(
            "<warp launch of '{}' over {:?}>",
            self.kernel.get().title(),
            &dims.shape[..dims.ndim]
        )
    }
}

/// Adds the class to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Launch>()
}
