//! Python functions as XLA calls: what `register_ffi_callback` registers.

use crate::dtype;
use crate::object::Array;
use crate::object::access::check_access;
use crate::object::error::{Code, error};
use crate::object::shape::dims;
use crate::runtime::device::{self, Device as PyDevice};
use pyo3::exceptions::PyAttributeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};
use std::collections::{BTreeMap, HashMap};
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use warp_core::array::{Array as Core, Owner, View, copy as elements};
use warp_core::backend::{self, Located};
use warp_core::device::{Device, Stream, cuda, current_stream};
use warp_core::interop::{Desc, MAX_FOREIGN_NDIM};
use warp_core::ty::Elem;
use warp_dlpack::raise;
use warp_jax::ffi::callback::{self, AttributeValue, CallbackSlot, Invocation};
use warp_jax::ffi::dtype::{COMPLEX, scalar_of};

/// An array that a callback is given. Kernels take it as it is, and so does whatever reads `__array_interface__`, or on a GPU
/// `__cuda_array_interface__`.
#[pyclass(frozen, module = "warp.jax_experimental", name = "FfiBuffer")]
struct FfiBuffer {
    buffer: callback::ArrayBuffer,
    stream: Stream,
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
    /// Where the memory starts.
    #[getter]
    fn _address(&self) -> usize {
        self.buffer.data
    }
    /// Number of dimensions.
    #[getter]
    fn ndim(&self) -> usize {
        self.buffer.shape.len()
    }
    /// The device whose memory it is.
    #[getter]
    fn device<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDevice>> {
        device::object(py, self.stream.device)
    }
    /// The memory, during the call; not on a GPU.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        match self.stream.device {
            Device::Cpu => self.interface(py),
            _ => Err(self.lacks("__array_interface__")),
        }
    }
    /// The memory on a GPU, during the call. It is used in the order of the call's stream.
    #[getter]
    fn __cuda_array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        if self.stream.device == Device::Cpu {
            return Err(self.lacks("__cuda_array_interface__"));
        }
        let dict = self.interface(py)?;
        // The protocol's name for CUDA's default stream is 1.
        dict.set_item("stream", self.stream.handle.max(1))?;
        Ok(dict)
    }
    /// The content as a new array of `dtype`, which the last dimensions of the buffer are the components of.
    fn _array(&self, py: Python<'_>, dtype: &Bound<'_, PyAny>, read_only: bool) -> PyResult<Array> {
        let from = self.view(Some(dtype::require_elem(dtype)?), py)?;
        // SAFETY: XLA's memory is alive during the call, and nobody else writes it.
        let mut core = unsafe { Core::copy_of(&from, from.device) }.map_err(|e| raise(py, e))?;
        core.view.read_only = read_only;
        Ok(Array::new(core))
    }
    /// The buffer itself as an array of `dtype`. Use after the call is not detected.
    fn _view(&self, py: Python<'_>, dtype: &Bound<'_, PyAny>, read_only: bool) -> PyResult<Array> {
        let mut view = self.view(Some(dtype::require_elem(dtype)?), py)?;
        view.read_only = read_only;
        Ok(Array::new(Core {
            view,
            owner: Owner::Nobody,
        }))
    }
    /// A new array of zeros with the shape of the buffer.
    fn _zeros(&self, py: Python<'_>, dtype: &Bound<'_, PyAny>) -> PyResult<Array> {
        let like = self.view(Some(dtype::require_elem(dtype)?), py)?;
        let shape = dims(&like);
        let core = Core::zeros(like.elem, &shape, like.device).map_err(|e| raise(py, e))?;
        Ok(Array::new(core))
    }
    /// The content as bytes, which are waited for.
    fn _bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        // SAFETY: XLA's memory is alive during the call.
        let bytes = unsafe { elements::read(&self.view(None, py)?) }.map_err(|e| raise(py, e))?;
        Ok(PyBytes::new(py, &bytes))
    }
    /// The content as one value of `dtype`.
    fn _value<'py>(
        &self,
        py: Python<'py>,
        dtype: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let elem = dtype::require_elem(dtype)?;
        let count = self.buffer.shape.iter().product::<i64>();
        if elem.scalar() != self.buffer.scalar || elem.count() as i64 != count {
            return Err(error(
                Code::Value,
                format!("{} is no {elem}", self.__repr__()),
            ));
        }
        let bytes = self._bytes(py)?;
        // SAFETY: these are as many components as the type has.
        unsafe { dtype::read(py, elem, bytes.as_bytes().as_ptr(), None) }
    }
    /// Copies an array with the shape and dtype of the buffer to it.
    fn _fill(&self, py: Python<'_>, from: &Array) -> PyResult<()> {
        let to = self.view(Some(from.view().elem), py)?;
        if self.read_only || to.layout().shape() != from.view().layout().shape() {
            return Err(error(
                Code::Value,
                format!(
                    "{} cannot hold what it is to be filled with",
                    self.__repr__()
                ),
            ));
        }
        check_access(&from.core, "an FFI callback's result")?;
        // SAFETY: both are alive, and have one shape and element.
        unsafe { elements::copy(&to, from.view()) }.map_err(|e| raise(py, e))
    }
    fn __repr__(&self) -> String {
        format!(
            "<FfiBuffer of {} with shape {:?}>",
            self.buffer.scalar, self.buffer.shape
        )
    }
}

