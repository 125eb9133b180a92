//! Objects that are described to kernels by words, such as textures.

use crate::object::error::{Code, error, refuse};
use crate::object::queried::{Queried, register as register_object};
use crate::object::{Array, nested_arrays};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use std::sync::Arc;
use warp_core::array::Array as Core;
use warp_core::geometry::Described;
use warp_core::ir::ObjectKind;

/// An object, and its array.
struct Made {
    object: Arc<Described>,
    array: Py<Array>,
    /// The word with the address of the gradient, if kernels have one.
    gradient: Option<usize>,
}

impl Queried for Made {
    fn arrays<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, Array>> {
        match self.gradient {
            Some(_) => vec![self.array.bind(py).clone()],
            None => Vec::new(),
        }
    }

    fn refresh(&self, py: Python<'_>) -> PyResult<()> {
        if let Some(word) = self.gradient {
            let address = nested_arrays::gradient_address(self.array.bind(py))?;
            let set = self.object.set(word, address);
            set.map_err(refuse(py, self.object.kind().title()))?;
        }
        Ok(())
    }
}

/// An object of words. Classes of `warp._geometry` say what they mean.
#[pyclass(frozen, module = "warp._warp", name = "_Described")]
struct PyDescribed(Arc<Made>);

#[pymethods]
impl PyDescribed {
    /// Of a kind, of words in which the address of the array is the first, and of an array. `gradient` is the word with the
    /// address of its gradient.
    #[new]
    #[pyo3(signature = (kind, words, array, gradient))]
    fn new(
        py: Python<'_>,
        kind: &str,
        mut words: Vec<u64>,
        array: Bound<'_, Array>,
        gradient: Option<usize>,
    ) -> PyResult<PyDescribed> {
        let known = ObjectKind::from_name(kind);
        let known = known.ok_or_else(|| error(Code::Bug, format!("no object is a {kind}")))?;
        let core: Core = array.get().core.clone();
        let device = core.view.device;
        words[0] = core.view.arg.data as u64;
        let object = Described::new(known, &words, Box::new(core), device)
            .map_err(refuse(py, known.title()))?;
        let made = Arc::new(Made {
            object,
            array: array.unbind(),
            gradient,
        });
        made.refresh(py)?;
        let object: Arc<dyn Queried> = made.clone();
        register_object(made.object.id(), &object);
        Ok(PyDescribed(made))
    }

    #[getter]
    fn id(&self) -> u64 {
        self.0.object.id()
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.0.array)
    }
}

/// Adds the class to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<PyDescribed>()
}
