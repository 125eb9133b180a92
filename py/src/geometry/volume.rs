//! The grids behind `wp.Volume`.

use crate::algorithm::operand::{Output, device_of, expect, expect_room, input, wrong};
use crate::algorithm::perform::perform_by_host;
use crate::object::error::{Code, refuse};
use crate::object::queried::{Queried, register as register_object};
use crate::object::{Array, nested_arrays};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};
use warp_core::array::copy::fill_on;
use warp_core::array::{Layout, View};
use warp_core::command::capture;
use warp_core::device::current_stream;
use warp_core::dtype::Scalar;
use warp_core::geometry::{
    Grid, Inputs, Leaves, Most, Output as Written, Places, Spec, ValueType, Volume, grid_size,
    inverse_map, write_grid,
};
use warp_core::ty::Elem;

/// A grid to be built: the number of its value type, the background's bytes, and the map from index space to the world.
#[derive(FromPyObject)]
struct Wanted {
    value: u32,
    background: Vec<u8>,
    matrix: [f64; 9],
    translation: [f64; 3],
}

impl Wanted {
    fn spec(&self, place: &str) -> PyResult<Spec> {
        let value = ValueType::from_number(self.value);
        let value = value.filter(|it| it.is_index() || it.value_size() == self.background.len());
        let bad = |text: String| crate::object::error::error(Code::ArrayValue, text);
        let value =
            value.ok_or_else(|| bad(format!("{place}: the background has another type")))?;
        if inverse_map(&self.matrix).is_none() {
            return Err(bad(format!("{place}: the transform has no inverse")));
        }
        Ok(Spec {
            value,
            background: self.background.clone(),
            matrix: self.matrix,
            translation: self.translation,
        })
    }
}

/// Which leaves a grid is to have.
#[pyclass(frozen, module = "warp._warp", name = "_VolumeLeaves")]
struct PyLeaves(Leaves);

#[pymethods]
impl PyLeaves {
    /// Those with the voxels that points lie in: whole tiles, or these voxels `only`.
    #[staticmethod]
    #[pyo3(signature = (place, points, mask, wanted, only))]
    fn of_points(
        py: Python<'_>,
        place: &str,
        points: &Bound<'_, Array>,
        mask: Option<&Bound<'_, Array>>,
        wanted: Wanted,
        only: bool,
    ) -> PyResult<PyLeaves> {
        if capture::capturing() {
            let text = format!(
                "{place}: a volume cannot be allocated in a capture; allocate it before with rebuildable=True, and rebuild it"
            );
            return Err(wrong(py, Code::Runtime, text));
        }
        let spec = wanted.spec(place)?;
        check_points(py, place, points, mask)?;
        let points = input(points, place)?;
        let mask = mask.map(|mask| input(mask, place)).transpose()?;
        let views: Vec<View> = std::iter::once(points.view)
            .chain(mask.as_ref().map(|mask| mask.view))
            .collect();
        let found = py.detach(|| {
            // SAFETY: the arrays are contiguous and alive, and of these types and sizes.
            unsafe {
                let inputs = Inputs::of(&views, current_stream(views[0].device)?)?;
                let places = places_of(&inputs.views[0], inputs.views.get(1));
                let voxels = places.voxels(&spec);
                Ok(voxels.map(|voxels| Leaves::of(&voxels, only)))
            }
        });
        let found = found.map_err(refuse(py, place))?;
        found.map(PyLeaves).map_err(|n| {
            let text = format!("{place}: point {n} is not finite, or too far away for a voxel");
            wrong(py, Code::Value, text)
        })
    }

    /// Those that meet a box, both corners included.
    #[staticmethod]
    fn of_box(py: Python<'_>, low: [i32; 3], high: [i32; 3]) -> PyLeaves {
        PyLeaves(py.detach(|| Leaves::of_box(low, high)))
    }

    /// Leaves, lower and upper nodes.
    #[getter]
    fn nodes(&self) -> [usize; 3] {
        self.0.nodes()
    }

    #[getter]
    fn voxels(&self) -> u64 {
        self.0.voxels()
    }

