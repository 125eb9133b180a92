//! A call of an operator whose tensors Python makes: torch's on GPUs, and paddle's. The core's executor asks the framework's
//! constructors of arrays, `warp._operator.Memory`.

use super::rules::OperatorRules;
use crate::argument::convert::{Wanted, held_arg};
use crate::argument::overwrite::{self, before_launch};
use crate::argument::pack::{Owners, check_owners, pack_value};
use crate::argument::prepared::{Prepared, Source};
use crate::argument::run::run;
use crate::kernel::{Kernel, Ready};
use crate::object::error::{Code, error, unfit};
use crate::object::{record, trace_state};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use smallvec::SmallVec;
use warp_core::abi::ArrayArg;
use warp_core::device::{Device, Stream, on_stream};
use warp_core::error::Error;
use warp_core::launch::{Block, Buffers};
use warp_core::operator::{Callee, Caller, Dims, Extents, Operator, Take};
use warp_core::pass::cover::covered;
use warp_dlpack::raise;

/// A call of an operator.
struct Call<'a, 'py> {
    py: Python<'py>,
    operator: &'a Operator,
    kernel: &'a Kernel,
    ready: &'a Ready,
    stream: Stream,
    memory: &'a Bound<'py, PyAny>,
    /// An array that new ones are made next to.
    near: Option<Bound<'py, PyAny>>,
    /// What is given for each parameter, then what the kernel gets.
    filled: SmallVec<[Option<Bound<'py, PyAny>>; 8]>,
    owners: Owners,
}

impl<'py> Call<'_, 'py> {
    /// A tensor as the kernel gets it, which is kept.
    fn hold(&mut self, at: usize, tensor: Bound<'py, PyAny>) -> PyResult<ArrayArg> {
        let param = &self.kernel.params[at];
        let wanted = Wanted::of(param, self.ready.writes[at], self.stream.device);
        let held = held_arg(&tensor, &wanted);
        let (arg, owner) = held.map_err(|e| self.kernel.refuse(e, &param.name))?;
        self.owners.push((at, owner));
        self.filled[at] = Some(tensor);
        Ok(arg)
    }

    fn given_for(&self, at: usize) -> PyResult<&Bound<'py, PyAny>> {
        let found = self.filled[at].as_ref();
        found.ok_or_else(|| error(Code::Bug, "an operator lacks an argument; please report"))
    }
}

impl Caller for Call<'_, '_> {
    type Error = PyErr;

    fn error(&self, error: Error) -> PyErr {
        unfit(raise(self.py, error))
    }

    fn given(&mut self, at: usize, take: Take) -> PyResult<(Extents, Option<ArrayArg>)> {
        let p = &self.operator.parameters[at];
        let given = self.given_for(at)?.clone();
        let shape: SmallVec<[i64; 8]> = {
            let shape: Vec<i64> = self.memory.call_method1("shape", (&given,))?.extract()?;
            shape.into()
        };
        let checked = self.operator.check_shape(at, &shape);
        checked.map_err(|e| unfit(raise(self.py, e)))?;
        let extents: Extents = shape[..p.ndim].into();
        let inner = p.elem.inner_shape().len();
        let tensor = match take {
            Take::Extents => return Ok((extents, None)),
            Take::Array if inner == 0 => given,
            Take::Array => self.memory.call_method1("readable", (given, inner))?,
            Take::Copy => self.memory.call_method1("copy", (given,))?,
        };
        let arg = self.hold(at, tensor)?;
        Ok((extents, Some(arg)))
    }

    fn make(&mut self, at: usize, extents: &[i64], _: bool) -> PyResult<ArrayArg> {
        let p = &self.operator.parameters[at];
        let inner = p.elem.inner_shape();
        let shape = extents.iter().copied();
        let shape = shape.chain(inner.iter().map(|n| *n as i64));
        let shape = PyTuple::new(self.py, shape.collect::<Vec<_>>())?;
        let args = (shape, p.elem.scalar().name(), self.near.as_ref());
        let made = self.memory.call_method1("zeros", args)?;
        self.hold(at, made)
    }

    fn value(&mut self, at: usize, block: &mut Block, offset: usize) -> PyResult<()> {
        let value = self.given_for(at)?;
        pack_value(self.kernel, &self.kernel.params[at], value, block, offset)
    }
}

