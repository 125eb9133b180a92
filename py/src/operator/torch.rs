//! `_implement_torch`: a kernel as the native implementation of a torch operator.

use super::rules::OperatorRules;
use crate::kernel::Kernel;
use crate::kernel::fault::exception;
use crate::object::error::{Code, error};
use crate::runtime::config;
use pyo3::prelude::*;
use std::cell::RefCell;
use warp_core::abi::ErrorSlot;
use warp_core::device::Device;
use warp_torch::operator::{Hooks, TorchOperator, implement};

/// Makes a kernel, filled by the rules, the CPU implementation of `namespace::name`; False if this torch does not allow that.
#[pyfunction]
fn _implement_torch(
    kernel: &Bound<'_, Kernel>,
    rules: &OperatorRules,
    library: &str,
    namespace: &str,
    name: &str,
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
    let program = &kernel.ready(py)?.compiled.program;
    if program.compiled(Device::Cpu).is_none() {
        kernel.compile_for(py, program, Device::Cpu)?;
    }
    let hooks = Hooks {
        deterministic: config::deterministic,
        interrupted,
        fault: Box::new(move |slot| fault(kernel, slot)),
    };
    let operator = TorchOperator::new(rules.operator.clone(), program, hooks);
    implement(namespace, name, operator).map_err(|e| error(Code::Runtime, e))
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
