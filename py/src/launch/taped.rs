//! A launch on a tape: its arguments, and what its gradient needs of them.
//!
//! The gradient reads arrays again. What it needs of each is a snapshot ([`Need`]), which becomes a copy when something
//! is about to overwrite the array: a later launch, a fill, a copy, or the launch itself.

use super::adjoint;
use super::gradient::to_array;
use super::need::{Need, tensor_of};
use crate::argument::convert::{Wanted, launch_arg};
use crate::argument::overwrite::before_launch;
use crate::argument::reached::{self, Reach};
use crate::argument::spread::Root;
use crate::kernel::{Kernel, KernelParam};
use crate::object::Array;
use crate::object::error::{Code, error};
use crate::object::part::part;
use crate::runtime::snapshot::before_write;
use pyo3::exceptions::PyBaseException;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use smallvec::SmallVec;
use warp_core::abi::Strided;
use warp_core::adjoint::Data;
use warp_core::device::Stream;
use warp_core::launch::{Block, Dims};
use warp_core::tape::Use;
use warp_core::ty::{Leaf, Type};
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

/// A launch with its arguments.
pub struct TapedLaunch {
    pub kernel: Py<Kernel>,
    pub stream: Stream,
    pub dims: Dims,
    /// The arguments, followed by the arrays that they lead to.
    pub args: Vec<Py<PyAny>>,
    /// The arguments that are no arrays as the launch read them, one after the other: Python objects may change.
    values: Box<[u8]>,
    /// Arguments that are part of an array of structs: which, of what, and where in its elements.
    roots: Vec<(usize, Py<Array>, &'static Leaf)>,
    /// The structs among the arguments as they were given: `Tape.gradients` names them.
    pub structs: Vec<Py<PyAny>>,
    /// How many of the arguments as they were given are inputs.
    pub inputs: usize,
    /// Metadata that the caller of `record_launch` gave.
    pub metadata: Option<Py<PyDict>>,
    /// What the gradient needs of each argument; empty if no gradient is wanted.
    pub needs: Vec<Option<Need>>,
    pub aliases: Vec<u32>,
    /// Why there is no gradient, where a backward pass that needs one has to say so.
    refusal: Option<Py<PyBaseException>>,
}

impl TapedLaunch {
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
        let py = kernel.py();
        let args = recorded.args;
        let k = kernel.get();
        // Tensors become arrays here once, so that their gradients are found in the backward pass.
        let mut kept = Vec::with_capacity(args.len());
        for (param, value) in k.params.iter().zip(args) {
            let array = param.ndim > 0 && !value.is_instance_of::<Array>();
            kept.push(if array {
                to_array(value, param)?
            } else {
                value.clone()
            });
        }
        let ready = k.ready(py)?;
        let offsets = &ready.compiled.program.layout.offsets;
        let mut aliases = Vec::new();
        let mut needs = Vec::new();
        let reach = Reach::of(ready);
        let reached = match reach.any() {
            true => reached::arrays(&kept),
            false => Vec::new(),
        };
        if reach.writes {
            for array in &reached {
                before_write(py, array.get().view())?;
            }
        }
        let asked = kept.iter().any(|a| wants_gradient(a));
        let wanted = (asked || reached.iter().any(|a| wants_gradient(a))) && k.backward_enabled();
        let mut refusal = None;
        let needed = match wanted {
            true => {
                aliases = adjoint::aliases(k, stream.device, &kept)?;
                match k.needed(py, &aliases) {
                    Ok(needed) => Some(needed),
                    Err(e) if passes(&e) => return Err(e),
                    Err(e) => {
                        refusal = Some(e.into_value(py));
                        None
                    }
                }
            }
            false => None,
        };
        if let Some(needed) = needed {
            if reach.writes {
                reached::check_apart(k, ready, &kept)?;
            }
            for (at, array) in kept.iter().enumerate() {
                check_memory(k, at, &args[at], array, block, offsets[at])?;
            }
            needs.resize_with(args.len(), || None);
            if needed.reaches {
                let each = reached.iter().map(|a| Need::new(a, a).map(Some));
                needs.extend(each.collect::<PyResult<Vec<_>>>()?);
            }
            let after = |data: Data| data == Data::After;
            for (at, _) in needed.arrays.iter().filter(|(_, data)| !after(*data)) {
                needs[*at] = Some(Need::new(&kept[*at], &args[*at])?);
            }
            before_launch(k, ready, block)?;
            for (at, data) in &needed.arrays {
                if let Some(need) = &needs[*at]
                    && let Some(snapshot) = &need.snapshot
                {
                    match data {
                        Data::Before | Data::Scratch => snapshot.keep(py)?,
                        _ => snapshot.verify_later(py)?,
                    }
                }
            }
            // Nobody has overwritten yet what the launch leaves.
            for (at, _) in needed.arrays.iter().filter(|(_, data)| after(*data)) {
                needs[*at] = Some(Need::new(&kept[*at], &args[*at])?);
            }
        } else {
            before_launch(k, ready, block)?;
        }
        let reached = reached.into_iter().map(Bound::into_any);
        let args = kept.into_iter().chain(reached).map(Bound::unbind).collect();
        let roots = recorded
            .roots
            .iter()
            .map(|r| (r.param, r.array.clone().unbind(), r.leaf));
        Ok(TapedLaunch {
            kernel: kernel.clone().unbind(),
            stream,
            dims,
            args,
            values: values(k, offsets, block),
            roots: roots.collect(),
            structs: structs(k, recorded.given),
            inputs: recorded.inputs,
            metadata: None,
            needs,
            aliases,
            refusal,
        })
    }

