//! `_torch_operator`: a kernel as the native implementation of a torch operator.

use crate::kernel::Kernel;
use crate::kernel::fault::exception;
use crate::object::error::{Code, error};
use crate::runtime::config;
use pyo3::prelude::*;
use std::cell::RefCell;
use warp_core::abi::ErrorSlot;
use warp_core::device::Device;
use warp_torch::operator::{Extent, Fill, Hooks, OperatorParam, OperatorPlan, implement};

/// How Python describes one parameter: fill, like, front, item.
type Described = (String, Option<usize>, Vec<Extent>, Option<Vec<Extent>>);

/// Makes a kernel the CPU implementation of `namespace::name`; False if this torch does not allow that.
#[pyfunction]
fn _implement_torch(
    kernel: &Bound<'_, Kernel>,
    library: &str,
    namespace: &str,
    name: &str,
    parameters: Vec<Described>,
    front: Vec<Extent>,
    item: Option<Vec<Extent>>,
) -> PyResult<bool> {
    if !warp_torch::load_stable(library) {
        return Ok(false);
    }
    let py = kernel.py();
    kernel.get().ready(py)?;
    let kept = kernel.clone().unbind();
    // SAFETY: an operator stays for good, and so does its kernel: the reference below is never dropped.
    let kernel: &'static Kernel = unsafe { &*std::ptr::from_ref(kept.get()) };
    std::mem::forget(kept);
    let ready = kernel.ready(py)?;
    if ready.compiled.program.compiled(Device::Cpu).is_none() {
        kernel.compile_for(py, &ready.compiled.program, Device::Cpu)?;
    }
    let mut all = Vec::new();
    let covered = warp_core::pass::cover::covered(&ready.compiled.program.func);
    for (i, (param, (fill, like, front, item))) in kernel.params.iter().zip(parameters).enumerate()
    {
        let fill = Fill::named(&fill)
            .ok_or_else(|| error(Code::Value, format!("there is no fill '{fill}'")))?;
        all.push(OperatorParam {
            name: param.name.clone(),
            elem: param.elem,
            ndim: param.ndim.into(),
            fill,
            like,
            front,
            item,
            gradient_of: param.gradient_of,
            covered: covered[i],
        });
    }
    let plan = OperatorPlan {
        title: format!("kernel '{}'", kernel.title()),
        parameters: all,
        front,
        item,
        program: &ready.compiled.program,
        hooks: Hooks {
            deterministic: config::deterministic,
            interrupted,
            fault: Box::new(move |slot| fault(kernel, slot)),
        },
    };
    implement(namespace, name, plan).map_err(|e| error(Code::Runtime, e))
}

thread_local! {
    static INTERRUPT: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Whether a signal ends the launch. The exception of its handler cannot pass through torch, so it is put aside.
fn interrupted() -> bool {
    Python::attach(|py| match py.check_signals() {
        Ok(()) => false,
        Err(error) => {
            INTERRUPT.set(Some(error));
            true
        }
    })
}

/// Raises what a signal handler raised in an operator that has just failed, if that is why it did.
#[pyfunction]
fn _raise_interrupt() -> PyResult<()> {
    INTERRUPT.take().map_or(Ok(()), Err)
}

fn fault(kernel: &'static Kernel, slot: &ErrorSlot) -> String {
    Python::attach(|py| {
        let ready = kernel.at_hand();
        let code = ready.and_then(|ready| ready.compiled.program.compiled(Device::Cpu));
        let error = exception(kernel, slot, code.map_or(&[], |code| &code.spans));
        error.value(py).to_string()
    })
}

/// Adds the function to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_implement_torch, m)?)?;
    m.add_function(wrap_pyfunction!(_raise_interrupt, m)?)
}
