//! Operators on arrays: launches of kernels that `warp._map` makes, for what is an array or a value of kernels. Beside
//! anything else, that computes: NumPy, or torch.

use crate::dtype;
use crate::object::Array;
use crate::runtime::device;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyList, PyTuple};
use smallvec::SmallVec;
use warp_core::array::{Layout, View};
use warp_core::ty::Elem;

/// A function of `warp._map`, looked up once.
fn function<'py>(
    py: Python<'py>,
    slot: &'static PyOnceLock<Py<PyAny>>,
    name: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let found = slot.get_or_try_init(py, || {
        Ok::<_, PyErr>(py.import("warp._map")?.getattr(name)?.unbind())
    })?;
    Ok(found.bind(py).clone())
}

/// Whether an operand is ours: an array, a number of Python's, or a value of kernels.
fn is_operand(other: &Bound<'_, PyAny>) -> bool {
    other.is_instance_of::<Array>()
        || other.is_exact_instance_of::<PyFloat>()
        || other.is_exact_instance_of::<PyInt>()
        || other.is_exact_instance_of::<PyBool>()
        || dtype::elem_of(other.get_type().as_any()).is_some()
}

/// `array op other`, or `other op array` where that is `reflected`.
///
/// # Errors
/// There is no such operation on these elements, the shapes do not fit each other, or there is no memory.
pub fn binary<'py>(
    symbol: &str,
    array: &Bound<'py, Array>,
    other: &Bound<'py, PyAny>,
    reflected: bool,
) -> PyResult<Bound<'py, PyAny>> {
    static BINARY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = array.py();
    if !is_operand(other) {
        return Ok(py.NotImplemented().into_bound(py));
    }
    let compute = function(py, &BINARY, "binary")?;
    match reflected {
        false => compute.call1((symbol, array, other)),
        true => compute.call1((symbol, other, array)),
    }
}

/// `array op= other`.
///
/// # Errors
/// As [`binary`]; the array is read-only; or the result has another type or shape.
pub fn in_place(symbol: &str, array: &Bound<'_, Array>, other: &Bound<'_, PyAny>) -> PyResult<()> {
    static IN_PLACE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    array.get().check_writable("array assignment")?;
    let compute = function(array.py(), &IN_PLACE, "in_place")?;
    compute.call1((symbol, array, other)).map(|_| ())
}

/// `op array`.
///
/// # Errors
/// As [`binary`].
pub fn unary<'py>(symbol: &str, array: &Bound<'py, Array>) -> PyResult<Bound<'py, PyAny>> {
    static UNARY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    function(array.py(), &UNARY, "unary")?.call1((symbol, array))
}

/// What inputs of one shape have in common: see [`_alike`].
type Alike<'py> = (Bound<'py, PyBytes>, Bound<'py, PyTuple>, bool);

/// What stands for the types and the number of dimensions of inputs of one shape on the current device, the shape, and
/// whether one requires a gradient. None for others.
#[pyfunction]
fn _alike<'py>(inputs: &Bound<'py, PyList>) -> PyResult<Option<Alike<'py>>> {
    let py = inputs.py();
    let device = device::current();
    let mut key: SmallVec<[u8; 64]> = SmallVec::new();
    let mut first: Option<Layout> = None;
    let mut grad = false;
    for input in inputs.iter() {
        let Ok(array) = input.cast_exact::<Array>() else {
            if dtype::elem_of(input.get_type().as_any()).is_none() {
                return Ok(None);
            }
            key.push(0);
            key.extend_from_slice(&(input.get_type().as_ptr() as usize).to_ne_bytes());
            continue;
        };
        let (array, view) = (array.get(), array.get().view());
        let layout = view.layout();
        let other_shape = first.is_some_and(|first| first.shape() != layout.shape());
        if view.device != device || other_shape {
            return Ok(None);
        }
        first = Some(layout);
        grad = grad || array.has_gradient();
        key.push(view.ndim);
        let (tag, rows, cols) = match view.elem {
            Elem::Scalar(_) => (1, 0, 0),
            Elem::Vec { len, .. } => (2, len as usize, 0),
            Elem::Mat { rows, cols, .. } => (3, rows as usize, cols),
            Elem::Quat(_) => (4, 0, 0),
            Elem::Transform(_) => (5, 0, 0),
            // Types of structs live for ever.
            Elem::Struct(s) => (6, s.fields().as_ptr() as usize, 0),
        };
        key.extend_from_slice(&[tag, view.elem.scalar() as u8]);
        key.extend_from_slice(&rows.to_ne_bytes());
        key.extend_from_slice(&cols.to_ne_bytes());
    }
    let Some(layout) = first else { return Ok(None) };
    let shape = PyTuple::new(py, layout.shape())?;
    Ok(Some((PyBytes::new(py, &key), shape, grad)))
}

/// How the memory of two arrays meets: not at all, as the same elements in the same order, or otherwise.
#[pyfunction]
fn _meeting(a: &Bound<'_, Array>, b: &Bound<'_, Array>) -> &'static str {
    let (a, b) = (a.get().view(), b.get().view());
    let range = |view: &View| {
        let range = view.layout().byte_range(view.elem.size());
        let at = view.arg.data as i64;
        at + range.start..at + range.end
    };
    let (x, y) = (range(a), range(b));
    if x.start >= y.end || y.start >= x.end {
        return "apart";
    }
    let same = a.arg.data == b.arg.data && a.elem == b.elem && a.layout() == b.layout();
    if same { "same" } else { "overlap" }
}

/// Adds the functions to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_alike, m)?)?;
    m.add_function(wrap_pyfunction!(_meeting, m)?)
}
