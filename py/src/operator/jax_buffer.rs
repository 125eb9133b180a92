//! What a callback of jax is given: arrays in XLA's memory, and where the call runs.

use crate::dtype;
use crate::object::Array;
use crate::object::access::check_access;
use crate::object::error::{Code, error};
use crate::object::shape::dims;
use crate::runtime::device::{self, Device as PyDevice};
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use warp_core::array::{Array as Core, Owner, View, copy as elements};
use warp_core::device::{Device, Stream};
use warp_core::interop::{Desc, MAX_FOREIGN_NDIM};
use warp_core::ty::Elem;
use warp_dlpack::raise;
use warp_jax::ffi::callback;

/// An array that a callback is given. Kernels take it as it is, and so does whatever reads `__array_interface__`, or on a GPU
/// `__cuda_array_interface__`.
#[pyclass(frozen, module = "warp.jax_experimental", name = "FfiBuffer")]
pub struct FfiBuffer {
    /// Where it is.
    pub buffer: callback::ArrayBuffer,
    /// Where the call runs.
    pub stream: Stream,
    /// An input.
    pub read_only: bool,
    /// Whether the call goes on.
    pub alive: Arc<AtomicBool>,
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
pub struct FfiContext(pub Stream);

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

/// Adds the class to the module. Contexts are found where callbacks are given one.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<FfiBuffer>()
}
