//! Level 5: what operators of other frameworks need of a kernel: facts about it, kernels derived from it, the rules by which
//! its parameters are bound (`rules.rs`), and a launch that takes None for gradients that were not requested.
//! `warp/_operator/` builds operators of these.

#[cfg(feature = "jax")]
mod jax;
#[cfg(feature = "jax")]
mod jax_buffer;
#[cfg(feature = "jax")]
mod jax_callback;
#[cfg(feature = "jax")]
mod jax_captured;
mod rules;
#[cfg(feature = "torch")]
mod torch;

use crate::argument::convert::{Wanted, held_arg};
use crate::argument::dims;
use crate::argument::overwrite::{self, before_launch};
use crate::argument::pack::{Owners, check_owners, pack_value};
use crate::argument::prepared::{Prepared, Source};
use crate::argument::run::run;
use crate::dtype;
use crate::kernel::{Kernel, KernelParam};
use crate::object::error::{Code, error};
use crate::object::{record, trace_state};
use crate::runtime::device;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use smallvec::SmallVec;
use warp_core::abi::{ArrayArg, Strided};
use warp_core::adjoint::{Class, Data};
use warp_core::device::{Device, Stream, on_stream};
use warp_core::launch::{Block, Buffers};
use warp_core::module::Reverse;

/// Name, type of the elements and number of dimensions (0 for a value) of each parameter. Structs are refused, unless
/// the caller knows their `leaves`.
#[pyfunction]
#[pyo3(signature = (kernel, leaves=false))]
fn _parameters<'py>(
    py: Python<'py>,
    kernel: &Kernel,
    leaves: bool,
) -> PyResult<Vec<(String, Bound<'py, PyAny>, u8)>> {
    if !leaves && let Some(arguments) = &kernel.arguments {
        let spread = arguments.iter().find(|a| a.is_spread());
        let name = spread.map_or("", |a| a.name.as_str());
        return Err(error(
            Code::Type,
            format!(
                "kernel '{}': parameter '{name}' is a struct or an array of them, which operators of other frameworks \
             cannot be given; write a kernel with a parameter for each field",
                kernel.title()
            ),
        ));
    }
    let params = kernel.params.iter();
    params
        .map(|p| Ok((p.name.clone(), dtype::class_of(py, p.elem)?, p.ndim)))
        .collect()
}

/// The kernel to make an operator of: this one, or one compiled with what its names mean now.
#[pyfunction]
fn _current<'py>(kernel: &Bound<'py, Kernel>) -> PyResult<Bound<'py, Kernel>> {
    Kernel::current(kernel)
}

/// Whether the kernel writes each parameter; compiles it.
#[pyfunction]
fn _writes(py: Python<'_>, kernel: &Kernel) -> PyResult<Vec<bool>> {
    Ok(kernel.ready(py)?.writes.clone())
}

/// A name for what the kernel does, equal in all processes; compiles it.
#[pyfunction]
fn _digest(py: Python<'_>, kernel: &Kernel) -> PyResult<String> {
    Ok(kernel.ready(py)?.compiled.digest())
}

/// Compiles a kernel for a device, if it is not compiled yet.
#[pyfunction]
fn _load_kernel(kernel: &Bound<'_, Kernel>, device: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = kernel.py();
    let device = device::resolve(Some(device))?;
    let current = Kernel::current(kernel)?;
    let program = &current.get().ready(py)?.compiled.program;
    if program.compiled(device).is_none() {
        current.get().compile_ahead(py, program, device)?;
    }
    Ok(())
}

/// Which adjoint: the gradients of the parameters `consume` are set to zero after they were read.
fn reverse(consume: Vec<u32>) -> Reverse {
    Reverse {
        aliases: Vec::new(),
        consume,
    }
}

/// The adjoint as a kernel: its parameters are the kernel's own, then `adj_NAME` for each array of floats.
#[pyfunction]
fn _adjoint_kernel<'py>(
    kernel: &Bound<'py, Kernel>,
    consume: Vec<u32>,
) -> PyResult<Bound<'py, Kernel>> {
    Kernel::adjoint_of(kernel, reverse(consume))
}

