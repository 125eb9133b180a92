//! Python functions as XLA calls: what `register_ffi_callback` registers.

use crate::dtype;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};
use std::collections::HashMap;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use warp_core::ty::Elem;
use warp_jax::ffi::callback::{self, Attr, COMPLEX, Invocation};

/// An array that a callback is given. Kernels take it as it is, and so does whatever reads `__array_interface__`.
#[pyclass(frozen, module = "warp.jax_experimental", name = "FfiBuffer")]
struct FfiBuffer {
    buffer: callback::Buffer,
    read_only: bool,
    alive: Arc<AtomicBool>,
}

#[pymethods]
impl FfiBuffer {
    /// Elements per dimension, as jax counts them.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.buffer.shape)
    }
    /// The Warp type of the elements.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dtype::class_of(py, Elem::Scalar(self.buffer.scalar))
    }
    /// Number of dimensions.
    #[getter]
    fn ndim(&self) -> usize {
        self.buffer.shape.len()
    }
    /// The memory, during the call.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        if !self.alive.load(Ordering::Acquire) {
            return Err(PyRuntimeError::new_err(
                "the buffer of an FFI callback can only be used during the call; copy what you need",
            ));
        }
        let typestr = match self.buffer.scalar.row().typestr {
            // NumPy has no bfloat16; these are its bytes.
            "" => "<V2",
            known => known,
        };
        let dict = PyDict::new(py);
        dict.set_item("data", (self.buffer.data, self.read_only))?;
        dict.set_item("shape", self.shape(py)?)?;
        dict.set_item("typestr", typestr)?;
        dict.set_item("version", 3)?;
        Ok(dict)
    }
    fn __repr__(&self) -> String {
        format!(
            "<FfiBuffer of {} with shape {:?}>",
            self.buffer.scalar, self.buffer.shape
        )
    }
}

/// What a callback is told besides its arrays.
#[pyclass(frozen, module = "warp.jax_experimental", name = "FfiContext")]
struct FfiContext;

#[pymethods]
impl FfiContext {
    /// The CUDA stream; 0 on the CPU, where everything happens in order.
    #[getter]
    fn stream(&self) -> usize {
        0
    }
}

/// Slots by name.
static NAMES: Mutex<Option<HashMap<String, usize>>> = Mutex::new(None);

/// Registers a function under a name; the capsule for XLA, or None if the name has one already.
#[pyfunction]
fn _jax_callback<'py>(
    py: Python<'py>,
    name: String,
    function: Py<PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let names = names.get_or_insert_default();
    let free = names.len();
    let known = names.get(&name).copied();
    let slot = known.unwrap_or(free);
    if slot >= callback::SLOTS {
        return Err(PyRuntimeError::new_err(format!(
            "register_ffi_callback: there are {} callbacks already, and no more can be registered; \
             register another function under one of their names",
            callback::SLOTS
        )));
    }
    let title = name.clone();
    callback::set(
        slot,
        Arc::new(move |invocation| run(&title, &function, invocation)),
    );
    names.insert(name, slot);
    if known.is_some() {
        return Ok(None);
    }
    // SAFETY: a capsule without a name, as XLA expects it, around the address of a function.
    let capsule = unsafe { ffi::PyCapsule_New(callback::address(slot), std::ptr::null(), None) };
    // SAFETY: a new reference, or null with an exception set.
    unsafe { Bound::from_owned_ptr_or_err(py, capsule) }.map(Some)
}

/// Calls the function; what it raises becomes the text of an error.
fn run(name: &str, function: &Py<PyAny>, invocation: Invocation) -> Result<(), String> {
    Python::attach(|py| {
        let alive = Arc::new(AtomicBool::new(true));
        let outcome = call(py, function, invocation, &alive);
        alive.store(false, Ordering::Release);
        outcome.map_err(|error| format!("FFI callback '{name}': {}", traceback(py, &error)))
    })
}

fn call(
    py: Python<'_>,
    function: &Py<PyAny>,
    invocation: Invocation,
    alive: &Arc<AtomicBool>,
) -> PyResult<()> {
    let wrap = |buffers: Vec<callback::Buffer>, read_only| {
        let made = buffers.into_iter().map(|buffer| {
            let alive = alive.clone();
            Py::new(
                py,
                FfiBuffer {
                    buffer,
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
    let context = Py::new(py, FfiContext)?;
    function.call1(py, (inputs, outputs, attrs, context))?;
    Ok(())
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

fn dict<'py>(py: Python<'py>, attrs: &[(String, Attr)]) -> PyResult<Bound<'py, PyDict>> {
    let made = PyDict::new(py);
    for (name, attr) in attrs {
        let value = match attr {
            Attr::Text(text) => text.into_pyobject(py)?.into_any(),
            Attr::Dict(inner) => dict(py, inner)?.into_any(),
            Attr::Scalar(kind, bytes) => array(py, *kind, 1, bytes)?.call_method0("item")?,
            Attr::Array(kind, count, bytes) => array(py, *kind, *count, bytes)?,
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
        let scalar = callback::scalar(kind)
            .ok_or_else(|| PyValueError::new_err(format!("an attribute of XLA's type {kind}")))?;
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
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<FfiBuffer>()?;
    m.add_function(wrap_pyfunction!(_jax_callback, m)?)
}