    /// Writes a grid into an array of zeros.
    fn write(&self, py: Python<'_>, out: &Bound<'_, Array>, wanted: Wanted) -> PyResult<()> {
        let spec = wanted.spec("Volume")?;
        let view = *out.get().view();
        let needed = grid_size(spec.value, self.0.nodes());
        expect_room(py, "Volume", "out", &view, needed)?;
        let core = out.get().core.clone();
        let written = py.detach(|| {
            let mut out = Written::of(&core.view)?;
            // SAFETY: the array is contiguous, of uint8, and nobody has it yet.
            unsafe {
                write_grid(out.bytes(), &spec, &self.0);
                out.finish(current_stream(core.view.device)?)
            }
        });
        written.map_err(refuse(py, "Volume"))
    }
}

/// How many bytes a grid takes.
#[pyfunction]
fn _volume_size(value: u32, nodes: [usize; 3]) -> Option<usize> {
    ValueType::from_number(value).map(|value| grid_size(value, nodes))
}

/// Points and whether they count, in other threads.
#[derive(Clone, Copy)]
struct Sent(Places);

// SAFETY: addresses of arrays that the caller keeps.
unsafe impl Send for Sent {}
// SAFETY: as above.
unsafe impl Sync for Sent {}

impl Sent {
    /// The voxels, or the number of a point that lies in none.
    ///
    /// # Safety
    /// As [`Places::voxels`].
    unsafe fn voxels(&self, spec: &Spec) -> Result<Vec<[i32; 3]>, usize> {
        // SAFETY: the caller's promise.
        unsafe { self.0.voxels(&spec.matrix, &spec.translation) }
    }
}

fn places_of(points: &View, mask: Option<&View>) -> Sent {
    let count = match points.elem {
        Elem::Vec { .. } => points.layout().len(),
        _ => points.layout().len() / 3,
    };
    Sent(Places {
        data: points.arg.data.cast_const().cast(),
        scalar: points.elem.scalar(),
        count,
        mask: mask.map(|mask| (mask.arg.data.cast_const().cast(), mask.elem.size())),
    })
}

/// Checks the type and shape of points, and of their mask.
fn check_points(
    py: Python<'_>,
    place: &str,
    points: &Bound<'_, Array>,
    mask: Option<&Bound<'_, Array>>,
) -> PyResult<()> {
    let view = points.get().view();
    let layout = view.layout();
    let shape = layout.shape();
    let numbers = |scalar| matches!(scalar, Scalar::I32 | Scalar::F32 | Scalar::F64);
    let count = match (view.elem, shape) {
        (Elem::Vec { len: 3, scalar }, _) if numbers(scalar) => view.layout().len(),
        (Elem::Scalar(scalar), [count, 3]) if numbers(scalar) => *count as usize,
        _ => {
            let text = format!(
                "{place}: points is an array of {} with the shape {shape:?}; it must be one of vec3i (voxels), vec3 or vec3d \
                 (places in the world), or of int32, float32 or float64 with the shape (n, 3)",
                view.elem
            );
            return Err(wrong(py, Code::Type, text));
        }
    };
    let mut arrays = vec![("points", view)];
    if let Some(mask) = mask {
        let view = mask.get().view();
        if !matches!(
            view.elem,
            Elem::Scalar(Scalar::Bool | Scalar::U8 | Scalar::I8 | Scalar::I32)
        ) {
            expect(py, place, "point_mask", view, Elem::Scalar(Scalar::Bool))?;
        }
        let found = view.layout().len();
        if found != count {
            let text =
                format!("{place}: point_mask has {found} elements, there are {count} points");
            return Err(wrong(py, Code::Value, text));
        }
        arrays.push(("point_mask", view));
    }
    device_of(py, place, &arrays).map(drop)
}

/// A volume and its arrays.
struct Made {
    volume: Arc<Volume>,
    arrays: Mutex<Arrays>,
}

struct Arrays {
    bytes: Py<Array>,
    /// The values of leaves, if kernels read them as they are.
    values: Option<Py<Array>>,
}

impl Made {
    fn values<'py>(&self, py: Python<'py>) -> Option<Bound<'py, Array>> {
        let arrays = self.arrays.lock().unwrap_or_else(PoisonError::into_inner);
        arrays.values.as_ref().map(|values| values.bind(py).clone())
    }

    fn bytes<'py>(&self, py: Python<'py>) -> Bound<'py, Array> {
        let arrays = self.arrays.lock().unwrap_or_else(PoisonError::into_inner);
        arrays.bytes.bind(py).clone()
    }
}

impl Queried for Made {
    fn arrays<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, Array>> {
        self.values(py).into_iter().collect()
    }