/// The kernel for every item of a batch, or None if that makes too many dimensions: the launch, and
/// each array that is marked, have a dimension more in front.
#[pyfunction]
fn _batch_kernel<'py>(
    kernel: &Bound<'py, Kernel>,
    arrays: Vec<bool>,
) -> PyResult<Option<Bound<'py, Kernel>>> {
    Kernel::batch_of(kernel, arrays)
}

/// The kernel with the values that are marked as arrays of one element.
#[pyfunction]
fn _lift_kernel<'py>(
    kernel: &Bound<'py, Kernel>,
    values: Vec<bool>,
) -> PyResult<Bound<'py, Kernel>> {
    Kernel::lift_of(kernel, values)
}

/// The kernel where parameter `stands[i]` is meant wherever parameter `i` is.
#[pyfunction]
fn _merge_kernel<'py>(
    kernel: &Bound<'py, Kernel>,
    stands: Vec<u32>,
) -> PyResult<Bound<'py, Kernel>> {
    let params = &kernel.get().params;
    let fits = stands.len() == params.len()
        && stands.iter().zip(params).all(|(to, param)| {
            let stand = params.get(*to as usize);
            stand.is_some_and(|s| s.elem == param.elem && s.ndim == param.ndim)
        });
    if !fits {
        return Err(error(
            Code::Type,
            "parameters of different types cannot be one",
        ));
    }
    Kernel::merge_of(kernel, stands)
}

/// Whether the kernel prints; compiles it.
#[pyfunction]
fn _prints(py: Python<'_>, kernel: &Kernel) -> PyResult<bool> {
    let compiled = &kernel.ready(py)?.compiled;
    Ok(warp_core::pass::access::prints(&compiled.program.func))
}

/// Whether the kernel reads each parameter; compiles it.
#[pyfunction]
fn _reads(py: Python<'_>, kernel: &Kernel) -> PyResult<Vec<bool>> {
    let access = &kernel.ready(py)?.compiled.access;
    Ok(access.iter().map(|a| a.loads).collect())
}

/// For each parameter and each dimension of it, if it is an array, the launch dimension along which both may be cut into
/// parts; -1 for none; compiles it. Nothing is done with what is marked in `absent`.
#[pyfunction]
fn _cuts(py: Python<'_>, kernel: &Kernel, absent: Vec<bool>) -> PyResult<Vec<Vec<i32>>> {
    let cuts = warp_core::pass::cuts::cuts(&kernel.ready(py)?.compiled.program.func, &absent);
    let number = |cut: Option<u8>| cut.map_or(-1, i32::from);
    let of_array = |dims: Vec<_>| dims.into_iter().map(number).collect();
    Ok(cuts.into_iter().map(of_array).collect())
}

/// What the adjoint does with each array: parameter, parameter of its gradient, which content the adjoint needs
/// ("none", "same", "before", "scratch", "after"), whether it writes the gradient that it reads,
/// whether the array only takes minima or maxima.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "read by one Python function")]
fn _adjoint_facts(
    py: Python<'_>,
    kernel: &Kernel,
    consume: Vec<u32>,
) -> PyResult<Vec<(u32, Option<u32>, &'static str, bool, bool)>> {
    let slot = kernel.reversed(py, &reverse(consume))?;
    let facts = slot.reversed.report.arrays.iter().map(|array| {
        let data = match array.data {
            Data::None => "none",
            Data::Same => "same",
            Data::Before => "before",
            // Where nothing changes that others see, it is a copy that the adjoint changes.
            Data::Scratch | Data::Live => "scratch",
            Data::After => "after",
        };
        let written = array.adds || array.consumes;
        let grad = array.grad.map(|g| g.0);
        let extremum = array.class == Class::Extremum;
        (array.param.0, grad, data, written, extremum)
    });
    Ok(facts.collect())
}

