//! `wp.context.Device` and the questions about devices.

use crate::object::error::{Code, error};
use crate::object::message::describe;
use crate::object::package::{PACKAGE, own};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt, PyString};
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use warp_core::backend::cuda::compiled_for;
use warp_core::command::capture;
use warp_core::device::cuda::{Attribute, Gpu, capture_of, gpu, reaches};
use warp_core::device::{Device as Core, all, current_stream, given_name, parse};
use warp_dlpack::raise;

/// A device that holds arrays and runs kernels.
///
/// There is one object per device; `wp.get_device("cpu")` gives it.
#[pyclass(frozen, module = "warp.context", name = "Device")]
pub struct Device(pub Core);

#[pymethods]
impl Device {
    /// The spelling that every `device=` argument accepts: the name that `wp.map_cuda_device` gave it, if that gave one.
    #[getter]
    fn alias(&self) -> Cow<'static, str> {
        match self.0 {
            Core::Cpu => self.0.alias(),
            gpu => given_name(gpu).map_or_else(|| gpu.alias(), Cow::from),
        }
    }
    /// What the device is called.
    #[getter]
    fn name(&self) -> Cow<'static, str> {
        match self.0 {
            Core::Cpu => "CPU".into(),
            Core::Cuda(_) => self
                .gpu()
                .map_or_else(|| self.0.alias(), |gpu| gpu.name.as_str().into()),
        }
    }
    /// Index among the devices of its kind.
    #[getter]
    fn ordinal(&self) -> i32 {
        match self.0 {
            Core::Cpu => -1,
            Core::Cuda(ordinal) => ordinal.get().into(),
        }
    }
    /// Whether this is the host.
    #[getter]
    fn is_cpu(&self) -> bool {
        self.0 == Core::Cpu
    }
    /// Whether this is an NVIDIA GPU.
    #[getter]
    fn is_cuda(&self) -> bool {
        self.0 != Core::Cpu
    }
    /// Whether kernels on the device reach the host's memory by the host's addresses (unified virtual addressing).
    #[getter]
    fn is_uva(&self) -> bool {
        self.attribute(Attribute::UNIFIED_ADDRESSING) != 0
    }
    /// The compute capability of a GPU, as 86 for 8.6; 0 on the CPU.
    #[getter]
    fn arch(&self) -> u32 {
        self.gpu().map_or(0, |gpu| gpu.arch)
    }
    /// How many multiprocessors a GPU has; 0 on the CPU.
    #[getter]
    fn sm_count(&self) -> u32 {
        self.attribute(Attribute::MULTIPROCESSOR_COUNT)
    }
    /// Bytes of shared memory that a block of threads can have; 0 on the CPU.
    #[getter]
    fn max_shared_memory_per_block(&self) -> u64 {
        self.attribute(Attribute::MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
            .into()
    }
    /// Bytes of memory that the device has; 0 where the system does not say.
    #[getter]
    fn total_memory(&self) -> u64 {
        match self.gpu() {
            Some(gpu) => gpu.total_memory as u64,
            None => memory_of("MemTotal:"),
        }
    }
    /// Bytes of memory that programs can still have; 0 where the system does not say.
    #[getter]
    fn free_memory(&self, py: Python<'_>) -> PyResult<u64> {
        match self.gpu() {
            Some(gpu) => Ok(gpu.free_memory().map_err(|e| raise(py, e))? as u64),
            None => Ok(memory_of("MemAvailable:")),
        }
    }
    /// Whether the device has a context of CUDA's.
    #[getter]
    fn has_context(&self) -> bool {
        self.context().is_some()
    }
    /// The device's context of CUDA's, if it has one.
    #[getter]
    fn context(&self) -> Option<usize> {
        self.gpu()?.context_handle()
    }
    /// Whether the device has a stream of CUDA's; on the CPU `stream` is an object that stands for the order of launches.
    #[getter]
    fn has_stream(&self) -> bool {
        self.gpu().is_some()
    }
    /// The device's current stream.
    #[getter]
    fn stream<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        PACKAGE.current_stream.call(slf.py(), (slf,))
    }
    /// CUDA's own default stream of the device; None on the CPU.
    #[getter]
    fn null_stream<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        PACKAGE.null_stream.call(slf.py(), (slf,))
    }
    /// Whether launches on the device are captured: by this thread, or by another library on its current stream.
    #[getter]
    fn is_capturing(&self, py: Python<'_>) -> PyResult<bool> {
        if capture::capturing() {
            return Ok(true);
        }
        let captured = || Ok(capture_of(current_stream(self.0)?)?.is_some());
        match self.has_context() {
            true => captured().map_err(|e| raise(py, e)),
            false => Ok(false),
        }
    }
    /// Whether the device has the primary context of a GPU.
    #[getter]
    fn is_primary(&self) -> bool {
        self.gpu().is_some()
    }
    /// Whether the device has a memory pool of CUDA's.
    #[getter]
    fn is_mempool_supported(&self) -> bool {
        self.gpu().is_some_and(|gpu| gpu.has_pools)
    }
    /// Whether the device allocates from a memory pool of CUDA's.
    #[getter]
    fn is_mempool_enabled(&self) -> bool {
        self.gpu().is_some_and(Gpu::uses_pools)
    }
    /// Whether other processes can be given the device's memory by CUDA.
    #[getter]
    fn is_ipc_supported(&self) -> bool {
        self.is_cuda()
    }
    /// A GPU's own number, which stays; None on the CPU.
    #[getter]
    fn uuid(&self) -> Option<String> {
        self.gpu().map(Gpu::uuid_text)
    }
    /// Where a GPU is on the PCI bus; None on the CPU.
    #[getter]
    fn pci_bus_id(&self) -> Option<&'static str> {
        self.gpu().map(|gpu| gpu.pci_bus_id.as_str())
    }
    /// Whether kernels on the device reach the memory of another.
    ///
    /// Raises:
    ///     ValueError, TypeError: There is no such device.
    fn can_access(&self, other: Option<&Bound<'_, PyAny>>) -> PyResult<bool> {
        Ok(reaches(self.0, resolve(other)?, 0))
    }
    /// The compute capability that kernels are compiled for, as 90 for 9.0: the GPU's, or an earlier one that the compiler knows; None
    /// on the CPU.
    fn get_cuda_compile_arch(&self) -> Option<u32> {
        self.gpu().and_then(|gpu| compiled_for(gpu.arch))
    }
    /// As `get_cuda_compile_arch`.
    fn get_cuda_output_arch(&self) -> Option<u32> {
        self.get_cuda_compile_arch()
    }
    fn __str__(&self) -> Cow<'static, str> {
        self.0.alias()
    }
    fn __repr__(&self) -> String {
        format!("<warp device \"{}\">", self.0)
    }
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        match other.cast::<PyString>() {
            Ok(text) => text.to_str().is_ok_and(|t| parse(t) == Ok(self.0)),
            Err(_) => other.cast::<Device>().is_ok_and(|d| d.get().0 == self.0),
        }
    }
    fn __hash__(&self) -> u64 {
        let mut h = DefaultHasher::new();
        self.0.hash(&mut h);
        h.finish()
    }
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Cow<'static, str>,))> {
        Ok((own(py, "get_device")?, (self.0.alias(),)))
    }
}

