//! What `from_torch(..., return_ctype=True)` and its like give: only what a launch needs, without the rest of an array.

use crate::dtype;
use crate::object::Array;
use crate::object::access::check_access;
use crate::runtime::collector::{self, Recycled};
use pyo3::ffi;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::sync::OnceLock;
use warp_core::array::View;
use warp_core::ty::Elem;

/// What a framework does for its descriptors.
pub struct Vtable {
    /// The tensor's memory as it is now.
    pub view: fn(&Bound<'_, PyAny>, Option<Elem>) -> PyResult<View>,
    /// The tensor as an array, with the arguments of `from_torch` and its like: element, requires_grad, grad.
    pub array: MakeArray,
}

/// See [`Vtable::array`].
pub type MakeArray =
    fn(&Bound<'_, PyAny>, Option<Elem>, Option<bool>, Option<&Bound<'_, PyAny>>) -> PyResult<Array>;

/// An array for launches only; cheaper to make than a `wp.array`.
///
/// It holds the tensor and reads its fields again in each launch, so that the launch uses the tensor's present
/// memory. The whole array, with its gradient, is made at the first request.
#[pyclass(frozen, module = "warp", name = "ArrayDescriptor", freelist = 64)]
pub struct Descriptor {
    framework: &'static Vtable,
    tensor: Py<PyAny>,
    elem: Elem,
    requires_grad: Option<bool>,
    grad: Option<Py<PyAny>>,
    whole: OnceLock<Py<Array>>,
}

impl Descriptor {
    /// A descriptor of a tensor of `elem`, with the arguments of `from_torch` and its like.
    #[inline]
    pub fn new(
        framework: &'static Vtable,
        tensor: &Bound<'_, PyAny>,
        elem: Elem,
        requires_grad: Option<bool>,
        grad: Option<&Bound<'_, PyAny>>,
    ) -> Descriptor {
        Descriptor {
            framework,
            tensor: tensor.clone().unbind(),
            elem,
            requires_grad,
            grad: grad.map(|g| g.clone().unbind()),
            whole: OnceLock::new(),
        }
    }
    /// What it describes.
    pub fn tensor<'py>(&self, py: Python<'py>) -> &Bound<'py, PyAny> {
        self.tensor.bind(py)
    }
    /// What each element is.
    #[inline]
    pub fn elem(&self) -> Elem {
        self.elem
    }
    /// The tensor's memory as it is now.
    ///
    /// # Errors
    /// The tensor cannot be looked at any more.
    pub fn view(&self, py: Python<'_>) -> PyResult<View> {
        (self.framework.view)(self.tensor.bind(py), Some(self.elem))
    }
    /// The whole array.
    ///
    /// # Errors
    /// The tensor or its gradient cannot be shared.
    pub fn array<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, Array>> {
        if self.whole.get().is_none() {
            let (tensor, grad) = (self.tensor.bind(py), self.grad.as_ref().map(|g| g.bind(py)));
            let elem = Some(self.elem);
            let array = (self.framework.array)(tensor, elem, self.requires_grad, grad)?;
            // Another thread may have been first.
            let _ = self.whole.set(array.object(py).map(Bound::unbind)?);
        }
        Ok(self.whole.get().expect("just set").bind(py))
    }
}

impl Recycled for Descriptor {
    fn alloc() -> &'static OnceLock<ffi::allocfunc> {
        static ALLOC: OnceLock<ffi::allocfunc> = OnceLock::new();
        &ALLOC
    }
}

#[pymethods]
impl Descriptor {
    /// A copy of a descriptor, as of a ctypes structure: since nothing changes it, the descriptor itself.
    #[staticmethod]
    fn from_buffer_copy(source: Py<Descriptor>) -> Py<Descriptor> {
        source
    }
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.tensor)?;
        visit.call(&self.grad)?;
        visit.call(self.whole.get())
    }
    /// Address of the first element.
    #[getter]
    fn data(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.view(py)?.arg.data as usize)
    }
    /// Address of the gradient's first element, 0 without a gradient.
    #[getter]
    fn grad(&self, py: Python<'_>) -> PyResult<usize> {
        let Some(grad) = self.array(py)?.get().gradient(py) else {
            return Ok(0);
        };
        check_access(&grad.get().core, "a descriptor's gradient")?;
        Ok(grad.get().view().arg.data as usize)
    }
    /// Number of dimensions.
    #[getter]
    fn ndim(&self, py: Python<'_>) -> PyResult<u8> {
        Ok(self.view(py)?.ndim)
    }
    /// Elements per dimension.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.view(py)?.layout().shape())
    }
    /// Bytes per dimension.
    #[getter]
    fn strides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.view(py)?.layout().strides())
    }
    /// What each element is.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dtype::class_of(py, self.elem)
    }
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let view = self.view(py)?;
        let (elem, layout) = (self.elem, view.layout());
        Ok(format!(
            "<descriptor of an array of {elem} with shape {:?}>",
            layout.shape()
        ))
    }
}

/// Adds the class to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Descriptor>()?;
    collector::track_new::<Descriptor>(&m.py().get_type::<Descriptor>())
}
