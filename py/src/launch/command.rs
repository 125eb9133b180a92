//! `wp.Launch`: a launch with its arguments, ready to be repeated.

use super::adjoint::launch as adjoint_launch;
use super::by_hand::{by_hand, count, present, refuse_packed};
use super::command_state::{Given, Packing, State};
use super::forward::{Arguments, Forward};
use super::taped::Recorded;
use crate::argument::dims::dims as read_dims;
use crate::argument::pack::{Owners, check_owners};
use crate::argument::reached;
use crate::argument::spread::{Root, Values, spread};
use crate::kernel::{Kernel, Ready};
use crate::object::error::{Code, error};
use crate::object::package::PACKAGE;
use crate::object::trace_state;
use crate::runtime::device::{Device, object};
use crate::runtime::snapshot::watched;
use crate::runtime::stream::resolve_stream;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use warp_core::device::Stream;
use warp_core::launch::Dims;

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

impl Launch {
    /// Records a launch, of whose arguments so many are inputs.
    pub fn new(kernel: Py<Kernel>, stream: Stream, inputs: usize, state: State) -> Launch {
        Launch {
            kernel,
            stream,
            inputs,
            state: Mutex::new(Arc::new(state)),
        }
    }

    /// Refuses to set a gradient of what is no adjoint.
    fn no_adjoint(&self, place: &str) -> PyErr {
        error(
            Code::Value,
            format!(
                "{place}: the launch of kernel '{}' is no adjoint; record that with wp.launch(adjoint=True, record_cmd=True)",
                self.kernel.get().title()
            ),
        )
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

    /// The arguments, structs as their leaves, and which of those are parts of arrays of structs.
    fn leaves<'py>(
        &self,
        py: Python<'py>,
        state: &State,
    ) -> PyResult<(Values<'py>, Vec<Root<'py>>)> {
        let args: Vec<_> = state.args(py).into_iter().flatten().collect();
        match &self.kernel.get().arguments {
            Some(arguments) => spread(self.kernel.get(), arguments, &args),
            None => Ok((args.into(), Vec::new())),
        }
    }

    /// Runs the adjoint; false if this is none.
    #[cold]
    fn run_adjoint(&self, py: Python<'_>, stream: Stream, state: &State) -> PyResult<bool> {
        let kernel = self.kernel.get();
        let Some((args, [inputs, outputs])) = state.adjoint(py, kernel, self.inputs)? else {
            return Ok(false);
        };
        let (dims, _) = state.ready(kernel)?;
        let gradients = (Some(inputs.as_any()), Some(outputs.as_any()));
        adjoint_launch(
            self.kernel.bind(py),
            stream,
            dims,
            &args,
            gradients.0,
            gradients.1,
        )?;
        Ok(true)
    }

    /// Replaces what is to be run with if all of it fits.
    fn replace(
        &self,
        py: Python<'_>,
        dims: Option<Dims>,
        args: &Given<'_>,
        gradients: Option<Given<'_>>,
    ) -> PyResult<()> {
        let kernel = self.kernel.get();
        let new = State::new(py, kernel, self.stream.device, dims, args, gradients)?;
        // The old arguments may run Python code when they go: not while the lock is held.
        let old = std::mem::replace(&mut *self.lock(), Arc::new(new));
        drop(old);
        Ok(())
    }

    /// What a ctypes object holds for a parameter; anything else as it is.
    fn plain<'py>(&self, at: usize, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let parameters = self
            .kernel
            .bind(value.py())
            .getattr("adj")?
            .getattr("args")?;
        let declared = parameters.get_item(at)?.getattr("type")?;
        (PACKAGE.ctypes_argument).call(value.py(), (value, declared))
    }

    /// The position of a parameter.
    fn named(&self, place: &str, name: &str) -> PyResult<usize> {
        let kernel = self.kernel.get();
        let names = kernel.names();
        names.iter().position(|n| *n == name).ok_or_else(|| {
            let text = format!(
                "{place}: kernel '{}' has no parameter '{name}'; it has {}",
                kernel.title(),
                names.join(", ")
            );
            error(Code::Launch, text)
        })
    }

    /// The position that a call names.
    fn position(&self, place: &str, index: isize) -> PyResult<usize> {
        let count = self.kernel.get().arity as isize;
        if (-count..count).contains(&index) {
            return Ok(index.rem_euclid(count) as usize);
        }
        Err(error(
            Code::Index,
            format!(
                "{place}: index {index} is out of range, kernel '{}' has {count} parameters",
                self.kernel.get().title()
            ),
        ))
    }
}

