//! What a tape keeps of a launch, and what the gradient of the launch needs of its arrays.
//!
//! The gradient reads arrays again. What it needs of each is a snapshot ([`Need`]), which becomes a copy when something
//! is about to overwrite the array: a later launch, a fill, a copy, or the launch itself.

use super::adjoint;
use super::gradient::to_array;
use crate::argument::convert::{Wanted, launch_arg};
use crate::argument::overwrite::before_launch;
use crate::argument::spread::Root;
#[cfg(any(feature = "torch", feature = "paddle"))]
use crate::exchange::descriptor::Descriptor;
use crate::kernel::{Kernel, KernelParam};
use crate::object::Array;
use crate::object::error::{Code, error};
use crate::object::part::part;
use crate::runtime::change_count::Counter;
use crate::runtime::snapshot::{Kept, Snapshot};
use pyo3::gc::{PyTraverseError, PyVisit};
#[cfg(any(feature = "torch", feature = "paddle"))]
use pyo3::intern;
use pyo3::prelude::*;
use smallvec::SmallVec;
use std::sync::Arc;
use warp_core::abi::{ArrayArg, Strided};
use warp_core::adjoint::Data;
use warp_core::device::Stream;
use warp_core::ir::ParamId;
use warp_core::launch::{Block, Dims};
use warp_core::module::Reverse;
use warp_core::tape::Use;
use warp_core::ty::Leaf;

/// One thing that a tape has recorded.
pub enum Entry {
    Launch(TapedLaunch),
    /// An array, or part of one, was filled: its gradient ends there.
    Fill([Py<PyAny>; 1]),
    /// A function to be called in the backward pass, and the arrays whose gradients it uses.
    Call {
        backward: Py<PyAny>,
        arrays: Vec<Py<PyAny>>,
    },
}

/// A launch with its arguments.
pub struct TapedLaunch {
    pub kernel: Py<Kernel>,
    pub stream: Stream,
    pub dims: Dims,
    pub args: Vec<Py<PyAny>>,
    /// The arguments that are no arrays as the launch read them, one after the other: Python objects may change.
    values: Box<[u8]>,
    /// Arguments that are part of an array of structs: which, of what, and where in its elements.
    roots: Vec<(usize, Py<Array>, &'static Leaf)>,
    /// What the gradient needs of each argument; empty where nobody asks for a gradient.
    pub needs: Vec<Option<Need>>,
    pub aliases: Vec<u32>,
}

/// The content of an array that a gradient needs.
pub struct Need {
    /// What the array held when the launch was recorded; without it, what it holds when the gradient is taken.
    pub snapshot: Option<Arc<Snapshot>>,
    /// The tensor that was passed: it tells whether its framework has changed it.
    tensor: Option<Py<PyAny>>,
}

impl Need {
    /// The copy, if the array was overwritten.
    pub fn kept(&self) -> Option<&Kept> {
        self.snapshot.as_ref()?.kept()
    }

