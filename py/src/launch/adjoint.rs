//! Adjoint launches: which gradient belongs to which argument, and what must be kept apart.

use super::gradient::{copy_like, gradient as gradient_of};
use crate::argument::args::Args;
use crate::argument::convert::{Wanted, held_arg, launch_arg};
use crate::argument::pack::{check_owners, pack_value};
use crate::argument::prepared::{Prepared, Source};
use crate::argument::run::run as run_program;
use crate::argument::spread::spread_gradients;
use crate::kernel::Kernel;
use crate::object::error::{Code, error};
use crate::object::message::describe;
use crate::object::{Array, nested_arrays, queried, trace_state};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use smallvec::SmallVec;
use warp_core::abi::ArrayArg;
use warp_core::array::Owner;
use warp_core::device::{Device, Stream};
use warp_core::error::Error;
use warp_core::ir::ParamId;
use warp_core::launch::{Block, Buffers, Dims};
use warp_core::module::Reverse;
use warp_core::tape::adjoint::{self as tape, Aliases};
use warp_dlpack::raise;

/// One argument of an adjoint launch.
pub struct Operand<'a, 'py> {
    /// The forward argument.
    pub value: Bound<'py, PyAny>,
    /// Its bytes as the forward launch read them, where it is no array and they were kept.
    pub packed: Option<&'a [u8]>,
    /// A copy of the content that the gradient needs, where the array was overwritten.
    pub kept: Option<Bound<'py, PyAny>>,
    /// Its gradient; None if none is wanted.
    pub gradient: Option<Bound<'py, PyAny>>,
}

/// `wp.launch(..., adjoint=True)`.
///
/// # Errors
/// An argument or gradient does not fit, or the kernel has no gradient.
pub fn launch<'py>(
    bound: &Bound<'py, Kernel>,
    stream: Stream,
    dims: Dims,
    args: &Args<'py>,
    adj_inputs: Option<&Bound<'py, PyAny>>,
    adj_outputs: Option<&Bound<'py, PyAny>>,
) -> PyResult<()> {
    let kernel = bound.get();
    let mut gradients = gradients(kernel, args, adj_inputs, adj_outputs)?;
    if let Some(arguments) = &kernel.arguments {
        gradients = spread_gradients(kernel, arguments, gradients)?;
    }
    let Some(py) = args.all.first().map(|a| a.py()) else {
        return Ok(());
    };
    let aliases = aliases(py, kernel, stream.device, &args.all)?;
    let reverse = Reverse {
        aliases: aliases.to_vec(),
        consume: Vec::new(),
    };
    let slot = kernel.reversed(py, &reverse)?;
    let mut operands: SmallVec<[Operand<'_, 'py>; 12]> = SmallVec::new();
    for (i, (value, gradient)) in args.all.iter().zip(gradients).enumerate() {
        let explicit = gradient.is_some();
        let mut gradient = match gradient {
            Some(gradient) => Some(gradient),
            None => gradient_of(value)?,
        };
        // A seed of the caller's is never written: the kernel gets a copy to consume.
        let consumes = slot
            .reversed
            .report
            .array(ParamId(i as u32))
            .is_some_and(|a| a.consumes);
        if explicit && i >= args.first && consumes {
            gradient = gradient
                .map(|g| copy_like(&g, &kernel.params[i]))
                .transpose()?;
        }
        operands.push(Operand {
            value: value.clone(),
            packed: None,
            kept: None,
            gradient,
        });
    }
    run(bound, (stream, dims), &operands, &reverse, &|_, _| false)
}

/// The gradients that a launch was given, one entry for each of its arguments.
///
/// # Errors
/// The lists are none, or of other lengths.
pub fn gradients<'py>(
    kernel: &Kernel,
    args: &Args<'py>,
    adj_inputs: Option<&Bound<'py, PyAny>>,
    adj_outputs: Option<&Bound<'py, PyAny>>,
) -> PyResult<Vec<Option<Bound<'py, PyAny>>>> {
    let inputs = args.inputs(kernel);
    let outputs = kernel.arity - inputs;
    let mut gradients = given(kernel, "adj_inputs", adj_inputs, "inputs", inputs)?;
    gradients.extend(given(
        kernel,
        "adj_outputs",
        adj_outputs,
        "outputs",
        outputs,
    )?);
    Ok(gradients)
}

/// The entries of `adj_inputs` or `adj_outputs`, padded with None.
fn given<'py>(
    kernel: &Kernel,
    what: &str,
    list: Option<&Bound<'py, PyAny>>,
    of: &str,
    count: usize,
) -> PyResult<Vec<Option<Bound<'py, PyAny>>>> {
    let items: Vec<Bound<'py, PyAny>> = match list {
        None => Vec::new(),
        Some(list) => {
            if let Ok(list) = list.cast::<PyList>() {
                list.iter().collect()
            } else if let Ok(tuple) = list.cast::<PyTuple>() {
                tuple.iter().collect()
            } else {
                return Err(error(
                    Code::Launch,
                    format!(
                        "launch of kernel '{}': {what} is {}, expected a list or tuple",
                        kernel.title(),
                        describe(list)
                    ),
                ));
            }
        }
    };
    if !items.is_empty() && items.len() != count {
        return Err(error(
            Code::Launch,
            format!(
                "launch of kernel '{}': {what} has {} entries and {of} has {count}; give one gradient or None for each",
                kernel.title(),
                items.len()
            ),
        ));
    }
    let mut gradients: Vec<_> = items
        .into_iter()
        .map(|i| if i.is_none() { None } else { Some(i) })
        .collect();
    gradients.resize_with(count, || None);
    Ok(gradients)
}

