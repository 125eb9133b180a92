//! `_torch_operator`: a kernel as the native implementation of a torch operator.

use crate::config;
use crate::kernel::Kernel;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use warp_core::abi::ErrorSlot;
use warp_torch::operator::{Extent, Fill, Hooks, Parameter, Plan, implement};

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
    let mut all = Vec::new();
    for (param, (fill, like, front, item)) in kernel.params.iter().zip(parameters) {
        let fill = Fill::named(&fill)
            .ok_or_else(|| PyValueError::new_err(format!("there is no fill '{fill}'")))?;
        all.push(Parameter {
            name: param.name.clone(),
            elem: param.elem,
            ndim: param.ndim.into(),
            fill,
            like,
            front,
            item,
            gradient_of: param.gradient_of,
        });
    }
    let plan = Plan {
        title: format!("kernel '{}'", kernel.title()),
        parameters: all,
        front,
        item,
        code: &ready.compiled.code,
        sums: ready.compiled.sums.as_ref(),
        hooks: Hooks {
            deterministic: config::deterministic,
            interrupted,
            fault: Box::new(move |slot| fault(kernel, slot)),
        },
    };
    implement(namespace, name, plan).map_err(PyRuntimeError::new_err)
}

/// Whether a signal ends the launch; the exception of its handler is raised once torch is back in Python.
fn interrupted() -> bool {
    Python::attach(|py| {
        let raised = py.check_signals().is_err();
        if raised {
            // SAFETY: Python's lock is held.
            unsafe { ffi::PyErr_SetInterrupt() };
        }
        raised
    })
}

fn fault(kernel: &'static Kernel, slot: &ErrorSlot) -> String {
    Python::attach(|py| {
        let spans = kernel.ready(py).map(|ready| &ready.compiled.code.spans);
        let error = crate::error::fault(kernel, slot, spans.map_or(&[], |s| s));
        error.value(py).to_string()
    })
}

/// Adds the function to the module.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_implement_torch, m)?)
}
