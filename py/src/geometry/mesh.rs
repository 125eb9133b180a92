//! The mesh behind `wp.Mesh`.

use super::arrays::{check_device, count_of, groups_of, vectors_of};
use crate::algorithm::operand::{device_of, expect, input, wrong};
use crate::algorithm::perform::perform_by_host;
use crate::object::error::{Code, refuse};
use crate::object::queried::{Queried, register as register_object};
use crate::object::{Array, nested_arrays};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};
use warp_core::array::Array as Core;
use warp_core::dtype::Scalar;
use warp_core::geometry::{Inputs, Mesh, MeshPlaces, Surface};
use warp_core::ty::Elem;

/// The arrays of a mesh.
struct Arrays {
    points: Py<Array>,
    velocities: Option<Py<Array>>,
    indices: Py<Array>,
    groups: Option<Py<Array>>,
}

/// A mesh and its arrays.
struct Made {
    mesh: Arc<Mesh>,
    arrays: Mutex<Arrays>,
}

impl Made {
    /// The arrays of queries: points, and velocities.
    fn floats<'py>(&self, py: Python<'py>) -> (Bound<'py, Array>, Option<Bound<'py, Array>>) {
        let arrays = self.arrays.lock().unwrap_or_else(PoisonError::into_inner);
        let velocities = arrays.velocities.as_ref();
        let velocities = velocities.map(|array| array.bind(py).clone());
        (arrays.points.bind(py).clone(), velocities)
    }
}

impl Queried for Made {
    fn arrays<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, Array>> {
        let (points, velocities) = self.floats(py);
        std::iter::once(points).chain(velocities).collect()
    }

    fn refresh(&self, py: Python<'_>) -> PyResult<()> {
        let [points, velocities] = gradients(&self.floats(py))?;
        let set = self.mesh.set_gradients(points, velocities);
        set.map_err(refuse(py, "Mesh"))
    }
}

/// The addresses of the gradients of points and velocities; 0 for none.
fn gradients(
    (points, velocities): &(Bound<'_, Array>, Option<Bound<'_, Array>>),
) -> PyResult<[u64; 2]> {
    let velocities = velocities
        .as_ref()
        .map_or(Ok(0), nested_arrays::gradient_address);
    Ok([nested_arrays::gradient_address(points)?, velocities?])
}

/// Triangles. `warp._geometry.mesh` has the class for users.
#[pyclass(frozen, module = "warp._warp", name = "_Mesh")]
struct PyMesh(Arc<Made>);

/// What is done with a mesh.
#[derive(Clone, Copy, PartialEq)]
enum Act {
    Build,
    Refit,
}

#[pymethods]
impl PyMesh {
    #[new]
    #[pyo3(signature = (points, indices, velocities, groups, winding))]
    fn new(
        py: Python<'_>,
        points: Bound<'_, Array>,
        indices: Bound<'_, Array>,
        velocities: Option<Bound<'_, Array>>,
        groups: Option<Bound<'_, Array>>,
        winding: bool,
    ) -> PyResult<PyMesh> {
        let place = "Mesh";
        expect(
            py,
            place,
            "indices",
            indices.get().view(),
            Elem::Scalar(Scalar::I32),
        )?;
        let count = count_of(&indices);
        if !count.is_multiple_of(3) || indices.get().view().layout().shape().len() != 1 {
            let shape = indices.get().view().layout().shape().to_vec();
            let text = format!(
                "{place}: indices has the shape {shape:?}, expected one dimension with three numbers of points for each face"
            );
            return Err(wrong(py, Code::Value, text));
        }
        let most = i32::MAX as usize;
        if count_of(&points) > most {
            let found = count_of(&points);
            let text =
                format!("{place}: points has {found} elements, a mesh has {most} points at most");
            return Err(wrong(py, Code::Value, text));
        }
        if let Some(groups) = &groups {
            groups_of(py, place, groups, (count / 3, "faces"))?;
        }
        let device = points.get().view().device;
        let mesh = Mesh::new(count / 3, winding, device).map_err(refuse(py, place))?;
        let arrays = Arrays {
            points: points.clone().unbind(),
            velocities: velocities.clone().map(Bound::unbind),
            indices: indices.clone().unbind(),
            groups: groups.map(Bound::unbind),
        };
        let made = Arc::new(Made {
            mesh,
            arrays: Mutex::new(arrays),
        });
        fill(py, place, &made, (&points, velocities.as_ref()), Act::Build)?;
        let object: Arc<dyn Queried> = made.clone();
        register_object(made.mesh.id(), &object);
        Ok(PyMesh(made))
    }

    #[getter]
    fn id(&self) -> u64 {
        self.0.mesh.id()
    }