/// As [`tape::aliases`], of arguments as they are given.
///
/// # Errors
/// Arguments overlap in memory without being the same array, and one is written.
fn aliases(
    py: Python<'_>,
    kernel: &Kernel,
    device: Device,
    args: &[Bound<'_, PyAny>],
) -> PyResult<Aliases> {
    let view = |at: usize| {
        let param = &kernel.params[at];
        let view = launch_arg(&args[at], &Wanted::of(param, false, device));
        Ok(view.map_err(|e| kernel.refuse(e, &param.name))?.arg)
    };
    tape::aliases(kernel.of(kernel.ready(py)?), view, raised)
}

/// The exception that an error of the core's is.
fn raised(error: Error) -> PyErr {
    Python::attach(|py| raise(py, error))
}

/// Says again where the gradients lie of arrays that arguments lead to; whether there are any.
fn refresh_reached(
    py: Python<'_>,
    kernel: &Kernel,
    stream: Stream,
    operands: &[Operand<'_, '_>],
) -> PyResult<bool> {
    let mut held = operands.iter().filter_map(|operand| {
        let array = operand.kept.as_ref().unwrap_or(&operand.value);
        let core = &array.cast::<Array>().ok()?.get().core;
        (nested_arrays::may_hold(core.view.elem) && core.owner.holds_any()).then_some(core)
    });
    let reaches = held.clone().next().is_some();
    if reaches {
        held.try_for_each(|core| nested_arrays::refresh(py, core, stream.into()))?;
    }
    let queried: SmallVec<[_; 2]> = match kernel.ready(py)?.compiled.program.queries {
        true => operands
            .iter()
            .filter_map(|o| queried::find(&o.value))
            .collect(),
        false => SmallVec::new(),
    };
    for object in &queried {
        object.refresh(py)?;
    }
    Ok(reaches || !queried.is_empty())
}

/// Runs an adjoint kernel. `prior`: whether the content is there that an argument had before the launch, to be read or to be changed.
///
/// # Errors
/// A gradient does not fit, prior content is missing, or the kernel failed while it ran.
pub fn run<'py>(
    bound: &Bound<'py, Kernel>,
    (stream, dims): (Stream, Dims),
    operands: &[Operand<'_, 'py>],
    reverse: &Reverse,
    prior: &dyn Fn(usize, bool) -> bool,
) -> PyResult<()> {
    let (py, kernel) = (bound.py(), bound.get());
    trace_state::check_run("an adjoint")?;
    let reaches = refresh_reached(py, kernel, stream, operands)?;
    if !reaches && operands.iter().all(|o| o.gradient.is_none()) {
        return Ok(());
    }
    let slot = kernel.reversed(py, reverse)?;
    let adjoint = kernel.adjoint(py, &slot)?;
    let arguments = Arguments {
        kernel,
        stream,
        operands,
        prior,
    };
    let of = kernel.of(kernel.ready(py)?);
    let (parts, aliases) = ((&*slot, adjoint), &reverse.aliases);
    let mut packed = tape::Packed::default();
    tape::pack(of, parts, &dims, aliases, &arguments, &mut packed)?;
    let (owners, written) = (&packed.owners, &packed.written);
    check_owners(kernel, owners)?;
    let prepared = Prepared {
        block: &packed.block,
        buffers: Buffers::Written(written),
        hold: &|| Ok(owners.clone()),
        lending: None,
        source: &|| {
            Ok(Source {
                kernel: bound.clone().unbind(),
                adjoint: Some(slot.clone()),
                writes: written.to_vec(),
            })
        },
    };
    run_program(py, kernel, adjoint, stream, &dims, &prepared)
}

/// The arguments of an adjoint launch, as Python has them.
struct Arguments<'a, 'py> {
    kernel: &'a Kernel,
    stream: Stream,
    operands: &'a [Operand<'a, 'py>],
    prior: &'a dyn Fn(usize, bool) -> bool,
}

impl Arguments<'_, '_> {
    fn held(&self, at: usize, value: &Bound<'_, PyAny>, writes: bool) -> PyResult<Held> {
        let param = &self.kernel.params[at];
        let held = held_arg(value, &Wanted::of(param, writes, self.stream.device));
        held.map_err(|e| self.kernel.refuse(e, &param.name))
    }
}

/// An array as a kernel reads it, and what keeps its memory.
type Held = (ArrayArg, Owner);

impl tape::Operands for Arguments<'_, '_> {
    type Error = PyErr;

    fn error(&self, error: Error) -> PyErr {
        raised(error)
    }
    fn value(&self, at: usize, block: &mut Block, offset: usize) -> PyResult<()> {
        let (operand, param) = (&self.operands[at], &self.kernel.params[at]);
        match operand.packed {
            Some(bytes) => block.write(offset, bytes),
            None => pack_value(self.kernel, param, &operand.value, block, offset)?,
        }
        Ok(())
    }
    fn has_prior(&self, at: usize, changes: bool) -> bool {
        (self.prior)(at, changes)
    }
    fn array(&self, at: usize, writes: bool) -> PyResult<Held> {
        let operand = &self.operands[at];
        self.held(at, operand.kept.as_ref().unwrap_or(&operand.value), writes)
    }
    fn gradient(&self, at: usize, writes: bool) -> PyResult<Option<Held>> {
        let gradient = self.operands[at].gradient.as_ref();
        gradient.map(|g| self.held(at, g, writes)).transpose()
    }
}