    fn clone_ref(&self, py: Python<'_>) -> Need {
        Need {
            snapshot: self.snapshot.clone(),
            tensor: self.tensor.as_ref().map(|t| t.clone_ref(py)),
        }
    }
}

impl TapedLaunch {
    /// Looks at a launch that is about to run, and keeps what it overwrites where a tape needs that: for this launch or an
    /// earlier one.
    ///
    /// # Errors
    /// The kernel has no gradient, or an argument cannot be kept.
    pub fn record(
        kernel: &Bound<'_, Kernel>,
        stream: Stream,
        dims: Dims,
        args: &[Bound<'_, PyAny>],
        roots: &[Root<'_>],
        block: &Block,
    ) -> PyResult<TapedLaunch> {
        let py = kernel.py();
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
        let wanted = kept.iter().any(|a| wants_gradient(a)) && k.backward_enabled();
        if wanted {
            aliases = adjoint::aliases(k, stream.device, &kept)?;
            let reverse = Reverse {
                aliases: aliases.clone(),
                consume: Vec::new(),
            };
            let slot = k.reversed(py, &reverse)?;
            needs.resize_with(args.len(), || None);
            let mut after = Vec::new();
            for report in &slot.reversed.report.arrays {
                let at = report.param.0 as usize;
                if report.data == Data::None {
                    continue;
                }
                let (array, tensor) = (kept[at].cast::<Array>()?, tensor_of(&args[at]));
                if tensor.is_some() {
                    check_memory(k, at, array.get(), block.array(offsets[at]))?;
                }
                if report.data == Data::After {
                    after.push((at, array, tensor));
                } else {
                    needs[at] = Some(need(array, tensor.as_ref())?);
                }
            }
            before_launch(k, ready, block)?;
            for report in &slot.reversed.report.arrays {
                if let Some(need) = &needs[report.param.0 as usize]
                    && let Some(snapshot) = &need.snapshot
                {
                    match report.data {
                        Data::Before | Data::Scratch => snapshot.keep(py)?,
                        _ => snapshot.digest(py)?,
                    }
                }
            }
            // Nobody has overwritten yet what the launch leaves.
            for (at, array, tensor) in after {
                needs[at] = Some(need(array, tensor.as_ref())?);
            }
        } else {
            before_launch(k, ready, block)?;
        }
        let args = kept.into_iter().map(Bound::unbind).collect();
        let roots = roots
            .iter()
            .map(|r| (r.param, r.array.clone().unbind(), r.leaf));
        Ok(TapedLaunch {
            kernel: kernel.clone().unbind(),
            stream,
            dims,
            args,
            values: values(k, offsets, block),
            roots: roots.collect(),
            needs,
            aliases,
        })
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
        taken.try_for_each(|snapshot| snapshot.digest(py))
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
            if let Some(Need { snapshot, tensor }) = need
                && snapshot.is_none()
            {
                let tensor = tensor.as_ref().map(|t| t.bind(py));
                let array = value.bind(py).cast::<Array>()?;
                let taken = snapshot_of(array, tensor)?;
                taken.digest(py)?;
                *snapshot = Some(taken);
            }
        }
        Ok(())
    }
}

fn need(array: &Bound<'_, Array>, tensor: Option<&Bound<'_, PyAny>>) -> PyResult<Need> {
    Ok(Need {
        snapshot: Some(snapshot_of(array, tensor)?),
        tensor: tensor.map(|t| t.clone().unbind()),
    })
}

fn snapshot_of(
    array: &Bound<'_, Array>,
    tensor: Option<&Bound<'_, PyAny>>,
) -> PyResult<Arc<Snapshot>> {
    let linked = match tensor {
        None if array.get().is_linked() => linked(array),
        _ => None,
    };
    let tensor = tensor.or(linked.as_ref());
    let counted = tensor.and_then(|t| Some((t, counter(t)?)));
    Snapshot::take(array.py(), &array.get().core, counted)
}

/// The tensor that was passed, if it was one.
fn tensor_of<'py>(value: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    if value.is_exact_instance_of::<Array>() {
        return None;
    }
    #[cfg(any(feature = "torch", feature = "paddle"))]
    if let Ok(descriptor) = value.cast::<Descriptor>() {
        return Some(descriptor.get().tensor(value.py()).clone());
    }
    counter(value).map(|_| value.clone())
}

/// A tensor that shares the memory and the gradient of an array.
fn linked<'py>(array: &Bound<'py, Array>) -> Option<Bound<'py, PyAny>> {
    #[cfg(any(feature = "torch", feature = "paddle"))]
    return array
        .get()
        .state()
        .tensors
        .iter()
        .find_map(|t| t.alive(array.py()));
    #[cfg(not(any(feature = "torch", feature = "paddle")))]
    None
}

/// How a framework says how often it has changed a tensor in place.
fn counter(tensor: &Bound<'_, PyAny>) -> Option<Counter> {
    #[cfg(feature = "torch")]
    if warp_torch::is_tensor(tensor) {
        return Some(|t| number(t.getattr(intern!(t.py(), "_version"))));
    }
    #[cfg(feature = "paddle")]
    if warp_paddle::is_tensor(tensor) {
        return Some(|t| number(t.getattr(intern!(t.py(), "inplace_version"))));
    }
    let _ = tensor;
    None
}

#[cfg(any(feature = "torch", feature = "paddle"))]
fn number(count: PyResult<Bound<'_, PyAny>>) -> Option<u64> {
    count.ok()?.extract().ok()
}

