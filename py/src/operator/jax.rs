//! Kernels for XLA: registers compiled kernels under their keys, and hands out the handler.

use super::rules::OperatorRules;
use crate::dtype;
use crate::kernel::fault::fault_text;
use crate::kernel::{Kernel, Ready};
use crate::object::error::{Code, error, within};
use crate::runtime::config;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use smallvec::SmallVec;
use std::collections::HashMap;
use warp_core::abi::ErrorSlot;
use warp_core::cache::Key as Digest;
use warp_core::device::{Device, Stream};
use warp_core::launch::{Buffers, Job, Policy};
use warp_core::ty::MAX_NDIM;
use warp_dlpack::raise;
use warp_jax::ffi::handler;
use warp_jax::ffi::lowered_call::LoweredCall;
use warp_jax::ffi::registry::{self, KEY_LEN, KernelCode, Program, ProgramKey, ProgramParam};

/// A kernel that is compiled, and kept for ever.
struct RegisteredKernel(Py<Kernel>);

impl RegisteredKernel {
    fn ready(&self) -> &Ready {
        self.0.get().at_hand().expect("registered when compiled")
    }
}

impl KernelCode for RegisteredKernel {
    #[inline]
    fn job(&self, block: *const u8, dims: [i32; MAX_NDIM]) -> Job<'_> {
        let policy = Policy {
            deterministic: config::deterministic(),
            // XLA's buffers are apart from each other where one of them is written.
            buffers: Buffers::Apart,
        };
        let stream = Stream::default_of(Device::Cpu);
        let program = &self.ready().compiled.program;
        let code = program
            .compiled(stream.device)
            .expect("registered when compiled");
        Job::new(program, code, stream, block, dims.into(), policy)
    }

    fn explain(&self, fault: &ErrorSlot) -> String {
        let code = self.ready().compiled.program.compiled(Device::Cpu);
        fault_text(self.0.get(), fault, code.map_or(&[], |code| &code.spans))
    }
}

/// Registers a kernel for XLA's calls, compiling it if need be, and gives the key that names it there: the same in all
/// processes, and another one for whatever does something else.
#[pyfunction]
fn _jax_register(kernel: &Bound<'_, Kernel>) -> PyResult<String> {
    let bound = kernel.get();
    let ready = bound.ready(kernel.py())?;
    let compiled = &ready.compiled;
    if compiled.program.compiled(Device::Cpu).is_none() {
        bound.compile_for(kernel.py(), &compiled.program, Device::Cpu)?;
    }
    let plain: Vec<u8> = match &compiled.program.plain_adds {
        Some(adds) => adds.plain.iter().map(|p| u8::from(*p)).collect(),
        None => Vec::new(),
    };
    let digest = Digest::of(&[b"jax", compiled.digest().as_bytes(), &plain]).hex();
    let key: ProgramKey = digest.as_bytes()[..KEY_LEN]
        .try_into()
        .expect("a digest is longer");
    registry::register(&key, || {
        let covered = warp_core::pass::cover::covered(&compiled.program.func);
        let params = bound.params.iter().zip(covered);
        let params = params
            .map(|(p, covered)| ProgramParam::new(p.name.clone(), p.elem, p.ndim).covered(covered));
        Ok::<_, PyErr>(Program {
            title: bound.title().into(),
            params: params.collect(),
            layout: compiled.program.layout.clone(),
            code: Box::new(RegisteredKernel(kernel.clone().unbind())),
        })
    })?;
    Ok(digest[..KEY_LEN].into())
}

/// A lowered call in Python: the numbers of its plan, the bytes of its values, the parameters that its result buffers are
/// for, and which argument buffers may be one with which result buffers.
type PyLoweredCall<'py> = (
    Vec<i32>,
    Bound<'py, PyBytes>,
    Vec<usize>,
    HashMap<usize, usize>,
);

/// The call of an operator with these launch dimensions of an item, so many output dimensions, and the bytes of the values
/// that are known.
#[pyfunction]
fn _jax_lower<'py>(
    py: Python<'py>,
    rules: &OperatorRules,
    launch: Option<Vec<i32>>,
    outputs: Option<usize>,
    known: HashMap<usize, Vec<u8>>,
) -> PyResult<PyLoweredCall<'py>> {
    let call = LoweredCall::of(&rules.operator, launch.as_deref(), outputs, &known);
    let call = call.map_err(|e| raise(py, e))?;
    let values = PyBytes::new(py, &call.values);
    let aliases = call.aliases.into_iter().collect();
    Ok((call.plan.encode(), values, call.results, aliases))
}

/// A value for a parameter as the bytes that a launch is given.
#[pyfunction]
fn _value_bytes<'py>(
    py: Python<'py>,
    kernel: &Kernel,
    index: usize,
    value: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyBytes>> {
    let Some(param) = kernel.params.get(index) else {
        return Err(error(Code::Index, format!("there is no parameter {index}")));
    };
    let mut bytes: SmallVec<[u8; 64]> = SmallVec::new();
    dtype::value_bytes(value, param.elem, &mut bytes)
        .map_err(|e| e.at(kernel.title(), &param.name))?;
    Ok(PyBytes::new(py, &bytes))
}

/// A value as the bytes of a type, and as Python sees these: what `jax_callable` passes for a parameter.
#[pyfunction]
fn _element<'py>(
    function: &str,
    name: &str,
    dtype: &Bound<'py, PyAny>,
    value: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyAny>)> {
    let py = value.py();
    let elem = dtype::require_elem(dtype)?;
    let mut bytes: SmallVec<[u8; 64]> = SmallVec::new();
    dtype::value_bytes(value, elem, &mut bytes)
        .map_err(|e| within(py, &format!("{function}: argument '{name}'"), &e.0))?;
    // SAFETY: these are the bytes of an element.
    let seen = unsafe { dtype::read(py, elem, bytes.as_ptr(), None) }?;
    Ok((PyBytes::new(py, &bytes), seen))
}

/// The address of the function that XLA calls, in a capsule.
#[pyfunction]
fn _jax_handler(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    // SAFETY: a capsule without a name, as XLA expects it, around the address of a function.
    let capsule = unsafe { ffi::PyCapsule_New(handler::address(), std::ptr::null(), None) };
    if capsule.is_null() {
        return Err(error(Code::Runtime, "no memory for a capsule"));
    }
    // SAFETY: a new reference, just made.
    Ok(unsafe { Bound::from_owned_ptr(py, capsule) })
}

/// Adds the functions to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_jax_register, m)?)?;
    m.add_function(wrap_pyfunction!(_jax_lower, m)?)?;
    m.add_function(wrap_pyfunction!(_value_bytes, m)?)?;
    m.add_function(wrap_pyfunction!(_element, m)?)?;
    m.add_function(wrap_pyfunction!(_jax_handler, m)?)
}
