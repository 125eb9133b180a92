//! Adjoint launches: which gradient belongs to which argument, and what must be kept apart.

use super::gradient::{copy_like, gradient as gradient_of};
use crate::argument::args::Args;
use crate::argument::convert::{Wanted, held_arg, launch_arg};
use crate::argument::pack::{Owners, check_owners, pack_value};
use crate::argument::prepared::{Prepared, Source};
use crate::argument::run::run as run_program;
use crate::argument::spread::spread_gradients;
use crate::kernel::{Kernel, KernelParam};
use crate::object::error::{Code, error};
use crate::object::message::describe;
use crate::object::{Array, held, queried, trace_state};
use crate::runtime::snapshot::{keep_overwritten, watched};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use smallvec::SmallVec;
use warp_core::abi::{ArrayArg, Strided};
use warp_core::adjoint::Data;
use warp_core::device::{Device, Stream};
use warp_core::ir::ParamId;
use warp_core::launch::{Block, Buffers, Dims, interleaved};
use warp_core::module::Reverse;

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
    let aliases = aliases(kernel, stream.device, &args.all)?;
    let reverse = Reverse {
        aliases,
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
    run(bound, stream, dims, &operands, &reverse)
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

/// Which parameters got the same array as an earlier one, where the kernel writes it: the gradient is
/// then taken of the kernel with those parameters made one. Entry `i` names the parameter that stands for `i`.
///
/// # Errors
/// Arguments overlap in memory without being the same array, and one is written.
pub fn aliases(kernel: &Kernel, device: Device, args: &[Bound<'_, PyAny>]) -> PyResult<Vec<u32>> {
    let Some(py) = args.first().map(|a| a.py()) else {
        return Ok(Vec::new());
    };
    let ready = kernel.ready(py)?;
    let mut stands: Vec<u32> = (0..args.len() as u32).collect();
    let access = &ready.compiled.access;
    let writes = |i: usize| access[i].writes() || access[i].backward;
    if !(0..args.len()).any(writes) {
        return Ok(stands);
    }
    let mut views: Vec<Option<Strided>> = Vec::new();
    for (param, value) in kernel.params.iter().zip(args) {
        views.push(if param.ndim == 0 {
            None
        } else {
            let view = launch_arg(value, &Wanted::of(param, false, device))
                .map_err(|e| e.at(kernel.title(), &param.name))?;
            Some(strided(param, view.arg))
        });
    }
    for i in 1..views.len() {
        for j in 0..i {
            let (Some(a), Some(b)) = (&views[i], &views[j]) else {
                continue;
            };
            let (x, y) = (a.bytes(), b.bytes());
            let apart = x.is_empty() || y.is_empty() || x.end <= y.start || y.end <= x.start;
            let apart = apart || interleaved(a, b);
            let (p, q) = (&kernel.params[i], &kernel.params[j]);
            if apart || !(writes(i) || writes(j)) {
                continue;
            }
            if a.array != b.array || p.elem != q.elem || p.ndim != q.ndim {
                return Err(error(
                    Code::Runtime,
                    format!(
                        "gradient of kernel '{}': arguments '{}' and '{}' overlap in memory without being the same \
                     array, and the kernel writes one of them; pass separate arrays, or the same array for both",
                        kernel.title(),
                        q.name,
                        p.name
                    ),
                ));
            }
            stands[i] = stands[i].min(stands[j]);
        }
    }
    Ok(stands)
}

/// An argument for a parameter, with all that it takes to know its bytes.
fn strided(param: &KernelParam, array: ArrayArg) -> Strided {
    Strided {
        array,
        ndim: param.ndim.into(),
        size: param.elem.size(),
    }
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
        (held::may_hold(core.view.elem) && core.owner.holds_any()).then_some(core)
    });
    let reaches = held.clone().next().is_some();
    if reaches {
        held.try_for_each(|core| held::refresh(py, core, stream.into()))?;
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

/// Runs an adjoint kernel.
///
/// # Errors
/// A gradient does not fit, prior content is missing, or the kernel failed while it ran.
pub fn run<'py>(
    bound: &Bound<'py, Kernel>,
    stream: Stream,
    dims: Dims,
    operands: &[Operand<'_, 'py>],
    reverse: &Reverse,
) -> PyResult<()> {
    let (py, kernel) = (bound.py(), bound.get());
    trace_state::check_run("an adjoint")?;
    let reaches = refresh_reached(py, kernel, stream, operands)?;
    if !reaches && operands.iter().all(|o| o.gradient.is_none()) {
        return Ok(());
    }
    let slot = kernel.reversed(py, reverse)?;
    let adjoint = kernel.adjoint(py, &slot)?;
    let layout = &adjoint.layout;
    let mut block = Block::new(layout.size, dims.shape);
    let mut owners = Owners::new();
    let mut written: SmallVec<[Strided; 8]> = SmallVec::new();
    for (i, (param, operand)) in kernel.params.iter().zip(operands).enumerate() {
        let offset = layout.offsets[i];
        if param.ndim == 0 {
            match operand.packed {
                Some(bytes) => block.write(offset, bytes),
                None => pack_value(kernel, param, &operand.value, &mut block, offset)?,
            }
            continue;
        }
        let mut view = |value, writes| {
            let (arg, owner) = held_arg(value, &Wanted::of(param, writes, stream.device))
                .map_err(|e| e.at(kernel.title(), &param.name))?;
            owners.push((i, owner));
            PyResult::Ok(arg)
        };
        let report = slot.reversed.report.array(ParamId(i as u32));
        let report = report.expect("the report has an entry for every array");
        let needs_prior = matches!(report.data, Data::Before | Data::Scratch);
        let data = match (&operand.kept, needs_prior) {
            (Some(kept), _) => kept,
            (None, true) => {
                return Err(error(
                    Code::Runtime,
                    format!(
                        "gradient of kernel '{}': it overwrites elements of '{}' that it has read, so its gradient \
                     needs what the array held before the launch; record the launch with wp.Tape, which \
                     keeps that, or write to another array",
                        kernel.title(),
                        param.name
                    ),
                ));
            }
            (None, false) => &operand.value,
        };
        let forward = view(data, matches!(report.data, Data::Scratch | Data::Live))?;
        block.write_array(offset, &forward);
        if report.data == Data::Live {
            written.push(strided(param, forward));
            if watched() {
                keep_overwritten(py, &strided(param, forward))?;
            }
        }
        if let Some(grad) = report.grad {
            let offset = layout.offsets[grad.0 as usize];
            let writes = report.adds || report.consumes;
            let mut arg = ArrayArg {
                shape: forward.shape,
                ..ArrayArg::MISSING
            };
            if let Some(gradient) = &operand.gradient {
                arg = view(gradient, writes)?;
                check_shape(kernel, param, &arg, &forward)?;
                let stands = reverse.aliases.get(i).is_none_or(|s| *s as usize == i);
                if stands && writes {
                    written.push(strided(param, arg));
                    if watched() {
                        keep_overwritten(py, &strided(param, arg))?;
                    }
                }
            }
            block.write_array(offset, &arg);
        }
    }
    check_owners(kernel, &owners)?;
    let prepared = Prepared {
        block: &block,
        buffers: Buffers::Written(&written),
        hold: &|| Ok(owners.clone()),
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

fn check_shape(
    kernel: &Kernel,
    param: &KernelParam,
    gradient: &ArrayArg,
    array: &ArrayArg,
) -> PyResult<()> {
    let ndim = param.ndim as usize;
    if gradient.shape[..ndim] == array.shape[..ndim] {
        return Ok(());
    }
    Err(error(
        Code::Value,
        format!(
            "launch of kernel '{}': the gradient of '{}' has shape {:?}, the array has {:?}; give them the same",
            kernel.title(),
            param.name,
            &gradient.shape[..ndim],
            &array.shape[..ndim]
        ),
    ))
}
