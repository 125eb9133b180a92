//! `wp.array`.

mod methods;
#[cfg(any(feature = "numpy", feature = "torch", feature = "paddle"))]
pub mod place;

use crate::array_make as make;
use crate::array_part as part;
use crate::convert;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use smallvec::SmallVec;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use warp_core::array::{Array as Core, View};
use warp_dlpack::ffi::DLTensor;
use warp_dlpack::{ShapeStrides, raise};

/// An array in 1 to 4 dimensions of scalars, vectors, matrices or quaternions.
///
/// `wp.array(data, dtype=...)` makes one from a list, a NumPy array, a tensor or another array;
/// `wp.array(dtype=..., ndim=...)` and `wp.array[...]` without data annotate kernel parameters.
///
/// Args:
///     data: Nested lists, a NumPy array, a Warp array, a PyTorch tensor, or any object with
///         `__dlpack__`, `__array_interface__`, `__array__` or the buffer protocol.
///     dtype: What each element is. Defaults to that of `data`.
///     shape: Dimensions; `data` is reshaped to it.
///     strides: Bytes per dimension, for `ptr`.
///     ptr: Address of memory that the caller keeps alive; needs `dtype` and `shape`.
///     capacity: Bytes behind `ptr`, checked against what the array spans.
///     device: Where the array is. Defaults to the current device.
///     pinned: Accepted for compatibility; only matters for GPUs.
///     copy: Whether to copy `data`. With False the array shares its memory, or this fails.
///     deleter: Called with `(ptr, capacity)` once nothing uses the memory at `ptr` any more.
///     ndim: Number of dimensions, for annotations or to check `data`.
///     grad: The array that holds the gradient.
///     requires_grad: Whether the array has a gradient.
///
/// Raises:
///     TypeError, ValueError: The arguments do not describe an array; the message says which and why.
#[pyclass(frozen, module = "warp", name = "array", weakref, freelist = 64)]
pub struct Array {
    /// The memory and what keeps it alive.
    pub core: Core,
    /// Made without data, to annotate kernel parameters.
    annotation: bool,
    /// What most arrays do not have; made when it is first needed.
    extra: OnceLock<Box<Extra>>,
}

#[derive(Default)]
struct Extra {
    gradient: Mutex<Gradient>,
    numbers: OnceLock<Box<ShapeStrides>>,
}

/// An array's gradient, and the tensors of other frameworks that share it.
#[derive(Default)]
pub struct Gradient {
    /// The gradient; there is one exactly if the array requires it.
    pub array: Option<Slope>,
    /// Tensors whose own gradient is this one: objects or weak references.
    pub tensors: SmallVec<[Tensor; 1]>,
}

/// A gradient: an object once somebody has asked for it.
pub enum Slope {
    /// Its memory.
    Core(Core),
    /// The array.
    Array(Py<Array>),
}

/// A tensor that shares an array's memory and gradient.
pub struct Tensor {
    /// The tensor, or a weak reference to it.
    pub object: Py<PyAny>,
    /// Whether `object` is a weak reference.
    pub weak: bool,
}

#[cfg(any(feature = "torch", feature = "paddle"))]
impl Tensor {
    /// The tensor, unless it has gone.
    pub fn alive<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        let object = self.object.bind(py);
        if !self.weak {
            return Some(object.clone());
        }
        let target = object.call0().ok()?;
        (!target.is_none()).then_some(target)
    }
}

