//! Kernels for XLA: registers compiled kernels under their keys, and hands out the handler.

use super::jax_callback::capsule;
use super::rules::OperatorRules;
use crate::dtype;
use crate::kernel::fault::fault_text;
use crate::kernel::{Kernel, Ready};
use crate::object::error::{Code, error, within};
use crate::runtime::config;
use crate::runtime::device::Device as PyDevice;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use smallvec::SmallVec;
use std::collections::HashMap;
use warp_core::abi::ErrorSlot;
use warp_core::backend::Code as BackendCode;
use warp_core::cache::Key as Digest;
use warp_core::device::{Device, Stream};
use warp_core::launch::{Buffers, Job, Policy};
use warp_core::pass::access;
use warp_core::ty::MAX_NDIM;
use warp_dlpack::raise;
use warp_jax::ffi::handler;
use warp_jax::ffi::lowered_call::LoweredCall;
use warp_jax::ffi::registry::{self, KEY_LEN, KernelCode, Program, ProgramKey, ProgramParam};

/// A kernel of which the IR is there, kept for ever.
struct RegisteredKernel(Py<Kernel>);

impl RegisteredKernel {
    fn ready(&self) -> &Ready {
        self.0
            .get()
            .at_hand()
            .expect("registered when it has its IR")
    }

    /// The code of a kernel that was registered for another device.
    #[cold]
    fn late(&self, device: Device) -> &BackendCode {
        let loaded = self.load(device);
        let code = self.ready().compiled.program.compiled(device);
        // The boundary makes an error of it.
        code.unwrap_or_else(|| panic!("kernel '{}': {loaded:?}", self.0.get().title()))
    }
}

impl KernelCode for RegisteredKernel {
    fn load(&self, device: Device) -> Result<(), String> {
        let compiled = &self.ready().compiled;
        if compiled.program.compiled(device).is_some() {
            return Ok(());
        }
        // Whoever waits for XLA does so without Python's lock, so that it can be taken here.
        let outcome = Python::try_attach(|py| {
            let outcome = self.0.get().compile_for(py, &compiled.program, device);
            outcome.map(|_| ()).map_err(|e| e.to_string())
        });
        outcome.unwrap_or_else(|| Err("Python is ending".into()))
    }

    #[inline]
    fn job(&self, block: *const u8, dims: [i32; MAX_NDIM], stream: Stream) -> Job<'_> {
        let policy = Policy {
            deterministic: config::deterministic(),
            // XLA's buffers are apart from each other where one of them is written.
            buffers: Buffers::Apart,
        };
        let program = &self.ready().compiled.program;
        let code = match program.compiled(stream.device) {
            Some(code) => code,
            None => self.late(stream.device),
        };
        Job::new(program, code, stream, block, dims.into(), policy)
    }

    fn explain(&self, fault: &ErrorSlot, device: Device) -> String {
        let code = self.ready().compiled.program.compiled(device);
        fault_text(self.0.get(), fault, code.map_or(&[], |code| &code.spans))
    }
}

/// Registers a kernel for XLA's calls and compiles it for devices, unless that was done before. Gives the key that names it there:
/// the same in all processes, and another one for whatever does something else.
#[pyfunction]
fn _jax_register(
    kernel: &Bound<'_, Kernel>,
    devices: Vec<PyRef<'_, PyDevice>>,
) -> PyResult<String> {
    let bound = kernel.get();
    let ready = bound.ready(kernel.py())?;
    let compiled = &ready.compiled;
    for device in devices {
        if compiled.program.compiled(device.0).is_none() {
            bound.compile_for(kernel.py(), &compiled.program, device.0)?;
        }
    }
    let non_atomic: Vec<u8> = match &compiled.program.non_atomic_adds {
        Some(adds) => adds.non_atomic.iter().map(|p| u8::from(*p)).collect(),
        None => Vec::new(),
    };
    let digest = Digest::of(&[b"jax", compiled.digest().as_bytes(), &non_atomic]).hex();
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

/// Whether a launch of the kernel on a GPU makes memory for itself, or has the host do something: such launches are no part of
/// graphs that XLA captures.
#[pyfunction]
fn _jax_launches_alone(py: Python<'_>, kernel: &Kernel) -> PyResult<bool> {
    let func = &kernel.ready(py)?.compiled.program.func;
    Ok(access::prints(func) || access::records(func))
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
    block_dim: u32,
) -> PyResult<PyLoweredCall<'py>> {
    let call = LoweredCall::of(&rules.operator, launch.as_deref(), outputs, &known);
    let mut call = call.map_err(|e| raise(py, e))?;
    call.plan.block_dim = block_dim;
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
    dtype::value_bytes(value, param.elem, &mut bytes).map_err(|e| kernel.refuse(e, &param.name))?;
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

/// The address of the function that XLA calls on the CPU, in a capsule.
#[pyfunction]
fn _jax_handler(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    capsule(py, handler::address())
}

/// The address of the function that XLA calls on GPUs, in a capsule: for launches that XLA may capture, or for others.
#[pyfunction]
fn _jax_gpu_handler(py: Python<'_>, captured: bool) -> PyResult<Bound<'_, PyAny>> {
    capsule(py, handler::address_on_gpu(captured))
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
    m.add_function(wrap_pyfunction!(_jax_launches_alone, m)?)?;
    m.add_function(wrap_pyfunction!(_jax_handler, m)?)?;
    m.add_function(wrap_pyfunction!(_jax_gpu_handler, m)?)
}