/// How many bytes an argument has that is no array.
fn value_size(param: &KernelParam) -> Option<usize> {
    (param.ndim == 0).then(|| param.elem.size())
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
fn check_memory(kernel: &Kernel, at: usize, array: &Array, packed: &ArrayArg) -> PyResult<()> {
    let arg = &array.view().arg;
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

impl Entry {
    /// Shows Python's collector every object that this holds.
    ///
    /// # Errors
    /// The collector wants to see no more.
    pub fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self {
            Entry::Launch(r) => {
                visit.call(&r.kernel)?;
                let roots = r.roots.iter();
                roots.map(|root| &root.1).try_for_each(|a| visit.call(a))?;
                let needs = r.needs.iter().flatten();
                let mut tensors = needs.filter_map(|need| need.tensor.as_ref());
                tensors.try_for_each(|tensor| visit.call(tensor))?;
            }
            Entry::Fill(_) => {}
            Entry::Call { backward, .. } => visit.call(backward)?,
        }
        self.arrays().iter().try_for_each(|array| visit.call(array))
    }

    /// The same for another tape.
    pub fn clone_ref(&self, py: Python<'_>) -> Entry {
        let all = |list: &[Py<PyAny>]| list.iter().map(|a| a.clone_ref(py)).collect();
        let roots = |r: &TapedLaunch| {
            let each = r.roots.iter();
            each.map(|(param, array, leaf)| (*param, array.clone_ref(py), *leaf))
                .collect()
        };
        match self {
            Entry::Launch(r) => Entry::Launch(TapedLaunch {
                kernel: r.kernel.clone_ref(py),
                stream: r.stream,
                dims: r.dims,
                args: all(&r.args),
                values: r.values.clone(),
                roots: roots(r),
                needs: r
                    .needs
                    .iter()
                    .map(|n| n.as_ref().map(|n| n.clone_ref(py)))
                    .collect(),
                aliases: r.aliases.clone(),
            }),
            Entry::Fill([array]) => Entry::Fill([array.clone_ref(py)]),
            Entry::Call { backward, arrays } => Entry::Call {
                backward: backward.clone_ref(py),
                arrays: all(arrays),
            },
        }
    }

    /// How the entry uses each array; values use nothing.
    ///
    /// # Errors
    /// The kernel does not compile, or an argument is no array any more.
    pub fn uses(&self, py: Python<'_>) -> PyResult<Vec<Use>> {
        let r = match self {
            Entry::Launch(r) => r,
            Entry::Fill(arrays) => {
                let filled = arrays.iter().map(|a| Use {
                    writes: true,
                    fills: true,
                    ..use_of_array(a.bind(py))
                });
                return Ok(filled.collect());
            }
            Entry::Call { arrays, .. } => {
                let used = arrays.iter().map(|a| Use {
                    reads: true,
                    ..use_of_array(a.bind(py))
                });
                return Ok(used.collect());
            }
        };
        let kernel = r.kernel.get();
        let access = &kernel.ready(py)?.compiled.access;
        let params = kernel.params.iter().zip(&r.args).zip(access);
        params
            .map(|((param, value), access)| {
                if param.ndim == 0 {
                    return Ok(Use::NOTHING);
                }
                let view = launch_arg(value.bind(py), &Wanted::of(param, false, r.stream.device))
                    .map_err(|e| e.at(kernel.title(), &param.name))?;
                let strided = Strided {
                    array: view.arg,
                    ndim: param.ndim.into(),
                    size: param.elem.size(),
                };
                Ok(Use {
                    reads: access.loads,
                    writes: access.writes(),
                    ..use_of(strided)
                })
            })
            .collect()
    }

    /// The arrays, and for launches the other arguments too.
    pub fn arrays(&self) -> &[Py<PyAny>] {
        match self {
            Entry::Launch(r) => &r.args,
            Entry::Fill(arrays) => arrays,
            Entry::Call { arrays, .. } => arrays,
        }
    }

    /// What the gradient needs of the arrays.
    pub fn needs(&self) -> impl Iterator<Item = (ParamId, &Need)> {
        let needs: &[Option<Need>] = match self {
            Entry::Launch(r) => &r.needs,
            _ => &[],
        };
        let each = (0..).map(ParamId).zip(needs);
        each.filter_map(|(param, need)| Some((param, need.as_ref()?)))
    }

    /// Parts of arrays of structs with the gradients that those have now.
    ///
    /// # Errors
    /// Python has no memory.
    pub fn take_parts(&mut self, py: Python<'_>) -> PyResult<()> {
        if let Entry::Launch(r) = self {
            for (param, array, leaf) in &r.roots {
                r.args[*param] = part(array.bind(py), leaf)?.into_any().unbind();
            }
        }
        Ok(())
    }

    /// The array that an argument is part of.
    pub fn whole(&self, at: usize) -> &Py<PyAny> {
        if let Entry::Launch(r) = self
            && let Some((_, array, _)) = r.roots.iter().find(|(param, ..)| *param == at)
        {
            return array.as_any();
        }
        &self.arrays()[at]
    }
}

fn use_of_array(array: &Bound<'_, PyAny>) -> Use {
    match array.cast::<Array>() {
        Ok(array) => use_of(array.get().view().strided()),
        Err(_) => Use::NOTHING,
    }
}

fn use_of(array: Strided) -> Use {
    Use {
        bytes: array.bytes(),
        array: Some(array),
        ..Use::NOTHING
    }
}
