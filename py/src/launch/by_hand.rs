//! `wp.Launch(...)`: a launch that is set up by hand.

use super::command_state::{Given, State};
use crate::argument::dims::{dims as read_dims, grid};
use crate::kernel::Kernel;
use crate::object::error::{Code, error};
use crate::object::message::describe;
use crate::runtime::stream::of_launch;
use pyo3::prelude::*;
use warp_core::device::Stream;
use warp_core::launch::Dims;

/// What a launch that is set up by hand is made of.
pub struct ByHand {
    pub kernel: Py<Kernel>,
    pub stream: Stream,
    pub state: State,
}

/// Reads what a launch is to run with; `adj_args`: of an adjoint.
///
/// # Errors
/// The kernel is none, or generic, or something does not fit it.
pub fn by_hand<'py>(
    kernel: &Bound<'py, PyAny>,
    device: Option<&Bound<'py, PyAny>>,
    bounds: Option<&Bound<'py, PyAny>>,
    fwd_args: Option<&Bound<'py, PyAny>>,
    adj_args: Option<Option<&Bound<'py, PyAny>>>,
    (max_blocks, block_dim): (i64, Option<i64>),
) -> PyResult<ByHand> {
    let Ok(bound) = kernel.cast::<Kernel>() else {
        let text = format!("Launch: kernel is {}, expected a kernel", describe(kernel));
        return Err(error(Code::Launch, text));
    };
    if bound.get().generic().is_some() {
        let text = format!(
            "Launch: kernel '{}' is generic; give an instance of it, as wp.overload makes",
            bound.get().title()
        );
        return Err(error(Code::Launch, text));
    }
    let bound = match bound.get().is_current() {
        true => bound.clone(),
        false => Kernel::current(bound)?,
    };
    let kernel = bound.get();
    let list = |name: &str, given: Option<&Bound<'py, PyAny>>| -> PyResult<Given<'py>> {
        let Some(given) = given else {
            return Ok(vec![None; kernel.arity]);
        };
        let items: Vec<_> = given.try_iter()?.collect::<PyResult<_>>()?;
        match items.len() == kernel.arity {
            true => Ok(items.into_iter().map(Some).collect()),
            false => Err(count("Launch", name, kernel, items.len())),
        }
    };
    let args = list("fwd_args", fwd_args)?;
    let gradients = match adj_args {
        Some(given) => Some(list("adj_args", given)?.into_iter().map(present).collect()),
        None => None,
    };
    let stream = of_launch(kernel.title(), device, None)?;
    let grid = grid(kernel, max_blocks, block_dim)?;
    let dims = bounds.map(|dim| read_dims(kernel, dim)).transpose()?;
    let dims = dims.map(|dims| Dims { grid, ..dims });
    let state = State::new(bound.py(), kernel, stream.device, dims, &args, gradients)?;
    Ok(ByHand {
        kernel: bound.unbind(),
        stream,
        state,
    })
}

/// Refuses arguments that the caller has packed.
///
/// # Errors
/// There are some.
pub fn refuse_packed(name: &str, given: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    let Some(given) = given else { return Ok(()) };
    let text = format!(
        "Launch: {name} is {}; arguments are packed here: give them as fwd_args=[..], or call set_params",
        describe(given)
    );
    Err(error(Code::Value, text))
}

/// None where Python's None was given.
pub fn present(value: Option<Bound<'_, PyAny>>) -> Option<Bound<'_, PyAny>> {
    value.filter(|v| !v.is_none())
}

/// A list of another length than the kernel has parameters.
#[cold]
pub fn count(place: &str, name: &str, kernel: &Kernel, given: usize) -> PyErr {
    let text = format!(
        "{place}: kernel '{}' takes {} arguments, {given} given as {name}",
        kernel.title(),
        kernel.arity
    );
    error(Code::Launch, text)
}