impl Device {
    fn gpu(&self) -> Option<&'static Gpu> {
        match self.0 {
            Core::Cpu => None,
            Core::Cuda(ordinal) => gpu(ordinal).ok(),
        }
    }

    /// What the driver says of a GPU; 0 on the CPU, and where it says nothing.
    fn attribute(&self, attribute: Attribute) -> u32 {
        let found = self.gpu().map(|gpu| gpu.attribute(attribute));
        found
            .and_then(Result::ok)
            .map_or(0, |value| value.max(0) as u32)
    }
}

/// The name, in `wp.MemoryKind`, of a device's memory.
pub const fn memory_kind(device: Core) -> &'static str {
    match device {
        Core::Cpu => "HOST",
        Core::Cuda(_) => "CUDA_DEVICE",
    }
}

/// A line of what Linux says of memory, in bytes; 0 where it says nothing.
fn memory_of(line: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let found = text.lines().find_map(|l| l.strip_prefix(line));
    let number = found.and_then(|rest| rest.split_whitespace().next());
    number.and_then(|n| n.parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// The device that another framework's name for one stands for: the shared part of `device_from_...`.
///
/// # Errors
/// There is no such device.
pub fn by_name<'py>(py: Python<'py>, name: &str, place: &str) -> PyResult<Bound<'py, Device>> {
    match parse(name) {
        Ok(device) => object(py, device),
        Err(e) => Err(error(Code::Runtime, format!("{place}: {e}"))),
    }
}

