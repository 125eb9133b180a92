//! Streams and events of GPUs: what `wp.Stream` and `wp.Event` hold. They end with their objects.

use super::cuda_memory::handle;
use super::device::Device;
use super::signal::Signal;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use warp_core::backend;
use warp_core::command::capture;
use warp_core::device::cuda::{self, EventUse, ipc};
use warp_core::device::{self, Device as Core, Stream};
use warp_core::error::Result;
use warp_dlpack::raise;

fn raised<T>(py: Python<'_>, result: Result<T>) -> PyResult<T> {
    result.map_err(|e| raise(py, e))
}

/// Waits without Python's lock; what a signal's handler raises ends it.
fn waited(
    py: Python<'_>,
    wait: impl FnOnce(&dyn Fn() -> bool) -> Result<()> + Send,
) -> PyResult<()> {
    let signal = Signal::default();
    let interrupted = || Python::attach(|py| signal.came(py));
    let outcome = py.detach(|| wait(&interrupted));
    signal.check()?;
    raised(py, outcome)
}

/// The owner of a handle of the driver's, which destroys it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// We do, with the object.
    Here,
    /// Others do; it was announced, and is taken back with the object.
    Elsewhere,
    /// With the process.
    Never,
}

/// A stream of a GPU.
#[pyclass(frozen, module = "warp._warp")]
pub struct CudaStream {
    stream: Stream,
    ends: Ends,
}

#[pymethods]
impl CudaStream {
    /// A new stream, or with `handle` one that others made.
    #[new]
    fn new(
        py: Python<'_>,
        device: &Device,
        priority: i32,
        handle: Option<usize>,
    ) -> PyResult<CudaStream> {
        let device = device.0;
        match handle {
            None => Ok(CudaStream {
                stream: raised(py, cuda::create_stream(device, priority))?,
                ends: Ends::Here,
            }),
            Some(handle) => {
                let stream = Stream { device, handle };
                raised(py, cuda::adopt_stream(stream))?;
                Ok(CudaStream {
                    stream,
                    ends: Ends::Elsewhere,
                })
            }
        }
    }

    /// The stream that this thread's work for a device goes to.
    #[staticmethod]
    fn current(py: Python<'_>, device: &Device) -> PyResult<CudaStream> {
        Ok(CudaStream {
            stream: raised(py, device::current_stream(device.0))?,
            ends: Ends::Never,
        })
    }

    /// CUDA's own default stream of a device.
    #[staticmethod]
    fn null(device: &Device) -> CudaStream {
        CudaStream {
            stream: Stream::default_of(device.0),
            ends: Ends::Never,
        }
    }

    /// Makes it the stream that this thread's work for its device goes to.
    fn set_current(&self) {
        device::set_current_stream(self.stream);
    }

    /// The driver's handle.
    #[getter]
    fn handle(&self) -> usize {
        self.stream.handle
    }

    /// Whether it has done what it was given.
    #[getter]
    fn is_complete(&self, py: Python<'_>) -> PyResult<bool> {
        raised(py, cuda::stream_is_done(self.stream))
    }

    /// Whether it waits for CUDA's default stream, and lets it wait.
    #[getter]
    fn is_blocking(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(raised(py, cuda::stream_facts(self.stream))?.is_blocking)
    }

    /// Its priority, as the driver has it.
    #[getter]
    fn priority(&self, py: Python<'_>) -> PyResult<i32> {
        Ok(raised(py, cuda::stream_facts(self.stream))?.priority)
    }

    /// Whether its launches are captured instead of run.
    #[getter]
    fn is_capturing(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(capture::capturing() || raised(py, cuda::stream_is_capturing(self.stream))?)
    }

    /// Whether another library captures its launches.
    #[getter]
    fn is_captured_by_others(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(raised(py, cuda::capture_of(self.stream))?.is_some())
    }

    /// Lets an event stand for all work so far.
    fn record(&self, py: Python<'_>, event: &CudaEvent) -> PyResult<()> {
        raised(py, cuda::record_event(self.stream, event.handle))
    }