/// Runs an operator: on the CPU, or on the GPU of its arrays and the framework's stream there. Tapes do not see it.
///
/// Args:
///     rules: How the operator fills the parameters of its kernel.
///     kernel: The kernel, a derived one too.
///     arguments: One for each of the operator's arguments.
///     launch: Launch dimensions of an item, if the caller gives them.
///     outputs: Extents of the outputs, one after the other, if the caller gives them.
///     memory: The framework's constructors of arrays.
///
/// Returns:
///     The results.
///
/// Raises:
///     TypeError, ValueError: An argument does not fit; the message names it.
#[pyfunction]
fn _run_operator<'py>(
    rules: &OperatorRules,
    kernel: &Bound<'py, Kernel>,
    arguments: &Bound<'py, PyAny>,
    launch: Option<Vec<i64>>,
    outputs: Option<Vec<i64>>,
    memory: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyList>> {
    let (py, bound, operator) = (kernel.py(), kernel, &rules.operator);
    trace_state::check_run("an operator")?;
    record::check_outside("an operator of torch, jax or paddle")?;
    let (filled, near) = arguments_of(operator, arguments)?;
    let place: Option<(u16, usize)> = match &near {
        Some(near) => memory.call_method1("place", (near,))?.extract()?,
        None => None,
    };
    // The device is that of the framework's arrays, whatever the current one is.
    let stream = match place {
        None => Stream::default_of(Device::Cpu),
        Some((ordinal, handle)) => Stream {
            device: Device::cuda(ordinal),
            handle,
        },
    };
    // Arrays of the framework are in order with its stream, so that nothing has to wait for it.
    let _on = place.map(|_| on_stream(stream));
    let kernel = bound.get();
    let ready = kernel.ready(py)?;
    let program = &ready.compiled.program;
    let (count, of_outputs) = (
        launch.as_ref().map(Vec::len),
        outputs.as_ref().map(Vec::len),
    );
    let resolved = operator.resolve(count, of_outputs);
    let resolved = resolved.map_err(|e| raise(py, e))?;
    let mut call = Call {
        py,
        operator,
        kernel,
        ready,
        stream,
        memory,
        near,
        filled,
        owners: Owners::new(),
    };
    let callee = Callee {
        operator,
        resolved: &resolved,
        layout: &program.layout,
        covered: rules.covered.get_or_init(|| covered(&program.func)),
    };
    let given = Dims {
        launch: launch.as_deref(),
        outputs: outputs.as_deref(),
    };
    let mut block = Block::default();
    let dims = callee.pack(&mut call, given, &mut block)?;
    before_launch(ready, &block)?;
    check_owners(kernel, &call.owners)?;
    let prepared = Prepared {
        block: &block,
        // What the kernel writes was made here, so that no two of its arrays overlap.
        buffers: Buffers::Apart,
        hold: &|| Ok(call.owners.clone()),
        lending: None,
        source: &|| {
            Ok(Source {
                kernel: bound.clone().unbind(),
                adjoint: None,
                writes: overwrite::written(kernel, ready, &block).collect(),
            })
        },
    };
    run(py, kernel, program, stream, &dims.into(), &prepared)?;
    let results = operator.results().map(|i| call.filled[i].clone());
    PyList::new(py, results.collect::<Vec<_>>())
}

/// What a call has of each parameter.
type Filled<'py> = SmallVec<[Option<Bound<'py, PyAny>>; 8]>;

/// What is given for each parameter, and the first array.
fn arguments_of<'py>(
    operator: &Operator,
    arguments: &Bound<'py, PyAny>,
) -> PyResult<(Filled<'py>, Option<Bound<'py, PyAny>>)> {
    let mut filled: Filled<'py> = SmallVec::new();
    let mut near = None;
    let mut rest = arguments.try_iter()?;
    for p in &operator.parameters {
        let given = match p.binding.is_argument() {
            true => rest.next().transpose()?,
            false => None,
        };
        if given.as_ref().is_some_and(|given| given.is_none()) {
            let text = format!("{}: argument '{}' is None", operator.title, p.name);
            return Err(error(Code::Type, text));
        }
        if p.ndim > 0 && near.is_none() {
            near.clone_from(&given);
        }
        filled.push(given);
    }
    Ok((filled, near))
}

/// Adds the function to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_run_operator, m)?)
}