impl FfiBuffer {
    #[cold]
    fn lacks(&self, name: &str) -> PyErr {
        let device = self.stream.device;
        PyAttributeError::new_err(format!(
            "the buffer of an FFI callback on the device \"{device}\" has no {name}"
        ))
    }

    fn interface<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.check()?;
        let typestr = match self.buffer.scalar.row().typestr {
            // A type that NumPy lacks, as bfloat16: its bytes.
            "" => format!("<V{}", self.buffer.scalar.size()),
            known => known.into(),
        };
        let dict = PyDict::new(py);
        dict.set_item("data", (self.buffer.data, self.read_only))?;
        dict.set_item("shape", self.shape(py)?)?;
        dict.set_item("typestr", typestr)?;
        dict.set_item("version", 3)?;
        Ok(dict)
    }

    fn check(&self) -> PyResult<()> {
        if self.alive.load(Ordering::Acquire) {
            return Ok(());
        }
        Err(error(
            Code::Runtime,
            "the buffer of an FFI callback can only be used during the call; copy what you need",
        ))
    }

    /// The memory as elements of this type.
    fn view(&self, elem: Option<Elem>, py: Python<'_>) -> PyResult<View> {
        self.check()?;
        let shape = &self.buffer.shape;
        let size = self.buffer.scalar.size();
        let mut desc = Desc {
            data: self.buffer.data as *mut u8,
            scalar: self.buffer.scalar,
            ndim: shape.len(),
            read_only: self.read_only,
            device: self.stream.device,
            ..Desc::EMPTY
        };
        if shape.len() > MAX_FOREIGN_NDIM {
            return Err(error(
                Code::Value,
                format!("{} has too many dimensions", self.__repr__()),
            ));
        }
        let mut stride = size as i64;
        for d in (0..shape.len()).rev() {
            (desc.shape[d], desc.strides[d]) = (shape[d], stride);
            stride *= shape[d].max(1);
        }
        desc.view(elem).map_err(|e| raise(py, e))
    }
}

/// What a callback is told besides its arrays.
#[pyclass(frozen, module = "warp.jax_experimental", name = "FfiContext")]
struct FfiContext(Stream);

#[pymethods]
impl FfiContext {
    /// The CUDA stream; 0 on the CPU, where everything happens in order.
    #[getter]
    fn stream(&self) -> usize {
        self.0.handle
    }
    /// The device that the call runs on.
    #[getter]
    fn device<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDevice>> {
        device::object(py, self.0.device)
    }
}

/// Lets further work of a device wait for what a stream of another library has now, so that memory of ours which that uses
/// is not given back before. Does nothing while the stream is captured.
#[pyfunction]
fn _jax_follow(py: Python<'_>, device: &PyDevice, stream: usize) -> PyResult<()> {
    let stream = Stream {
        device: device.0,
        handle: stream,
    };
    follow(stream).map_err(|e| raise(py, e))
}

fn follow(stream: Stream) -> warp_core::error::Result<()> {
    match cuda::capture_of(stream)? {
        Some(_) => Ok(()),
        None => cuda::join(cuda::gpu_of(stream.device)?.stream()?, stream),
    }
}