    fn refresh(&self, py: Python<'_>) -> PyResult<()> {
        let Some(values) = self.values(py) else {
            return Ok(());
        };
        // Kernels know the gradient of the whole grid, in which that of the values lies as they do in the grid.
        let far = values.get().view().arg.data as u64 - self.bytes(py).get().view().arg.data as u64;
        let gradient = nested_arrays::gradient_address(&values)?;
        let whole = if gradient == 0 { 0 } else { gradient - far };
        let set = self.volume.set_gradient(whole);
        set.map_err(refuse(py, "Volume"))
    }
}

/// A grid. `warp._geometry.volume` has the class for users.
#[pyclass(frozen, module = "warp._warp", name = "_Volume")]
struct PyVolume(Arc<Made>);

#[pymethods]
impl PyVolume {
    /// Of the bytes of a grid, in contiguous memory.
    #[new]
    fn new(py: Python<'_>, bytes: Bound<'_, Array>) -> PyResult<PyVolume> {
        let place = "Volume";
        let view = *bytes.get().view();
        expect(py, place, "data", &view, Elem::Scalar(Scalar::U8))?;
        let address = view.arg.data as u64;
        if !view.is_contiguous() || !address.is_multiple_of(32) {
            let text = format!(
                "{place}: data is not contiguous memory at a multiple of 32 bytes; use copy=True"
            );
            return Err(wrong(py, Code::Value, text));
        }
        let core = bytes.get().core.clone();
        let volume = py.detach(|| {
            // SAFETY: the array is contiguous, of uint8, and the object keeps it.
            unsafe {
                let inputs = Inputs::of(&[core.view], current_stream(core.view.device)?)?;
                let (bytes, device) = (bytes_of(&inputs.views[0]), core.view.device);
                Volume::new(address, bytes, Box::new(core.clone()), device)
            }
        });
        let volume = volume.map_err(refuse(py, place))?;
        let made = Arc::new(Made {
            volume,
            arrays: Mutex::new(Arrays {
                bytes: bytes.unbind(),
                values: None,
            }),
        });
        let object: Arc<dyn Queried> = made.clone();
        register_object(made.volume.id(), &object);
        Ok(PyVolume(made))
    }

    #[getter]
    fn id(&self) -> u64 {
        self.0.volume.id()
    }

    /// Says what shows the values of leaves.
    fn show(&self, values: Bound<'_, Array>) {
        let mut arrays = self.0.arrays.lock().unwrap_or_else(PoisonError::into_inner);
        let old = arrays.values.replace(values.unbind());
        drop(arrays);
        drop(old);
    }

    /// Says again where the gradient of the values lies.
    fn refresh(&self, py: Python<'_>) -> PyResult<()> {
        self.0.refresh(py)
    }

    /// Name, bytes, number of the grid and of all of its file, number and name of the value type.
    #[getter]
    fn about(&self) -> (String, usize, u32, u32, u32, &'static str) {
        let grid = self.0.volume.grid();
        let value = grid.value;
        (
            grid.name.clone(),
            grid.size,
            grid.index,
            grid.count,
            value as u32,
            value.name(),
        )
    }

    /// The map from index space to the world: matrix and translation; and the size of a voxel.
    #[getter]
    fn map(&self) -> ([f64; 9], [f64; 3], [f64; 3]) {
        let grid = self.0.volume.grid();
        (grid.matrix, grid.translation, grid.voxel_size)
    }

    /// Active voxels, values with numbers, leaves, lower and upper nodes.
    #[getter]
    fn counts(&self) -> (u64, u64, usize, usize, usize) {
        let grid = self.0.volume.grid();
        let [leaves, lower, upper] = grid.nodes;
        (grid.voxels, grid.values, leaves, lower, upper)
    }

    /// Where values of leaves begin, how far apart leaves are (0 if that varies), and whether they hold values as they are.
    #[getter]
    fn leaves(&self) -> (usize, usize, bool) {
        let grid = self.0.volume.grid();
        let first = grid.first_leaf + grid.sizes.leaf_values;
        (first, grid.stride, grid.is_plain())
    }

    /// The first voxels of leaves, or all active voxels: three numbers each, as bytes of int32.
    fn voxels(&self, py: Python<'_>, all: bool) -> PyResult<Vec<u8>> {
        let grid = self.0.volume.grid();
        let core = self.0.bytes(py).get().core.clone();
        let found = py.detach(|| {
            // SAFETY: the array is contiguous, of uint8, and alive.
            unsafe {
                let inputs = Inputs::of(&[core.view], current_stream(core.view.device)?)?;
                Ok(voxels_of(&grid, bytes_of(&inputs.views[0]), all))
            }
        });
        let found = found.map_err(refuse(py, "Volume"))?;
        let numbers = found.iter().flatten();
        Ok(numbers.flat_map(|c| c.to_ne_bytes()).collect())
    }

