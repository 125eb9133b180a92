//! What `from_torch(..., return_ctype=True)` gives: only what a launch needs, without the rest of an array.

use crate::array::Array;
use crate::dtype;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use warp_core::array::{Array as Core, View};

/// An array for launches only; cheaper to make than a `wp.array`.
#[pyclass(frozen, module = "warp", name = "ArrayDescriptor")]
pub struct Descriptor {
    /// The memory and what keeps it alive.
    pub core: Core,
    gradient: Option<Py<Descriptor>>,
}

impl Descriptor {
    /// Puts the parts together.
    #[inline]
    pub fn new(core: Core, gradient: Option<Py<Descriptor>>) -> Descriptor {
        Descriptor { core, gradient }
    }
    /// What a launch reads.
    #[inline]
    pub fn view(&self) -> &View {
        &self.core.view
    }
    /// The gradient's descriptor.
    pub fn gradient<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.gradient
            .as_ref()
            .map(|g| g.bind(py).clone().into_any())
    }
    /// A whole array on the same memory.
    pub fn array(&self, py: Python<'_>) -> PyResult<Array> {
        let gradient = match &self.gradient {
            Some(g) => Some(Py::new(py, Array::new(g.get().core.clone()))?),
            None => None,
        };
        Ok(Array::with_gradient(self.core.clone(), gradient))
    }
}

#[pymethods]
impl Descriptor {
    /// Address of the first element.
    #[getter]
    fn data(&self) -> usize {
        self.view().arg.data as usize
    }
    /// Address of the gradient's first element, 0 without a gradient.
    #[getter]
    fn grad(&self) -> usize {
        let grad = self.gradient.as_ref();
        grad.map_or(0, |g| g.get().view().arg.data as usize)
    }
    /// Number of dimensions.
    #[getter]
    fn ndim(&self) -> u8 {
        self.view().ndim
    }
    /// Elements per dimension.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.view().layout().shape())
    }
    /// Bytes per dimension.
    #[getter]
    fn strides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.view().layout().strides())
    }
    /// What each element is.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dtype::class_of(py, self.view().elem)
    }
    fn __repr__(&self) -> String {
        let v = self.view();
        format!(
            "<descriptor of an array of {} with shape {:?}>",
            v.elem,
            v.layout().shape()
        )
    }
}

/// Adds the class to the module.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Descriptor>()
}