#[pymethods]
impl Launch {
    /// A launch that is set up by hand.
    ///
    /// Args:
    ///     kernel: The kernel; of a generic one, an instance that `wp.overload` made.
    ///     device: Where to run; the current device if None.
    ///     hooks: Only None.
    ///     params: Only None: arguments are given as `fwd_args` or set with `set_params`.
    ///     params_addr: Only None.
    ///     bounds: The launch dimensions: an int or a tuple of up to 4 ints. `set_dim` sets them, too.
    ///     max_blocks: The most blocks on a GPU; 0 sets no limit. Counts where `bounds` are given.
    ///     block_dim: Threads of a block on a GPU; as many as the kernel's module says if None. As `max_blocks`.
    ///     adjoint: Whether the adjoint of the kernel is run.
    ///     fwd_args: The arguments, inputs and outputs in one list.
    ///     adj_args: The gradients that belong to them; None stands for the array's own `grad`.
    ///
    /// Raises:
    ///     TypeError, ValueError: The kernel is none, or generic, or an argument does not fit. A TypeError is a RuntimeError,
    ///         too.
    #[new]
    #[pyo3(signature = (kernel, device=None, hooks=None, params=None, params_addr=None, bounds=None, max_blocks=0,
        block_dim=None, adjoint=false, fwd_args=None, adj_args=None))]
    #[allow(clippy::too_many_arguments, reason = "the documented signature")]
    fn made<'py>(
        kernel: &Bound<'py, PyAny>,
        device: Option<&Bound<'py, PyAny>>,
        hooks: Option<&Bound<'py, PyAny>>,
        params: Option<&Bound<'py, PyAny>>,
        params_addr: Option<&Bound<'py, PyAny>>,
        bounds: Option<&Bound<'py, PyAny>>,
        max_blocks: i64,
        block_dim: Option<i64>,
        adjoint: bool,
        fwd_args: Option<&Bound<'py, PyAny>>,
        adj_args: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Launch> {
        for (name, given) in [
            ("hooks", hooks),
            ("params", params),
            ("params_addr", params_addr),
        ] {
            refuse_packed(name, given)?;
        }
        let adj_args = match (adjoint, adj_args) {
            (true, given) => Some(given),
            (false, None) => None,
            (false, Some(_)) => {
                let text = "Launch: adj_args are for adjoints; give adjoint=True with them";
                return Err(error(Code::Value, text));
            }
        };
        let made = by_hand(
            kernel,
            device,
            bounds,
            fwd_args,
            adj_args,
            (max_blocks, block_dim),
        )?;
        let inputs = made.kernel.get().arity;
        Ok(Launch::new(made.kernel, made.stream, inputs, made.state))
    }

    // The lock is not waited for: who holds it is reachable. So is who runs a state that was replaced, which counts itself.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.kernel)?;
        match self.state.try_lock() {
            Ok(state) if Arc::strong_count(&state) == 1 => state.visit(&visit),
            _ => Ok(()),
        }
    }

    /// The kernel.
    #[getter]
    fn kernel(&self, py: Python<'_>) -> Py<Kernel> {
        self.kernel.clone_ref(py)
    }

    /// Where it runs.
    #[getter]
    fn device<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, Device>> {
        object(py, self.stream.device)
    }

    /// The launch dimensions; None before they are set.
    #[getter]
    fn dim<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let dims = self.state().dims;
        dims.map(|d| PyTuple::new(py, &d.shape[..d.ndim]))
            .transpose()
    }

    /// The launch dimensions, as the constructor takes them.
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.dim(py)
    }

    /// Whether the adjoint of the kernel is run.
    #[getter]
    fn adjoint(&self, py: Python<'_>) -> bool {
        self.state().gradients(py).is_some()
    }

    /// The arguments, inputs and outputs in one list; None for those that are not set yet.
    #[getter]
    fn fwd_args<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.state().args(py))
    }

    /// The gradients that an adjoint was given; empty where this is none.
    #[getter]
    fn adj_args<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.state().gradients(py).unwrap_or_default())
    }

    /// Changes the launch dimensions: an int or a tuple of up to 4 ints.
    fn set_dim(&self, dim: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, state) = (dim.py(), self.state());
        let mut dims = read_dims(self.kernel.get(), dim)?;
        if let Some(before) = state.dims {
            dims.grid = before.grid;
        }
        self.replace(py, Some(dims), &state.args(py), state.gradients(py))
    }

    /// Changes the argument at a position, counted over inputs and outputs.
    ///
    /// Args:
    ///     index: The position.
    ///     value: The new argument.
    ///     adjoint: Change the gradient of the argument instead, of a recorded adjoint; None stands for the array's own.
    ///
    /// Raises:
    ///     IndexError: There is no such argument.
    ///     TypeError, ValueError: The value does not fit the parameter, or the launch is no adjoint.
    #[pyo3(signature = (index, value, adjoint=false))]
    fn set_param_at_index(
        &self,
        index: isize,
        value: &Bound<'_, PyAny>,
        adjoint: bool,
    ) -> PyResult<()> {
        let (py, state) = (value.py(), self.state());
        let at = self.position("set_param_at_index", index)?;
        let (mut args, mut gradients) = (state.args(py), state.gradients(py));
        match (&mut gradients, adjoint) {
            (_, false) => args[at] = Some(value.clone()),
            (Some(gradients), true) => gradients[at] = present(Some(value.clone())),
            (None, true) => return Err(self.no_adjoint("set_param_at_index")),
        }
        self.replace(py, state.dims, &args, gradients)
    }

    /// Changes the argument at a position to the value of a ctypes object, or to the array that a descriptor describes.
    #[pyo3(signature = (index, value, adjoint=false))]
    fn set_param_at_index_from_ctype(
        &self,
        index: isize,
        value: &Bound<'_, PyAny>,
        adjoint: bool,
    ) -> PyResult<()> {
        let at = self.position("set_param_at_index_from_ctype", index)?;
        self.set_param_at_index(index, &self.plain(at, value)?, adjoint)
    }

    /// Changes the argument of a named parameter to the value of a ctypes object, or to the array that a descriptor describes.
    #[pyo3(signature = (name, value, adjoint=false))]
    fn set_param_by_name_from_ctype(
        &self,
        name: &str,
        value: &Bound<'_, PyAny>,
        adjoint: bool,
    ) -> PyResult<()> {
        let at = self.named("set_param_by_name_from_ctype", name)?;
        self.set_param_at_index(at as isize, &self.plain(at, value)?, adjoint)
    }

    /// Changes all arguments, given as ctypes objects and descriptors.
    fn set_params_from_ctypes(&self, values: &Bound<'_, PyAny>) -> PyResult<()> {
        let given: Vec<_> = values.try_iter()?.collect::<PyResult<_>>()?;
        let kernel = self.kernel.get();
        if given.len() != kernel.arity {
            return Err(count(
                "set_params_from_ctypes",
                "values",
                kernel,
                given.len(),
            ));
        }
        let plain = given.iter().enumerate().map(|(at, v)| self.plain(at, v));
        let list = PyList::new(values.py(), plain.collect::<PyResult<Vec<_>>>()?)?;
        self.set_params(list.as_any())
    }

    /// Changes the argument of a named parameter.
    ///
    /// Args:
    ///     name: The parameter.
    ///     value: The new argument.
    ///     adjoint: Change its gradient instead, of a recorded adjoint.
    #[pyo3(signature = (name, value, adjoint=false))]
    fn set_param_by_name(
        &self,
        name: &str,
        value: &Bound<'_, PyAny>,
        adjoint: bool,
    ) -> PyResult<()> {
        let at = self.named("set_param_by_name", name)?;
        self.set_param_at_index(at as isize, value, adjoint)
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
            return Err(count("set_params", "params", kernel, list.len()));
        }
        let (py, state) = (params.py(), self.state());
        let args = list.into_iter().map(Some).collect();
        self.replace(py, state.dims, &args, state.gradients(py))
    }

    /// Runs the launch. An active tape records it.
    #[pyo3(signature = (stream=None))]
    fn launch(&self, py: Python<'_>, stream: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let kernel = self.kernel.get();
        let stream = self.stream(stream)?;
        trace_state::check_run("wp.Launch")?;
        let state = self.state();
        let (dims, packing) = state.ready(kernel)?;
        let Packing { block, memory, .. } = packing;
        if self.run_adjoint(py, stream, &state)? {
            return Ok(());
        }
        let ready = kernel.ready(py)?;
        let forward = Forward {
            kernel: self.kernel.bind(py),
            ready,
            stream,
            dims,
            block,
            tensors: packing.tensors,
        };
        let kept = Kept {
            py,
            launch: self,
            ready,
            state: &state,
            memory,
        };
        forward.launch(true, &kept)
    }

    fn __repr__(&self) -> String {
        let title = self.kernel.get().title();
        match self.state().dims {
            Some(dims) => format!(
                "<warp launch of '{title}' over {:?}>",
                &dims.shape[..dims.ndim]
            ),
            None => format!("<warp launch of '{title}'>"),
        }
    }
}

/// The arguments of a recorded launch, and the memory that its block points to.
struct Kept<'a, 'py> {
    py: Python<'py>,
    launch: &'a Launch,
    ready: &'a Ready,
    state: &'a State,
    memory: &'a Owners,
}

impl<'py> Arguments<'py> for Kept<'_, 'py> {
    #[cold]
    fn with(&self, f: &mut dyn FnMut(&Recorded<'_, 'py>) -> PyResult<()>) -> PyResult<()> {
        let (leaves, roots) = self.launch.leaves(self.py, self.state)?;
        f(&Recorded {
            args: &leaves,
            roots: &roots,
            given: &[],
            inputs: self.launch.inputs,
        })
    }
    fn hold(&self) -> PyResult<Owners> {
        Ok(self.memory.clone())
    }
    fn before_reaching(&self) -> PyResult<()> {
        match self.launch.kernel.get().arguments.is_some() && watched() {
            true => self.with(&mut |recorded| {
                let kernel = self.launch.kernel.get();
                reached::before_launch(kernel, self.ready, recorded.args)
            }),
            false => Ok(()),
        }
    }
    fn check(&self) -> PyResult<()> {
        check_owners(self.launch.kernel.get(), self.memory)
    }
}

/// Adds the class to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Launch>()
}