    /// Refuses a backward pass through a kernel whose gradient cannot be formed, where there is a gradient of what it wrote.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn check_gradient(&self, py: Python<'_>, uses: &[Use]) -> PyResult<()> {
        let Some(refusal) = &self.refusal else {
            return Ok(());
        };
        let mut written = self.args.iter().zip(uses).filter(|(_, u)| u.writes);
        match written.any(|(value, _)| wants_gradient(value.bind(py))) {
            true => Err(PyErr::from_value(refusal.bind(py).clone().into_any())),
            false => Ok(()),
        }
    }

    /// Whether a backward pass runs its adjoint.
    pub fn has_adjoint(&self) -> bool {
        self.refusal.is_none()
    }

    /// Looks at what the launch has left, once it has run.
    ///
    /// # Errors
    /// There is no memory.
    pub fn ran(&self, py: Python<'_>) -> PyResult<()> {
        let mut taken = self
            .needs
            .iter()
            .flatten()
            .filter_map(|n| n.snapshot.as_ref());
        taken.try_for_each(|snapshot| snapshot.verify_later(py))
    }

    /// Each argument that is no array, as the launch read it.
    pub fn values(&self) -> impl Iterator<Item = Option<&[u8]>> {
        let mut rest = &*self.values;
        self.kernel.get().params.iter().map(move |param| {
            let size = value_size(param)?;
            let (value, after) = rest.split_at(size);
            rest = after;
            Some(value)
        })
    }

    /// Takes a snapshot of what arrays hold now, wherever there is none.
    ///
    /// # Errors
    /// There is no memory.
    pub fn take_snapshots(&mut self, py: Python<'_>) -> PyResult<()> {
        for (need, value) in self.needs.iter_mut().zip(&self.args) {
            if let Some(need) = need {
                need.take_snapshot(value.bind(py).cast::<Array>()?)?;
            }
        }
        Ok(())
    }

    /// The same for another tape.
    pub fn clone_ref(&self, py: Python<'_>) -> TapedLaunch {
        let roots = self.roots.iter();
        let needs = self.needs.iter();
        TapedLaunch {
            kernel: self.kernel.clone_ref(py),
            stream: self.stream,
            dims: self.dims,
            args: self.args.iter().map(|a| a.clone_ref(py)).collect(),
            values: self.values.clone(),
            roots: roots
                .map(|(param, array, leaf)| (*param, array.clone_ref(py), *leaf))
                .collect(),
            structs: self.structs.iter().map(|s| s.clone_ref(py)).collect(),
            inputs: self.inputs,
            metadata: self.metadata.as_ref().map(|m| m.clone_ref(py)),
            needs: needs
                .map(|need| need.as_ref().map(|need| need.clone_ref(py)))
                .collect(),
            aliases: self.aliases.clone(),
            refusal: self.refusal.as_ref().map(|e| e.clone_ref(py)),
        }
    }

    /// Shows Python's collector every object that this holds.
    ///
    /// # Errors
    /// The collector wants to see no more.
    pub fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.kernel)?;
        self.refusal.iter().try_for_each(|e| visit.call(e))?;
        self.metadata.iter().try_for_each(|m| visit.call(m))?;
        let mut roots = self.roots.iter();
        roots.try_for_each(|(_, array, _)| visit.call(array))?;
        self.structs.iter().try_for_each(|s| visit.call(s))?;
        let mut needs = self.needs.iter().flatten();
        needs.try_for_each(|need| need.visit(visit))?;
        self.args.iter().try_for_each(|value| visit.call(value))
    }

    /// How the launch uses each array; values use nothing.
    ///
    /// # Errors
    /// The kernel does not compile, or an argument is no array any more.
    pub fn uses(&self, py: Python<'_>) -> PyResult<Vec<Use>> {
        let kernel = self.kernel.get();
        let ready = kernel.ready(py)?;
        let access = &ready.compiled.access;
        let params = kernel.params.iter().zip(&self.args).zip(access);
        let reach = Reach::of(ready);
        let reached = self.args[kernel.params.len()..].iter().map(|value| {
            let how = Use {
                reads: reach.reads,
                writes: reach.writes,
                ..Use::NOTHING
            };
            let array = value.bind(py).cast::<Array>()?;
            Ok(use_of(array.get().view().strided(), &how))
        });
        params
            .map(|((param, value), access)| {
                if param.ndim == 0 {
                    return Ok(Use::NOTHING);
                }
                let view = launch_arg(
                    value.bind(py),
                    &Wanted::of(param, false, self.stream.device),
                )
                .map_err(|e| e.at(kernel.title(), &param.name))?;
                let strided = Strided {
                    array: view.arg,
                    ndim: param.ndim.into(),
                    size: param.elem.size(),
                };
                let how = Use {
                    reads: access.loads,
                    writes: access.writes(),
                    ..Use::NOTHING
                };
                Ok(use_of(strided, &how))
            })
            .chain(reached)
            .collect()
    }

    /// Parts of arrays of structs with the gradients that those have now.
    ///
    /// # Errors
    /// Python has no memory.
    pub fn take_parts(&mut self, py: Python<'_>) -> PyResult<()> {
        for (param, array, leaf) in &self.roots {
            self.args[*param] = part(array.bind(py), leaf)?.into_any().unbind();
        }
        Ok(())
    }

    /// The array that an argument is part of.
    pub fn whole(&self, at: usize) -> &Py<PyAny> {
        self.root(at).map_or(&self.args[at], Py::as_any)
    }

    /// The array of structs that an argument is part of, if it is of one.
    pub fn root(&self, at: usize) -> Option<&Py<Array>> {
        let mut roots = self.roots.iter();
        roots
            .find(|(param, ..)| *param == at)
            .map(|(_, array, _)| array)
    }
}

