//! The extension module `warp._warp`: Python objects in front of `warp-core`.
//!
//! Not here: what kernels mean, what arrays are, how frameworks describe memory. Each file adds its classes and
//! functions in `register`; the package `warp` beside it holds names, documentation and decorators.
//!
//! What a build without a framework lacks is missing from `warp` by name (`_public.py`);
//! `scripts/check_features.py` compiles each combination of features.
//!
//! The folders are levels; code imports from lower levels only, and a test fails on an arrow that runs back:
//! `registry` < `object` < `runtime`, `dtype` < `kernel`, `exchange` < `argument` < `trace`, `operator` < `array` < `algorithm` <
//! `framework`, `geometry` < `launch`.

#![cfg_attr(
    not(feature = "default"),
    allow(unused, reason = "what frameworks use that this build lacks")
)]

mod algorithm;
mod argument;
mod array;
mod dtype;
mod exchange;
mod framework;
mod geometry;
mod kernel;
mod launch;
mod object;
mod operator;
mod registry;
mod runtime;
mod trace;

use pyo3::exceptions::PyImportError;
use pyo3::ffi;
use pyo3::prelude::*;
use registry::for_each_framework;
use std::time::Duration;
use warp_dlpack::Adapter;

/// The frameworks that this build has adapters for.
fn frameworks() -> Vec<&'static str> {
    let mut names = Vec::new();
    for_each_framework!(F => { names.push(F::MODULE); });
    names
}

/// Called when Python begins to end, before the C library takes anything away.
#[pyfunction]
fn finish_preparing(py: Python<'_>) {
    py.detach(warp_core::module::finish_preparing);
}

/// Waits until no background compile is pending, for so many seconds at most. Returns whether that is so.
#[pyfunction]
#[pyo3(signature = (seconds = 60.0))]
fn _finish_compiles(py: Python<'_>, seconds: f64) -> bool {
    let patience = Duration::from_secs_f64(seconds.clamp(0.0, 1e6));
    py.detach(|| warp_core::module::finish_compiles(patience))
}

/// Refuses interpreters beside the main one: launches, deleters and signals find Python through that.
///
/// # Errors
/// This is another one.
fn check_interpreter() -> PyResult<()> {
    // SAFETY: a module is made by an interpreter, which this thread is attached to.
    let id = unsafe { ffi::PyInterpreterState_GetID(ffi::PyInterpreterState_Get()) };
    match id {
        0 => Ok(()),
        id => Err(PyImportError::new_err(format!(
            "warp runs in Python's main interpreter only, and this is subinterpreter {id}; under mod_wsgi set \
             WSGIApplicationGroup %{{GLOBAL}}"
        ))),
    }
}

#[pymodule]
fn _warp(m: &Bound<'_, PyModule>) -> PyResult<()> {
    check_interpreter()?;
    runtime::gate::install();
    runtime::tracemalloc::install();
    // The first launch is sooner if what it needs is set up while the program imports other things.
    warp_core::stack::left();
    warp_core::module::prepare();
    let wait = wrap_pyfunction!(finish_preparing, m)?;
    m.py().import("atexit")?.call_method1("register", (wait,))?;
    m.add_function(wrap_pyfunction!(_finish_compiles, m)?)?;
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    m.add("FRAMEWORKS", frameworks())?;
    object::error::register(m)?;
    object::package::register(m)?;
    dtype::register(m)?;
    runtime::device::register(m)?;
    runtime::cuda::register(m)?;
    runtime::cuda_facts::register(m)?;
    runtime::cuda_memory::register(m)?;
    runtime::config::register(m)?;
    runtime::snapshot::register(m)?;
    runtime::tracking::register(m)?;
    runtime::timeline::register(m)?;
    array::register(m)?;
    algorithm::register(m)?;
    geometry::register(m)?;
    exchange::register(m)?;
    framework::register(m)?;
    kernel::register(m)?;
    kernel::facts::register(m)?;
    argument::infer::register(m)?;
    trace::register(m)?;
    launch::register(m)?;
    operator::register(m)?;
    runtime::keywords::explain_keywords(m)?;
    // Last: builtins leave names alone that stand for something else already.
    kernel::register_builtins(m)
}
