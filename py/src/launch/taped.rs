//! Recording a launch: its arguments as a tape keeps them, and what its gradient needs of these.
//!
//! The gradient reads arrays again. What it needs of each is a snapshot ([`need`]), which becomes a copy when something
//! is about to overwrite the array: a later launch, a fill, a copy, or the launch itself.

use super::gradient::to_array;
use super::host::{Kept, Launched, More, OfPython, TapedLaunch, wants_gradient};
use super::saved_array::{saved_array, tensor_of};
use crate::argument::overwrite::before_launch;
use crate::argument::pack::queried;
use crate::argument::reached;
use crate::argument::spread::Root;
use crate::kernel::{Kernel, Ready};
use crate::object::Array;
use crate::object::error::{Code, error};
use crate::object::queried::find;
use crate::runtime::config;
use crate::runtime::snapshot::before_write;
use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;
use std::sync::Arc;
use warp_core::device::Stream;
use warp_core::launch::{Block, Dims, Touched};
use warp_core::module::Needed;
use warp_core::pass::regions::Region;
use warp_core::tape::adjoint::{Aliases, aliases};
use warp_core::tape::{Host, Saved};
use warp_core::ty::Type;
use warp_dlpack::passes;

/// The arguments of a launch that is to be recorded.
pub struct Recorded<'a, 'py> {
    /// All of them, structs as their leaves.
    pub args: &'a [Bound<'py, PyAny>],
    /// Which leaves are parts of arrays of structs.
    pub roots: &'a [Root<'py>],
    /// The arguments as they were given, for their structs; empty where they are copies.
    pub given: &'a [Bound<'py, PyAny>],
    /// How many of the arguments as they were given are inputs.
    pub inputs: usize,
}

/// Looks at a launch that is about to run, and keeps what it overwrites where a tape needs that: for this launch or an
/// earlier one. A kernel whose gradient cannot be formed is noted: not every tape has a backward pass.
///
/// # Errors
/// An argument cannot be kept.
pub fn record(
    kernel: &Bound<'_, Kernel>,
    stream: Stream,
    dims: Dims,
    recorded: &Recorded<'_, '_>,
    block: &Block,
) -> PyResult<TapedLaunch> {
    let (py, k) = (kernel.py(), kernel.get());
    let kept = as_arrays(k, recorded.args)?;
    let ready = k.ready(py)?;
    let reach = k.of(ready).reach();
    let reached = match reach.loads || reach.writes() {
        true => reached::arrays(&kept),
        false => Vec::new(),
    };
    if reach.writes() {
        for array in &reached {
            before_write(py, array.get().view())?;
        }
    }
    let asked = kept.iter().any(wants_gradient) || reached.iter().any(|a| wants_gradient(a));
    let mut wanted = Wanted::default();
    if asked && k.backward_enabled() {
        wanted = Wanted::of(k, py, ready, block)?;
    }
    let mut saved = Saved::default();
    if let Some(needed) = &wanted.needed {
        if reach.writes() {
            reached::check_apart(k, ready, &kept)?;
        }
        check_memory(k, ready, (recorded.args, &kept), block)?;
        let take =
            |at: usize, region: Option<Region>| match reached.get(at.wrapping_sub(kept.len())) {
                Some(array) => saved_array(array, array, None),
                None => {
                    let region = region.filter(|_| is_packed(k, ready, at, &kept[at], block));
                    saved_array(&kept[at], &recorded.args[at], region)
                }
            };
        let (touched, verify) = (Touched::of(&ready.compiled, block), config::verify_access());
        saved = Saved::before(&touched, needed, (kept.len(), reached.len()), &take)?;
        before_launch(ready, block)?;
        saved.after(&touched, needed, verify, &take, OfPython::error)?;
    } else {
        before_launch(ready, block)?;
    }
    let objects = match ready.compiled.program.queries {
        true => objects(k, ready, &kept, block),
        false => Vec::new(),
    };
    let mut args: Vec<Py<PyAny>> = kept.into_iter().map(Bound::unbind).collect();
    args.extend(reached.into_iter().map(|a| a.into_any().unbind()));
    let roots = recorded.roots.iter();
    let more = More {
        roots: roots
            .map(|r| (r.param, r.array.clone().unbind(), r.leaf))
            .collect(),
        structs: structs(k, recorded.given),
        inputs: recorded.inputs,
        metadata: None,
        refusal: wanted.refusal,
        objects,
    };
    let (kernel, place) = (Launched(kernel.clone().unbind()), (stream, dims));
    let saved = (saved, wanted.aliases);
    Ok(TapedLaunch::new(kernel, place, block, args, saved, more))
}