/// The object of a device: always the same one.
///
/// # Errors
/// Python has no memory.
pub fn object(py: Python<'_>, device: Core) -> PyResult<Bound<'_, Device>> {
    static OBJECTS: Mutex<BTreeMap<Core, Py<Device>>> = Mutex::new(BTreeMap::new());
    let objects = || OBJECTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(object) = objects().get(&device) {
        return Ok(object.bind(py).clone());
    }
    // Outside the lock: making an object may run Python's collector, and with it anything.
    let made = Py::new(py, Device(device))?;
    Ok(objects().entry(device).or_insert(made).bind(py).clone())
}

/// Whether a thread looked for GPUs and found none: then the CPU is the device of every thread. Each launch asks, and this is
/// cheaper to read than what a thread has.
static ONLY_CPU: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// None until the first request.
    static CURRENT: Cell<Option<Core>> = const { Cell::new(None) };
}

/// The current device of this thread: what `device=None` means. The first GPU, or the CPU if there is none, until the
/// program sets another.
#[inline]
pub fn current() -> Core {
    if ONLY_CPU.load(Ordering::Relaxed) {
        return Core::Cpu;
    }
    CURRENT.get().unwrap_or_else(preferred)
}

#[cold]
fn preferred() -> Core {
    let device = all().iter().copied().find(|d| *d != Core::Cpu);
    let device = device.unwrap_or(Core::Cpu);
    ONLY_CPU.store(device == Core::Cpu, Ordering::Relaxed);
    CURRENT.set(Some(device));
    device
}

/// Makes a device the current one of this thread.
#[pyfunction]
fn _set_current_device(device: &Device) {
    CURRENT.set(Some(device.0));
}

/// The device that a `device=` argument names; the current one for `None`.
///
/// # Errors
/// There is no such device, or the object names none.
#[inline(always)]
pub fn resolve(device: Option<&Bound<'_, PyAny>>) -> PyResult<Core> {
    match device {
        None => Ok(current()),
        // Python makes one object of all literals `"cpu"`.
        Some(d) if d.is(pyo3::intern!(d.py(), "cpu")) => Ok(Core::Cpu),
        Some(d) => named(d),
    }
}

fn named(device: &Bound<'_, PyAny>) -> PyResult<Core> {
    if device.is_none() {
        return Ok(current());
    }
    if let Ok(d) = device.cast::<Device>() {
        return Ok(d.get().0);
    }
    if let Ok(text) = device.cast::<PyString>() {
        // The GPU that this thread works on.
        if text.to_str()? == "cuda"
            && let found @ Core::Cuda(_) = current()
        {
            return Ok(found);
        }
        return parse(text.to_str()?).map_err(|e| raise(device.py(), e));
    }
    // A number could be that of a GPU, but names are what counts.
    let code = match device.is_instance_of::<PyInt>() || device.is_instance_of::<PyFloat>() {
        true => Code::Value,
        false => Code::Type,
    };
    Err(error(
        code,
        format!(
            "device is {}, expected a device such as \"cpu\", a wp.context.Device or None",
            describe(device)
        ),
    ))
}

/// The device with this name; the current device for None.
///
/// Args:
///     ident: A device, its alias, or None.
///
/// Raises:
///     ValueError: There is no such device; the message lists those there are.
///     RuntimeError: `ident` is "cuda", and there is no GPU.
#[pyfunction]
#[pyo3(signature = (ident=None))]
fn get_device<'py>(
    py: Python<'py>,
    ident: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, Device>> {
    object(py, resolve(ident)?)
}

/// All devices of this machine.
#[pyfunction]
fn get_devices(py: Python<'_>) -> PyResult<Vec<Bound<'_, Device>>> {
    all().iter().map(|d| object(py, *d)).collect()
}

/// Adds the class and the functions to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Device>()?;
    m.add_function(wrap_pyfunction!(get_device, m)?)?;
    m.add_function(wrap_pyfunction!(_set_current_device, m)?)?;
    m.add_function(wrap_pyfunction!(get_devices, m)?)
}
