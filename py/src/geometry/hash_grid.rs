//! The grid behind `wp.HashGrid`.

use super::arrays::{check_device, groups_of};
use crate::algorithm::operand::{device_of, expect, input};
use crate::algorithm::perform::perform_by_host;
use crate::object::Array;
use crate::object::error::refuse;
use crate::runtime::device::Device;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;
use warp_core::dtype::Scalar;
use warp_core::geometry::{HashGrid, Inputs, Points};
use warp_core::ty::Elem;
use warp_dlpack::raise;

/// Points in the cells of a grid. `warp._geometry.hash_grid` has the class for users.
#[pyclass(frozen, module = "warp._warp", name = "_HashGrid")]
struct PyHashGrid(Arc<HashGrid>);

const BUILD: &str = "HashGrid.build";

#[pymethods]
impl PyHashGrid {
    #[new]
    fn new(
        py: Python<'_>,
        dims: [i64; 3],
        scalar: &str,
        device: &Bound<'_, Device>,
    ) -> PyResult<PyHashGrid> {
        let scalar = Scalar::from_name(scalar).unwrap_or(Scalar::Bool);
        let made = HashGrid::new(dims, scalar, device.get().0);
        made.map(PyHashGrid).map_err(refuse(py, "HashGrid"))
    }

    #[getter]
    fn id(&self) -> u64 {
        self.0.id()
    }

    fn reserve(&self, points: usize, groups: bool) {
        self.0.reserve(points, groups);
    }

    #[pyo3(signature = (points, radius, groups))]
    fn build(
        &self,
        py: Python<'_>,
        points: &Bound<'_, Array>,
        radius: f64,
        groups: Option<&Bound<'_, Array>>,
    ) -> PyResult<()> {
        let view = points.get().view();
        let scalar = self.0.scalar();
        expect(py, BUILD, "points", view, Elem::Vec { len: 3, scalar })?;
        let count = view.layout().len();
        let mut arrays = vec![("points", view)];
        if let Some(groups) = groups {
            groups_of(py, BUILD, groups, (count, "points"))?;
            arrays.push(("groups", groups.get().view()));
        }
        device_of(py, BUILD, &arrays)?;
        check_device(py, BUILD, ("points", points), (self.0.device(), "grid"))?;
        self.0.check(count, radius).map_err(refuse(py, BUILD))?;
        let mut reads = vec![input(points, BUILD)?];
        if let Some(groups) = groups {
            reads.push(input(groups, BUILD)?);
        }
        let grid = Arc::clone(&self.0);
        let reads: Vec<_> = reads.iter().collect();
        perform_by_host(py, BUILD, &reads, &[], move |views, stream| {
            // SAFETY: the command keeps the arrays.
            let inputs = unsafe { Inputs::of(views, stream) }?;
            let views = &inputs.views;
            let points = Points {
                positions: views[0].arg.data.cast(),
                count,
                groups: views.get(1).map(|view| view.arg.data.cast_const().cast()),
            };
            // SAFETY: the views are contiguous and alive, and of these types and sizes.
            unsafe { grid.build(&points, radius, stream) }
        })
    }

    fn content<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &py.detach(|| self.0.bytes()))
    }

    fn restore(&self, py: Python<'_>, content: &[u8]) -> PyResult<()> {
        self.0.restore(content).map_err(|e| raise(py, e))
    }
}

/// Adds the class to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<PyHashGrid>()
}
