//! Level 5: what operators of other frameworks need of a kernel: facts about it, kernels derived from it, the rules by which
//! its parameters are filled (`rules.rs`), and calls of operators (`call.rs`). `warp/_operator/` builds operators of these.

mod call;
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

use crate::dtype;
use crate::kernel::Kernel;
use crate::object::error::{Code, error};
use crate::runtime::device;
use pyo3::prelude::*;
use warp_core::adjoint::{Class, Data};
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
    rules::register(m)?;
    call::register(m)?;
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