fn lock(gradient: &Mutex<Gradient>) -> MutexGuard<'_, Gradient> {
    gradient.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Array {
    /// An array without gradient.
    #[inline(always)]
    pub fn new(core: Core) -> Array {
        Array {
            core,
            annotation: false,
            extra: OnceLock::new(),
        }
    }
    /// An array that stands for a type.
    pub fn annotation(core: Core) -> Array {
        Array {
            annotation: true,
            ..Array::new(core)
        }
    }
    /// Whether it stands for a type.
    pub fn is_annotation(&self) -> bool {
        self.annotation
    }
    /// An array whose gradient is `gradient`, which is also that of `tensor` where one is given.
    pub fn linked(core: Core, gradient: Core, tensor: Option<Py<PyAny>>) -> Array {
        let mut tensors = SmallVec::new();
        if let Some(object) = tensor {
            tensors.push(Tensor {
                object,
                weak: false,
            });
        }
        let gradient = Gradient {
            array: Some(Slope::Core(gradient)),
            tensors,
        };
        let extra = Extra {
            gradient: Mutex::new(gradient),
            numbers: OnceLock::new(),
        };
        Array {
            core,
            annotation: false,
            extra: OnceLock::from(Box::new(extra)),
        }
    }
    /// An array with this gradient.
    pub fn with_gradient(core: Core, gradient: Option<Py<Array>>) -> Array {
        let array = Array::new(core);
        if gradient.is_some() {
            array.state().array = gradient.map(Slope::Array);
        }
        array
    }
    /// What a launch reads.
    #[inline]
    pub fn view(&self) -> &View {
        &self.core.view
    }
    /// The gradient and who shares it.
    pub fn state(&self) -> MutexGuard<'_, Gradient> {
        lock(&self.extra.get_or_init(Box::default).gradient)
    }
    /// Whether other frameworks' tensors share the gradient.
    #[inline]
    pub fn is_linked(&self) -> bool {
        let extra = self.extra.get();
        extra.is_some_and(|e| !lock(&e.gradient).tensors.is_empty())
    }
    /// A DLPack tensor on the array's memory, and its shape and strides, which live with the array.
    pub fn lent(&self) -> warp_core::error::Result<(DLTensor, &ShapeStrides)> {
        let mut numbers = ShapeStrides::default();
        let tensor = warp_dlpack::lend(self.view(), &mut numbers)?;
        let extra = self.extra.get_or_init(Box::default);
        Ok((tensor, extra.numbers.get_or_init(|| Box::new(numbers))))
    }
    /// The gradient, if the array has one.
    #[inline]
    pub fn gradient<'py>(&self, py: Python<'py>) -> Option<Bound<'py, Array>> {
        let gradient = &self.extra.get()?.gradient;
        let core = match lock(gradient).array.as_ref()? {
            Slope::Array(array) => return Some(array.bind(py).clone()),
            Slope::Core(core) => core.clone(),
        };
        // Outside the lock: making an object may run Python's collector, and with it anything.
        let made = Bound::new(py, Array::new(core)).expect("memory for an object");
        match lock(gradient).array.as_mut()? {
            // Another thread was first.
            Slope::Array(array) => Some(array.bind(py).clone()),
            slope => {
                *slope = Slope::Array(made.clone().unbind());
                Some(made)
            }
        }
    }
    /// Replaces the gradient.
    pub fn set_gradient(&self, gradient: Option<Py<Array>>) {
        if gradient.is_none() && self.extra.get().is_none() {
            return;
        }
        let old = std::mem::replace(&mut self.state().array, gradient.map(Slope::Array));
        // Outside the lock: the old one may run deleters.
        drop(old);
    }
    /// Refuses to write to what must not be written.
    pub fn check_writable(&self, what: &str) -> PyResult<()> {
        if self.view().read_only {
            return Err(PyValueError::new_err(format!(
                "{what}: the array is read-only, as the memory that it shares; write to a.clone()"
            )));
        }
        Ok(())
    }
    /// The dimensions as a Python tuple.
    fn shape_tuple<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.view().layout().shape())
    }
}

/// Copies the elements of one array to another of the same shape and dtype.
///
/// Args:
///     dest: Written to.
///     src: Read: a Warp array, or anything that `wp.array` accepts.
///     dest_offset: First element of `dest` to write, for contiguous arrays.
///     src_offset: First element of `src` to read, for contiguous arrays.
///     count: How many elements; 0 means all.
#[pyfunction]
#[pyo3(signature = (dest, src, dest_offset=0, src_offset=0, count=0, stream=None))]
fn copy(
    dest: &Bound<'_, Array>,
    src: &Bound<'_, PyAny>,
    dest_offset: usize,
    src_offset: usize,
    count: usize,
    stream: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let _ = stream;
    part::copy(dest, src, dest_offset, src_offset, count)
}

/// Adds the class and the functions to the module.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Array>()?;
    crate::array_call::register(m)?;
    m.add_function(wrap_pyfunction!(copy, m)?)?;
    m.add_function(wrap_pyfunction!(make::annotation_of, m)?)?;
    m.add_function(wrap_pyfunction!(crate::array_pickle::restore, m)?)
}

/// A type error that names what was found.
pub fn type_error(expected: &str, found: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!(
        "expected {expected}, found {}",
        convert::found(found)
    ))
}

/// Raises one of our errors, naming the call.
pub fn refuse(py: Python<'_>, place: &str) -> impl Fn(warp_core::error::Error) -> PyErr {
    move |e| raise(py, e.within(place))
}