    /// Arrays beside the voxels: name, place, count and size of values, number of the type.
    #[getter]
    fn features(&self) -> Vec<(String, usize, usize, usize, u32)> {
        let grid = self.0.volume.grid();
        let each = grid.features.iter();
        each.map(|f| (f.name.clone(), f.at, f.count, f.size, f.value))
            .collect()
    }

    /// Builds it anew of points, in its memory.
    #[pyo3(signature = (points, mask, status, wanted, only, nodes, voxels))]
    #[expect(
        clippy::too_many_arguments,
        reason = "the arguments of the method for users, and how it was made"
    )]
    fn rebuild(
        &self,
        py: Python<'_>,
        points: &Bound<'_, Array>,
        mask: Option<&Bound<'_, Array>>,
        status: Option<&Bound<'_, Array>>,
        wanted: Wanted,
        only: bool,
        nodes: [usize; 3],
        voxels: u64,
    ) -> PyResult<()> {
        let place = "Volume.rebuild";
        let spec = wanted.spec(place)?;
        check_points(py, place, points, mask)?;
        if let Some(status) = status {
            expect(
                py,
                place,
                "status",
                status.get().view(),
                Elem::Scalar(Scalar::U32),
            )?;
            expect_room(py, place, "status", status.get().view(), 1)?;
        }
        let bytes = self.0.bytes(py);
        let output = Output::new(&bytes, place)?;
        let status = status
            .map(|status| Output::new(status, place))
            .transpose()?;
        let mut reads = vec![input(points, place)?];
        if let Some(mask) = mask {
            reads.push(input(mask, place)?);
        }
        let has_mask = mask.is_some();
        let (volume, owner) = (Arc::clone(&self.0.volume), bytes.get().core.clone());
        let most = Most { nodes, voxels };
        let count = reads.len();
        let reads: Vec<_> = reads.iter().collect();
        let mut writes = vec![&output.core];
        writes.extend(status.as_ref().map(|status| &status.core));
        perform_by_host(py, place, &reads, &writes, move |views, stream| {
            // SAFETY: the views are contiguous and alive, and of these types and sizes; kernels do not run meanwhile.
            unsafe {
                let inputs = Inputs::of(&views[..count], stream)?;
                let places = places_of(&inputs.views[0], has_mask.then(|| &inputs.views[1]));
                let (leaves, bad) = match places.voxels(&spec) {
                    Ok(voxels) => (Leaves::of(&voxels, only), 0),
                    Err(_) => (Leaves::default(), INVALID),
                };
                let mut out = Written::of(&views[count])?;
                let parts = (&leaves, &most);
                let owner = Box::new(owner.clone());
                let status = bad | volume.rebuild(out.bytes(), &spec, parts, owner, stream)?;
                out.finish(stream)?;
                let Some(view) = views.get(count + 1) else {
                    return Ok(());
                };
                let first = Layout::contiguous(&[1], view.elem.size())?;
                let first = View::new(view.arg.data, first, view.elem, view.device, false);
                fill_on(&first, &status.to_ne_bytes(), stream.into())
            }
        })?;
        if let Some(status) = status {
            status.finish(place)?;
        }
        output.finish(place)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        if let Ok(arrays) = self.0.arrays.try_lock() {
            visit.call(&arrays.bytes)?;
            visit.call(&arrays.values)?;
        }
        Ok(())
    }
}

/// The bytes of an array.
///
/// # Safety
/// It is contiguous memory of the host, of uint8, alive, and nothing writes it meanwhile.
unsafe fn bytes_of(view: &View) -> &[u8] {
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(view.arg.data, view.layout().len()) }
}

/// The status of a rebuild of points that are none.
const INVALID: u32 = 16;

fn voxels_of(grid: &Grid, bytes: &[u8], all: bool) -> Vec<[i32; 3]> {
    match all {
        true => grid.active(bytes),
        false => grid.leaves(bytes).into_iter().map(|leaf| leaf.1).collect(),
    }
}

/// Adds the classes to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_volume_size, m)?)?;
    m.add_class::<PyLeaves>()?;
    m.add_class::<PyVolume>()
}
