//! `warp._warp._OperatorRules`: the core's rules for an operator. Operators that Python runs or describes ask these.

use crate::dtype::require_elem;
use crate::object::error::{Code, error, unfit};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::fmt;
use std::sync::OnceLock;
use warp_core::operator::{Binding, Extent, Operator, OperatorParam, Source, Supply};
use warp_core::ty::Elem;
use warp_dlpack::{Lenient, raise};

/// An extent in Python: a parameter and one of its dimensions.
type PyExtent = (usize, usize);

/// What Python's `Parameter` says.
#[derive(FromPyObject)]
struct PyParameter {
    name: String,
    #[pyo3(from_py_with = require_elem)]
    dtype: Elem,
    ndim: usize,
    #[pyo3(from_py_with = binding)]
    binding: Binding,
    like: Option<usize>,
    front: Vec<PyExtent>,
    item: Option<Vec<PyExtent>>,
}

/// A member of Python's `Binding`.
fn binding(member: &Bound<'_, PyAny>) -> PyResult<Binding> {
    let name: String = member.getattr("name")?.extract()?;
    let binding = Binding::named(&name);
    binding.ok_or_else(|| error(Code::Value, format!("there is no binding '{name}'")))
}

fn extents(extents: Vec<PyExtent>) -> Vec<Extent> {
    let one = |(param, dim)| Extent { param, dim };
    extents.into_iter().map(one).collect()
}

/// An extent of a shape in Python: a number, or a symbol of torch's or jax's.
struct Size<'py>(Bound<'py, PyAny>);

impl PartialEq<i64> for Size<'_> {
    fn eq(&self, other: &i64) -> bool {
        self.0.eq(other).or_note().unwrap_or(false)
    }
}

impl fmt::Display for Size<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// How an operator fills the parameters of its kernel.
#[pyclass(frozen, module = "warp._warp", name = "_OperatorRules")]
pub struct OperatorRules {
    /// The rules.
    pub operator: Operator,
    /// For each parameter, whether a launch over its extents writes all of it; known once the operator has run.
    pub covered: OnceLock<Vec<bool>>,
}

#[pymethods]
impl OperatorRules {
    #[new]
    fn new(
        title: String,
        parameters: Vec<PyParameter>,
        front: Vec<PyExtent>,
        item: Option<Vec<PyExtent>>,
    ) -> OperatorRules {
        let one = |p: PyParameter| OperatorParam {
            name: p.name,
            elem: p.dtype,
            ndim: p.ndim,
            binding: p.binding,
            like: p.like,
            front: extents(p.front),
            item: p.item.map(extents),
        };
        OperatorRules {
            operator: Operator {
                title,
                parameters: parameters.into_iter().map(one).collect(),
                front: extents(front),
                item: item.map(extents),
            },
            covered: OnceLock::new(),
        }
    }

    /// The parameters that the caller fills.
    #[getter]
    fn arguments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.operator.arguments().collect::<Vec<_>>())
    }

    /// The parameters that are returned.
    #[getter]
    fn results<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.operator.results().collect::<Vec<_>>())
    }

    /// The parameters whose extents the caller may give.
    #[getter]
    fn outputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.operator.outputs().collect::<Vec<_>>())
    }

    /// The arguments that need an array of their own for each item of a batch.
    #[getter]
    fn copied<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.operator.copied().collect::<Vec<_>>())
    }

    /// Raises ValueError unless the array for a parameter may have this shape.
    fn check_shape(&self, param: usize, shape: &Bound<'_, PyTuple>) -> PyResult<()> {
        let sizes: Vec<_> = shape.iter().map(Size).collect();
        let checked = self.operator.check_shape(param, &sizes);
        checked.map_err(|e| unfit(raise(shape.py(), e)))
    }

    /// Where each launch dimension comes from, if the caller gives so many of an item.
    fn launch<'py>(&self, py: Python<'py>, given: Option<usize>) -> PyResult<Bound<'py, PyTuple>> {
        let launch = self.operator.launch(given).map_err(|e| raise(py, e))?;
        sources(py, &launch)
    }

    /// What each parameter gets, if the caller gives so many launch dimensions and output dimensions.
    fn supplies<'py>(
        &self,
        py: Python<'py>,
        launch: Option<usize>,
        outputs: Option<usize>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let supplies = self.operator.supplies(launch, outputs);
        let supplies = supplies.map_err(|e| raise(py, e))?;
        let all = supplies.iter().map(|one| supply(py, one));
        PyTuple::new(py, all.collect::<PyResult<Vec<_>>>()?)
    }
}

/// Sources in Python: pairs of a parameter, "launch" or "outputs", and a place in its shape or in what is given.
fn sources<'py>(py: Python<'py>, sources: &[Source]) -> PyResult<Bound<'py, PyTuple>> {
    let one = |source: &Source| match source {
        Source::Of(extent) => (extent.param, extent.dim).into_pyobject(py),
        Source::Launch(at) => ("launch", *at).into_pyobject(py),
        Source::Output(at) => ("outputs", *at).into_pyobject(py),
    };
    let all: PyResult<Vec<_>> = sources.iter().map(one).collect();
    PyTuple::new(py, all?)
}

/// What a parameter gets in Python: a word, and the sources of extents or the parameter that goes with it.
fn supply<'py>(py: Python<'py>, supply: &Supply) -> PyResult<Bound<'py, PyTuple>> {
    match supply {
        Supply::Value => ("value", ()).into_pyobject(py),
        Supply::Argument => ("argument", ()).into_pyobject(py),
        Supply::Copy => ("copy", ()).into_pyobject(py),
        Supply::New(extents) => ("new", sources(py, extents)?).into_pyobject(py),
        Supply::Same(param) => ("same", *param).into_pyobject(py),
        Supply::Missing(param) => ("missing", *param).into_pyobject(py),
    }
}

/// All bindings: the name, whether the caller gives something for it, whether its array is returned.
#[pyfunction]
fn _bindings() -> Vec<(&'static str, bool, bool)> {
    let one = |binding: Binding| (binding.name(), binding.is_argument(), binding.is_result());
    Binding::ALL.into_iter().map(one).collect()
}

/// Adds the class and the function to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<OperatorRules>()?;
    m.add_function(wrap_pyfunction!(_bindings, m)?)
}