/// A use of an array, as `how` says.
pub fn use_of(array: Strided, how: &Use) -> Use {
    Use {
        bytes: array.bytes(),
        array: Some(array),
        ..how.clone()
    }
}

/// How many bytes an argument has that is no array.
fn value_size(param: &KernelParam) -> Option<usize> {
    (param.ndim == 0).then(|| param.elem.size())
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

/// The arguments that are no arrays, out of an argument block.
fn values(kernel: &Kernel, offsets: &[usize], block: &Block) -> Box<[u8]> {
    let params = kernel.params.iter().zip(offsets);
    let values = params.filter_map(|(param, at)| Some(block.bytes(*at, value_size(param)?)));
    let mut all: SmallVec<[u8; 64]> = SmallVec::new();
    values.for_each(|value| all.extend_from_slice(value));
    all.as_slice().into()
}

/// Refuses a tensor whose memory is not what the launch runs on: a recorded launch keeps that, whatever its tensors are given.
fn check_memory(
    kernel: &Kernel,
    at: usize,
    given: &Bound<'_, PyAny>,
    array: &Bound<'_, PyAny>,
    block: &Block,
    offset: usize,
) -> PyResult<()> {
    if kernel.params[at].ndim == 0 || given.is(array) || tensor_of(given).is_none() {
        return Ok(());
    }
    let (packed, arg) = (block.array(offset), array.cast::<Array>()?.get().view().arg);
    if arg.data == packed.data && arg.shape == packed.shape {
        return Ok(());
    }
    Err(error(
        Code::Runtime,
        format!(
            "launch of kernel '{}': the tensor '{}' was given other memory since the launch was recorded, so a tape \
             cannot record it; set the argument again",
            kernel.title(),
            kernel.params[at].name
        ),
    ))
}

fn wants_gradient(value: &Bound<'_, PyAny>) -> bool {
    value.cast::<Array>().is_ok_and(|a| a.get().has_gradient())
}