    /// Lets further work wait for an event.
    fn wait(&self, py: Python<'_>, event: &CudaEvent) -> PyResult<()> {
        raised(py, cuda::wait_event(self.stream, event.handle))
    }

    /// Waits until it has done what it was given.
    fn synchronize(&self, py: Python<'_>) -> PyResult<()> {
        let stream = self.stream;
        waited(py, |interrupted| {
            backend::of(stream.device)?.synchronize(stream, interrupted)
        })
    }
}

impl Drop for CudaStream {
    fn drop(&mut self) {
        match self.ends {
            // SAFETY: made here, and the object is gone.
            Ends::Here => unsafe { cuda::destroy_stream(self.stream) },
            Ends::Elsewhere => cuda::forget_stream(self.stream),
            Ends::Never => {}
        }
    }
}

/// An event of a GPU.
#[pyclass(frozen, module = "warp._warp")]
pub struct CudaEvent {
    device: Core,
    handle: usize,
    ends: Ends,
}

#[pymethods]
impl CudaEvent {
    /// A new event, or with `handle` one that others made.
    #[new]
    fn new(
        py: Python<'_>,
        device: &Device,
        timing: bool,
        interprocess: bool,
        handle: Option<usize>,
    ) -> PyResult<CudaEvent> {
        let wanted = EventUse {
            timing,
            interprocess,
        };
        let (handle, ends) = match handle {
            Some(handle) => (handle, Ends::Never),
            None => (
                raised(py, cuda::create_event(device.0, wanted))?,
                Ends::Here,
            ),
        };
        Ok(CudaEvent {
            device: device.0,
            handle,
            ends,
        })
    }

    /// The driver's handle.
    #[getter]
    fn handle(&self) -> usize {
        self.handle
    }

    /// An event of another process.
    #[staticmethod]
    fn opened(py: Python<'_>, device: &Device, bytes: &[u8]) -> PyResult<CudaEvent> {
        let opened = raised(py, cuda::gpu_of(device.0)).and_then(|gpu| {
            raised(
                py,
                ipc::open_event(gpu, handle("event_from_ipc_handle", bytes)?),
            )
        })?;
        Ok(CudaEvent {
            device: device.0,
            handle: opened,
            ends: Ends::Here,
        })
    }

    /// A handle for other processes.
    fn ipc_handle<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let handle =
            cuda::gpu_of(self.device).and_then(|gpu| ipc::handle_of_event(gpu, self.handle));
        Ok(PyBytes::new(py, &raised(py, handle)?))
    }

    /// Whether the work before it is done.
    #[getter]
    fn is_complete(&self, py: Python<'_>) -> PyResult<bool> {
        raised(py, cuda::event_is_done(self.device, self.handle))
    }

    /// Waits until the work before it is done.
    fn synchronize(&self, py: Python<'_>) -> PyResult<()> {
        let (device, handle) = (self.device, self.handle);
        raised(
            py,
            py.detach(|| backend::cuda::synchronize_event(device, handle)),
        )
    }

    /// The milliseconds since another event.
    fn since(&self, py: Python<'_>, start: &CudaEvent) -> PyResult<f32> {
        raised(
            py,
            cuda::elapsed_time(self.device, start.handle, self.handle),
        )
    }
}

impl Drop for CudaEvent {
    fn drop(&mut self) {
        if self.ends == Ends::Here {
            // SAFETY: made here, and the object is gone.
            unsafe { cuda::destroy_event(self.device, self.handle) };
        }
    }
}

/// Waits until a device has done what it was given.
#[pyfunction]
fn _synchronize_device(py: Python<'_>, device: &Device) -> PyResult<()> {
    let device = device.0;
    waited(py, |interrupted| {
        backend::of(device)?.synchronize_device(device, interrupted)
    })
}

/// Adds the classes and the function to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<CudaStream>()?;
    m.add_class::<CudaEvent>()?;
    m.add_function(wrap_pyfunction!(_synchronize_device, m)?)
}