/// Launches a kernel, a derived one too: on the CPU, or on the GPU and its stream that `place` names by a number and a handle. Tapes
/// do not see it.
#[pyfunction]
#[pyo3(signature = (kernel, dim, args, place=None))]
fn _run<'py>(
    kernel: &Bound<'py, Kernel>,
    dim: &Bound<'py, PyAny>,
    args: &Bound<'py, PyTuple>,
    place: Option<(u16, usize)>,
) -> PyResult<()> {
    let (py, bound) = (kernel.py(), kernel);
    let kernel = bound.get();
    if args.len() != kernel.params.len() {
        return Err(error(
            Code::Launch,
            format!(
                "launch of kernel '{}': it takes {} arguments, but there are {}",
                kernel.title(),
                kernel.params.len(),
                args.len()
            ),
        ));
    }
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
    trace_state::check_run("an operator")?;
    record::check_outside("an operator of torch, jax or paddle")?;
    let dims = dims::dims(kernel, dim)?;
    let ready = kernel.ready(py)?;
    let program = &ready.compiled.program;
    let layout = &program.layout;
    let mut block = Block::new(layout.size, dims.shape);
    let mut views: SmallVec<[Option<ArrayArg>; 12]> = SmallVec::new();
    let mut owners = Owners::new();
    for (i, param) in kernel.params.iter().enumerate() {
        let (value, offset) = (args.get_item(i)?, layout.offsets[i]);
        if param.ndim == 0 {
            pack_value(kernel, param, &value, &mut block, offset)?;
            views.push(None);
            continue;
        }
        if let Some(of) = param.gradient_of
            && value.is_none()
        {
            let shape = views[of].map_or([1; 4], |view| view.shape);
            let missing = ArrayArg {
                shape,
                ..ArrayArg::MISSING
            };
            block.write_array(offset, &missing);
            views.push(None);
            continue;
        }
        let (view, owner) = held_arg(&value, &Wanted::of(param, ready.writes[i], stream.device))
            .map_err(|e| e.at(kernel.title(), &param.name))?;
        block.write_array(offset, &view);
        views.push(Some(view));
        owners.push((i, owner));
    }
    before_launch(kernel, ready, &block)?;
    check_owners(kernel, &owners)?;
    let mut arrays = SmallVec::new();
    if program.plain_adds.is_some() {
        arrays = written(kernel, &ready.writes, &views);
    }
    let prepared = Prepared {
        block: &block,
        buffers: Buffers::Written(&arrays),
        hold: &|| Ok(owners.clone()),
        source: &|| {
            Ok(Source {
                kernel: bound.clone().unbind(),
                adjoint: None,
                writes: overwrite::written(kernel, ready, &block).collect(),
            })
        },
    };
    run(py, kernel, program, stream, &dims, &prepared)
}

/// The arrays that a launch writes.
fn written(kernel: &Kernel, writes: &[bool], views: &[Option<ArrayArg>]) -> SmallVec<[Strided; 8]> {
    let all = kernel.params.iter().zip(writes).zip(views);
    all.filter_map(|((param, writes), view): ((&KernelParam, &bool), _)| {
        Some(Strided {
            array: view.filter(|_| *writes)?,
            ndim: param.ndim.into(),
            size: param.elem.size(),
        })
    })
    .collect()
}

/// Adds the functions to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_current, m)?)?;
    m.add_function(wrap_pyfunction!(_parameters, m)?)?;
    m.add_function(wrap_pyfunction!(_writes, m)?)?;
    m.add_function(wrap_pyfunction!(_prints, m)?)?;
    m.add_function(wrap_pyfunction!(_cuts, m)?)?;
    m.add_function(wrap_pyfunction!(_digest, m)?)?;
    m.add_function(wrap_pyfunction!(_load_kernel, m)?)?;
    m.add_function(wrap_pyfunction!(_adjoint_kernel, m)?)?;
    m.add_function(wrap_pyfunction!(_batch_kernel, m)?)?;
    m.add_function(wrap_pyfunction!(_lift_kernel, m)?)?;
    m.add_function(wrap_pyfunction!(_merge_kernel, m)?)?;
    m.add_function(wrap_pyfunction!(_reads, m)?)?;
    m.add_function(wrap_pyfunction!(_adjoint_facts, m)?)?;
    m.add_function(wrap_pyfunction!(_run, m)?)?;
    rules::register(m)?;
    #[cfg(feature = "torch")]
    torch::register(m)?;
    #[cfg(feature = "jax")]
    jax::register(m)?;
    #[cfg(feature = "jax")]
    jax_buffer::register(m)?;
    #[cfg(feature = "jax")]
    jax_callback::register(m)?;
    #[cfg(feature = "jax")]
    jax_captured::register(m)?;
    Ok(())
}