/// The objects that a launch may query: they live as long as it is recorded, whoever else lets them go.
fn objects(kernel: &Kernel, ready: &Ready, args: &[Bound<'_, PyAny>], block: &Block) -> Vec<Kept> {
    let mut kept = Vec::new();
    for (i, (param, value)) in kernel.params.iter().zip(args).enumerate() {
        if param.ndim == 0 {
            kept.extend(queried(ready, param, block, i).map(|memory| (Some(memory), None)));
            kept.extend(find(value).map(|object| (None, Some(object))));
        }
    }
    kept
}

/// Whether the kernel reads an array as it is: indices of the kernel are then those of the array.
fn is_packed(
    kernel: &Kernel,
    ready: &Ready,
    at: usize,
    value: &Bound<'_, PyAny>,
    block: &Block,
) -> bool {
    let param = &kernel.params[at];
    value.cast::<Array>().is_ok_and(|array| {
        let view = array.get().view();
        let packed = block.array(ready.compiled.program.layout.offsets[at]);
        view.arg == *packed && view.ndim == param.ndim && view.elem == param.elem
    })
}

/// The arguments, tensors as arrays: once, so that their gradients are found in the backward pass.
fn as_arrays<'py>(kernel: &Kernel, args: &[Bound<'py, PyAny>]) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let mut kept = Vec::with_capacity(args.len());
    for (param, value) in kernel.params.iter().zip(args) {
        kept.push(match param.ndim > 0 && !value.is_instance_of::<Array>() {
            true => to_array(value, param)?,
            false => value.clone(),
        });
    }
    Ok(kept)
}

/// What a gradient needs, if one is wanted.
#[derive(Default)]
struct Wanted {
    aliases: Aliases,
    needed: Option<Arc<Needed>>,
    /// Why there is no gradient.
    refusal: Option<Py<PyBaseException>>,
}

impl Wanted {
    fn of(kernel: &Kernel, py: Python<'_>, ready: &Ready, block: &Block) -> PyResult<Wanted> {
        let offsets = &ready.compiled.program.layout.offsets;
        let view = |at: usize| Ok(*block.array(offsets[at]));
        let aliases = aliases(kernel.of(ready), view, OfPython::error)?;
        let (needed, refusal) = match kernel.needed(py, &aliases) {
            Ok(needed) => (Some(needed), None),
            Err(e) if passes(&e) => return Err(e),
            Err(e) => (None, Some(e.into_value(py))),
        };
        Ok(Wanted {
            aliases,
            needed,
            refusal,
        })
    }
}

/// The structs among the arguments as they were given.
fn structs(kernel: &Kernel, given: &[Bound<'_, PyAny>]) -> Vec<Py<PyAny>> {
    let Some(arguments) = &kernel.arguments else {
        return Vec::new();
    };
    let pairs = arguments.iter().zip(given);
    let structs = pairs.filter(|(a, _)| matches!(a.ty, Type::Struct(_)));
    structs.map(|(_, value)| value.clone().unbind()).collect()
}

/// Refuses tensors whose memory is not what the launch runs on: a recorded launch keeps that, whatever its tensors are given.
fn check_memory(
    kernel: &Kernel,
    ready: &Ready,
    (given, kept): (&[Bound<'_, PyAny>], &[Bound<'_, PyAny>]),
    block: &Block,
) -> PyResult<()> {
    let offsets = &ready.compiled.program.layout.offsets;
    for (at, (given, array)) in given.iter().zip(kept).enumerate() {
        let param = &kernel.params[at];
        if param.ndim == 0 || given.is(array) || tensor_of(given).is_none() {
            continue;
        }
        let packed = block.array(offsets[at]);
        let arg = array.cast::<Array>()?.get().view().arg;
        if arg.data != packed.data || arg.shape != packed.shape {
            let text = format!(
                "launch of kernel '{}': the tensor '{}' was given other memory since the launch was recorded, so a tape \
                 cannot record it; set the argument again",
                kernel.title(),
                param.name
            );
            return Err(error(Code::Runtime, text));
        }
    }
    Ok(())
}