/// The capsules of a name's handlers for the CPU and for GPUs.
type Capsules<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

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
    claim(py, name, Arc::new(call))
}

/// Puts a callback under a name; the capsules for XLA, or None if the name has one already.
fn claim(
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

/// Arrays that programs read whenever they run, by number.
static CAPTURED: RwLock<BTreeMap<i64, Core>> = RwLock::new(BTreeMap::new());

/// Registers the function that gives programs the content of arrays; the capsules for XLA.
#[pyfunction]
fn _jax_captured<'py>(py: Python<'py>, name: String) -> PyResult<Option<Capsules<'py>>> {
    claim(py, name, Arc::new(read_captured))
}

/// Keeps an array for programs that name it by a number, until it is let go: `array` is None then.
#[pyfunction]
#[pyo3(signature = (number, array))]
fn _jax_capture(number: i64, array: Option<&Array>) {
    let mut captured = CAPTURED.write().unwrap_or_else(PoisonError::into_inner);
    let old = match array {
        Some(array) => captured.insert(number, array.core.clone()),
        None => captured.remove(&number),
    };
    drop(captured);
    // Outside the lock: deleters may run anything.
    drop(old);
}

/// Copies the content of an array to where XLA wants it. Runs without Python.
fn read_captured(invocation: Invocation) -> Result<(), String> {
    let number = match invocation.attrs.first() {
        Some((_, AttributeValue::Scalar(_, bytes))) => {
            i64::from_le_bytes(bytes[..8].try_into().expect("8 bytes"))
        }
        _ => return Err("warp: a call without a number".into()),
    };
    let captured = CAPTURED.read().unwrap_or_else(PoisonError::into_inner);
    let Some(core) = captured.get(&number) else {
        return Err(
            "warp: the program reads an array that is not one of this process, or is no more"
                .into(),
        );
    };
    let view = &core.view;
    let [to] = &invocation.outputs[..] else {
        return Err("warp: a call with other than one result".into());
    };
    let len = view.layout().len() * view.elem.size();
    let wanted = to.shape.iter().product::<i64>() as usize * to.scalar.size();
    if len != wanted || !view.is_contiguous() {
        return Err(format!("warp: an array of {len} bytes is read as {wanted}"));
    }
    if !core.owner.is_current() {
        let error = core.owner.moved();
        return Err(format!("warp: an array that the program reads: {error}"));
    }
    // SAFETY: both have this many bytes without gaps, which the owner and XLA keep until the copy is done: the owner is let go
    // only after what its device has in hand.
    let copied = unsafe { send(to.data as *mut u8, &view.located(), invocation.stream) };
    copied.map_err(|e| format!("warp: an array that the program reads: {e}"))
}

/// Copies elements without gaps to memory of XLA's, in order with what is done with them before and afterwards.
///
/// # Safety
/// As for `Backend::copy`.
unsafe fn send(data: *mut u8, from: &Located, stream: Stream) -> warp_core::error::Result<()> {
    let mut to = *from;
    (to.device, to.elements.array.data) = (stream.device, data);
    let (device, stream) = match (stream.device, from.device) {
        (Device::Cpu, Device::Cpu) => (Device::Cpu, stream),
        // The copy waits: memory of the host that is not pinned cannot be written later.
        (Device::Cpu, theirs) => (theirs, current_stream(theirs)?),
        (ours, _) => (ours, stream),
    };
    if from.device != Device::Cpu {
        cuda::join_all(stream, from.device)?;
    }
    // SAFETY: promised by the caller.
    unsafe { backend::of(device)?.copy(&to, from, stream) }?;
    match from.device {
        Device::Cpu => Ok(()),
        // What overwrites the array later comes after the copy.
        _ if stream.device == from.device => follow(stream),
        theirs => cuda::join(cuda::gpu_of(theirs)?.stream()?, stream),
    }
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
    m.add_class::<FfiBuffer>()?;
    m.add_function(wrap_pyfunction!(_jax_captured, m)?)?;
    m.add_function(wrap_pyfunction!(_jax_capture, m)?)?;
    m.add_function(wrap_pyfunction!(_jax_follow, m)?)?;
    m.add_function(wrap_pyfunction!(_jax_callback, m)?)
}