    /// Fits the mesh to points that have moved.
    fn refit(&self, py: Python<'_>) -> PyResult<()> {
        let (points, velocities) = self.0.floats(py);
        fill(
            py,
            "Mesh.refit",
            &self.0,
            (&points, velocities.as_ref()),
            Act::Refit,
        )
    }

    /// Gives it other arrays, and fits it to them.
    #[pyo3(signature = (points, velocities))]
    fn replace(
        &self,
        py: Python<'_>,
        points: Bound<'_, Array>,
        velocities: Option<Bound<'_, Array>>,
    ) -> PyResult<()> {
        let place = "Mesh";
        let (old, _) = self.0.floats(py);
        let (count, known) = (count_of(&points), count_of(&old));
        if count != known {
            let text = format!("{place}: points has {count} elements, the mesh has {known} points");
            return Err(wrong(py, Code::Value, text));
        }
        fill(
            py,
            place,
            &self.0,
            (&points, velocities.as_ref()),
            Act::Refit,
        )?;
        let mut arrays = self.0.arrays.lock().unwrap_or_else(PoisonError::into_inner);
        let new = (points.unbind(), velocities.map(Bound::unbind));
        let old = (
            std::mem::replace(&mut arrays.points, new.0),
            std::mem::replace(&mut arrays.velocities, new.1),
        );
        drop(arrays);
        drop(old);
        Ok(())
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        if let Ok(arrays) = self.0.arrays.try_lock() {
            visit.call(&arrays.points)?;
            visit.call(&arrays.indices)?;
            visit.call(&arrays.velocities)?;
            visit.call(&arrays.groups)?;
        }
        Ok(())
    }
}

/// Builds or fits a mesh, of these points and velocities.
fn fill(
    py: Python<'_>,
    place: &'static str,
    made: &Arc<Made>,
    (points, velocities): (&Bound<'_, Array>, Option<&Bound<'_, Array>>),
    act: Act,
) -> PyResult<()> {
    vectors_of(py, place, "points", points)?;
    let (indices, groups) = {
        let arrays = made.arrays.lock().unwrap_or_else(PoisonError::into_inner);
        let groups = arrays.groups.as_ref().map(|groups| groups.bind(py).clone());
        (arrays.indices.bind(py).clone(), groups)
    };
    let mut named = vec![("points", points), ("indices", &indices)];
    if let Some(velocities) = velocities {
        vectors_of(py, place, "velocities", velocities)?;
        let (found, count) = (count_of(velocities), count_of(points));
        if found != count {
            let text = format!("{place}: velocities has {found} elements, points has {count}");
            return Err(wrong(py, Code::Value, text));
        }
        named.push(("velocities", velocities));
    }
    // What kernels read where it lies.
    for (name, array) in &named {
        if !array.get().view().is_contiguous() {
            let text = format!("{place}: {name} is not contiguous; pass {name}.contiguous()");
            return Err(wrong(py, Code::Value, text));
        }
    }
    if let Some(groups) = &groups {
        named.push(("groups", groups));
    }
    let views: Vec<_> = named
        .iter()
        .map(|(name, array)| (*name, array.get().view()))
        .collect();
    device_of(py, place, &views)?;
    check_device(py, place, ("points", points), (made.mesh.device(), "mesh"))?;
    let reads = named
        .iter()
        .map(|(_, array)| input(array, place))
        .collect::<PyResult<Vec<Core>>>()?;
    let with_velocities = velocities.is_some();
    let grads = gradients(&(points.clone(), velocities.cloned()))?;
    let (mesh, owners) = (Arc::clone(&made.mesh), reads.clone());
    let reads: Vec<&Core> = reads.iter().collect();
    perform_by_host(py, place, &reads, &[], move |views, stream| {
        // SAFETY: the command keeps the arrays.
        let inputs = unsafe { Inputs::of(views, stream) }?;
        let there = |at: usize| views[at].arg.data as u64;
        let views = &inputs.views;
        let data = |at: usize| views[at].arg.data.cast_const();
        let surface = Surface {
            places: MeshPlaces {
                points: there(0),
                velocities: if with_velocities { there(2) } else { 0 },
                indices: there(1),
            },
            points: data(0).cast(),
            point_count: views[0].layout().len(),
            points_gradient: grads[0],
            velocities_gradient: grads[1],
            indices: data(1).cast(),
            faces: mesh.faces(),
            groups: views
                .get(2 + usize::from(with_velocities))
                .map(|view| view.arg.data.cast_const().cast()),
        };
        // SAFETY: the views are contiguous and alive, and of these types and sizes; the mesh keeps their owners.
        unsafe {
            if act == Act::Build {
                surface.check()?;
                mesh.build(&surface, Box::new(owners.clone()), stream)
            } else {
                mesh.refit(&surface, Box::new(owners.clone()), stream)
            }
        }
    })
}

/// Adds the class to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<PyMesh>()
}
