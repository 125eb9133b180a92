//! Python functions as XLA calls: what `register_ffi_callback` registers.

use super::jax_buffer::{FfiBuffer, FfiContext};
use crate::object::error::{Code, error};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use warp_jax::ffi::callback::{self, AttributeValue, CallbackSlot, Invocation};
use warp_jax::ffi::dtype::{COMPLEX, scalar_of};

/// The capsules of a name's handlers for the CPU and for GPUs.
pub type Capsules<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// Slots by name.
static NAMES: Mutex<Option<HashMap<String, CallbackSlot>>> = Mutex::new(None);

/// Registers a function under a name; the capsules for XLA, or None if the name has one already.
#[pyfunction]
fn _jax_callback<'py>(
    py: Python<'py>,
    name: String,
    function: Py<PyAny>,
) -> PyResult<Option<Capsules<'py>>> {
    let title = name.clone();
    let call = move |invocation| run(&title, &function, invocation);
    set_callback(py, name, Arc::new(call))
}

/// Puts a callback under a name; the capsules for XLA, or None if the name has one already.
///
/// # Errors
/// There are too many.
pub fn set_callback(
    py: Python<'_>,
    name: String,
    call: Arc<callback::Callback>,
) -> PyResult<Option<Capsules<'_>>> {
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let names = names.get_or_insert_default();
    let registered = names.get(&name).copied();
    let Some(slot) = registered.or_else(|| CallbackSlot::new(names.len())) else {
        return Err(error(
            Code::Runtime,
            format!(
                "register_ffi_callback: there are {} callbacks already, and no more can be registered; \
                 register another function under one of their names",
                callback::SLOTS
            ),
        ));
    };
    slot.set(call);
    names.insert(name, slot);
    if registered.is_some() {
        return Ok(None);
    }
    Ok(Some((
        capsule(py, slot.address())?,
        capsule(py, slot.address_on_gpu())?,
    )))
}

/// A capsule for XLA around the address of a function.
///
/// # Errors
/// Python has no memory.
pub fn capsule(py: Python<'_>, address: *mut c_void) -> PyResult<Bound<'_, PyAny>> {
    // SAFETY: a capsule without a name, as XLA expects it, around the address of a function.
    let capsule = unsafe { ffi::PyCapsule_New(address, std::ptr::null(), None) };
    // SAFETY: a new reference, or null with an exception set.
    unsafe { Bound::from_owned_ptr_or_err(py, capsule) }
}

/// Calls the function; what it raises becomes the text of an error.
fn run(name: &str, function: &Py<PyAny>, invocation: Invocation) -> Result<(), String> {
    let outcome = Python::try_attach(|py| {
        let alive = Arc::new(AtomicBool::new(true));
        let outcome = call(py, function, invocation, &alive);
        alive.store(false, Ordering::Release);
        outcome.map_err(|error| format!("FFI callback '{name}': {}", traceback(py, &error)))
    });
    outcome.unwrap_or_else(|| Err(format!("FFI callback '{name}': Python is ending")))
}

fn call(
    py: Python<'_>,
    function: &Py<PyAny>,
    invocation: Invocation,
    alive: &Arc<AtomicBool>,
) -> PyResult<()> {
    let stream = invocation.stream;
    let wrap = |buffers: Vec<callback::ArrayBuffer>, read_only| {
        let made = buffers.into_iter().map(|buffer| {
            let alive = alive.clone();
            Py::new(
                py,
                FfiBuffer {
                    buffer,
                    stream,
                    read_only,
                    alive,
                },
            )
        });
        PyList::new(py, made.collect::<PyResult<Vec<_>>>()?)
    };
    let inputs = wrap(invocation.inputs, true)?;
    let outputs = wrap(invocation.outputs, false)?;
    let attrs = dict(py, &invocation.attrs)?;
    let context = Py::new(py, FfiContext(stream))?;
    let args = (inputs, outputs, attrs, context);
    let unwinding = HangThread;
    let outcome = function.call1(py, args);
    std::mem::forget(unwinding);
    outcome.map(|_| ())
}

/// Stops this thread when it is dropped.
///
/// Where Python ends while the function waits for its lock, Python before 3.14 ends the thread, and unwinds what is on
/// its stack: frames of ours, which think that they hold the lock, and of XLA's, which cannot be unwound. PyO3 does the
/// same in its own calls.
struct HangThread;

impl Drop for HangThread {
    fn drop(&mut self) {
        loop {
            std::thread::park();
        }
    }
}

fn traceback(py: Python<'_>, error: &PyErr) -> String {
    let format = || -> PyResult<String> {
        let lines = py.import("traceback")?.call_method1(
            "format_exception",
            (error.get_type(py), error.value(py), error.traceback(py)),
        )?;
        let text = pyo3::types::PyString::new(py, "").call_method1("join", (lines,))?;
        text.extract()
    };
    format().unwrap_or_else(|_| error.to_string())
}

fn dict<'py>(py: Python<'py>, attrs: &[(String, AttributeValue)]) -> PyResult<Bound<'py, PyDict>> {
    let made = PyDict::new(py);
    for (name, attr) in attrs {
        let value = match attr {
            AttributeValue::Text(text) => text.into_pyobject(py)?.into_any(),
            AttributeValue::Dict(inner) => dict(py, inner)?.into_any(),
            AttributeValue::Scalar(kind, bytes) => {
                array(py, *kind, 1, bytes)?.call_method0("item")?
            }
            AttributeValue::Array(kind, count, bytes) => array(py, *kind, *count, bytes)?,
        };
        made.set_item(name, value)?;
    }
    Ok(made)
}

/// Numbers of one of XLA's types as a NumPy array.
fn array<'py>(
    py: Python<'py>,
    kind: c_int,
    count: usize,
    bytes: &[u8],
) -> PyResult<Bound<'py, PyAny>> {
    let descr = if COMPLEX.iter().any(|c| c.0 == kind) {
        py.import("numpy")?.getattr(if kind == COMPLEX[0].0 {
            "complex64"
        } else {
            "complex128"
        })?
    } else {
        let scalar = scalar_of(kind)
            .ok_or_else(|| error(Code::Value, format!("an attribute of XLA's type {kind}")))?;
        warp_jax::dtype_to(py, scalar)?.getattr("dtype")?
    };
    let options = PyDict::new(py);
    options.set_item("dtype", descr)?;
    options.set_item("count", count)?;
    let view = py.import("numpy")?.call_method(
        "frombuffer",
        (PyBytes::new(py, bytes),),
        Some(&options),
    )?;
    view.call_method0("copy")
}

/// Adds the function to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_jax_callback, m)?)
}
