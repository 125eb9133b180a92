//! The tree behind `wp.Bvh`.

use super::arrays::{check_device, count_of, groups_of, vectors_of};
use crate::algorithm::operand::{device_of, input, wrong};
use crate::algorithm::perform::perform_by_host;
use crate::object::Array;
use crate::object::error::{Code, refuse};
use pyo3::prelude::*;
use std::sync::Arc;
use warp_core::array::{Array as Core, View};
use warp_core::geometry::{Boxes, Bvh, Inputs};

/// A tree over boxes. `warp._geometry.bvh` has the class for users.
#[pyclass(frozen, module = "warp._warp", name = "_Bvh")]
struct PyBvh(Arc<Bvh>);

#[pymethods]
impl PyBvh {
    #[new]
    #[pyo3(signature = (lowers, uppers, groups))]
    fn new(
        py: Python<'_>,
        lowers: &Bound<'_, Array>,
        uppers: &Bound<'_, Array>,
        groups: Option<&Bound<'_, Array>>,
    ) -> PyResult<PyBvh> {
        let place = "Bvh";
        let reads = boxes(py, place, (lowers, uppers), groups)?;
        let (count, device) = (count_of(lowers), lowers.get().view().device);
        let tree = Bvh::new(count, device).map_err(refuse(py, place))?;
        fill(py, place, &tree, &reads, true)?;
        Ok(PyBvh(tree))
    }

    #[getter]
    fn id(&self) -> u64 {
        self.0.id()
    }

    /// Fits the tree to its boxes, or builds it anew.
    #[pyo3(signature = (lowers, uppers, groups, anew))]
    fn update(
        &self,
        py: Python<'_>,
        lowers: &Bound<'_, Array>,
        uppers: &Bound<'_, Array>,
        groups: Option<&Bound<'_, Array>>,
        anew: bool,
    ) -> PyResult<()> {
        let place = if anew { "Bvh.rebuild" } else { "Bvh.refit" };
        let reads = boxes(py, place, (lowers, uppers), groups)?;
        let (count, items) = (count_of(lowers), self.0.items());
        if count != items {
            let text = format!("{place}: lowers has {count} elements, the tree has {items} boxes");
            return Err(wrong(py, Code::Value, text));
        }
        check_device(py, place, ("lowers", lowers), (self.0.device(), "tree"))?;
        fill(py, place, &self.0, &reads, anew)
    }
}

/// The arrays of a tree, checked.
fn boxes(
    py: Python<'_>,
    place: &'static str,
    (lowers, uppers): (&Bound<'_, Array>, &Bound<'_, Array>),
    groups: Option<&Bound<'_, Array>>,
) -> PyResult<Vec<Core>> {
    vectors_of(py, place, "lowers", lowers)?;
    vectors_of(py, place, "uppers", uppers)?;
    let (count, other) = (count_of(lowers), count_of(uppers));
    if count != other {
        let text = format!("{place}: uppers has {other} elements, lowers has {count}");
        return Err(wrong(py, Code::Value, text));
    }
    let mut arrays = vec![
        ("lowers", lowers.get().view()),
        ("uppers", uppers.get().view()),
    ];
    if let Some(groups) = groups {
        groups_of(py, place, groups, (count, "lowers"))?;
        arrays.push(("groups", groups.get().view()));
    }
    device_of(py, place, &arrays)?;
    let mut reads = vec![input(lowers, place)?, input(uppers, place)?];
    if let Some(groups) = groups {
        reads.push(input(groups, place)?);
    }
    Ok(reads)
}

fn fill(
    py: Python<'_>,
    place: &'static str,
    tree: &Arc<Bvh>,
    reads: &[Core],
    anew: bool,
) -> PyResult<()> {
    let tree = Arc::clone(tree);
    let reads: Vec<&Core> = reads.iter().collect();
    perform_by_host(py, place, &reads, &[], move |views, stream| {
        // SAFETY: the command keeps the arrays.
        let inputs = unsafe { Inputs::of(views, stream) }?;
        let views = &inputs.views;
        let data = |view: &View| view.arg.data.cast_const();
        let boxes = Boxes {
            lowers: data(&views[0]).cast(),
            uppers: data(&views[1]).cast(),
            count: tree.items(),
            groups: views.get(2).map(|view| data(view).cast()),
        };
        // SAFETY: the views are contiguous and alive, and of these types and sizes.
        unsafe {
            match anew {
                true => tree.build(&boxes, stream),
                false => tree.refit(&boxes, stream),
            }
        }
    })
}

/// Adds the class to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<PyBvh>()
}
