//! `wp.from_numpy`, `wp.dtype_from_numpy`, `wp.dtype_to_numpy`.

use crate::array::{Request, array, set_retain};
use crate::dtype;
use crate::object::Array;
use crate::object::error::{Code, error, of_array};
use crate::object::message::describe;
#[cfg(feature = "numpy")]
use crate::object::shape::shape as read_shape;
use crate::runtime::timeline::conversion;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use warp_core::ty::Elem;

/// A new array with the content of a NumPy array.
///
/// Args:
///     arr: The NumPy array, or anything that `wp.array` accepts.
///     dtype: What each element is. The last dimensions become the components of a vector or matrix type. By default
///         elements are those of `arr` in one dimension, vectors in two, matrices in three: `dtype=float` keeps numbers.
///     shape: Dimensions of the result; those of `arr` by default.
///     device: Where; the current device by default.
///     requires_grad: Whether the array has a gradient.
///     retain_grad: Accepted for compatibility, where there is a gradient.
///
/// Raises:
///     RuntimeError: The NumPy type is not supported.
#[pyfunction]
#[pyo3(signature = (arr, dtype=None, shape=None, device=None, requires_grad=false, retain_grad=false))]
fn from_numpy<'py>(
    arr: &Bound<'py, PyAny>,
    dtype: Option<&Bound<'_, PyAny>>,
    shape: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
    requires_grad: bool,
    retain_grad: bool,
) -> PyResult<Bound<'py, Array>> {
    conversion("from_numpy", || {
        imported(arr, dtype, shape, device, (requires_grad, retain_grad))
    })?
    .object(arr.py())
}

fn imported(
    arr: &Bound<'_, PyAny>,
    dtype: Option<&Bound<'_, PyAny>>,
    shape: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
    (requires_grad, retain_grad): (bool, bool),
) -> PyResult<Array> {
    let py = arr.py();
    #[cfg(feature = "numpy")]
    if warp_numpy::is_array(arr)
        && !dtype.is_some_and(|d| matches!(dtype::elem_of(d), Some(Elem::Struct(_))))
        && let Err(e) = warp_numpy::from_descr(&arr.getattr("dtype")?)
        && e.message.contains("no counterpart")
    {
        return Err(error(Code::Runtime, format!("from_numpy: {e}")));
    }
    let own = match dtype {
        None => components(arr, shape)?,
        Some(_) => None,
    };
    let made = array(
        py,
        &Request {
            data: Some(arr),
            dtype: own.as_ref().or(dtype),
            shape,
            device,
            copy: true,
            requires_grad,
            ..Request::default()
        },
    )
    .map_err(of_array)?;
    set_retain(&made, retain_grad, "from_numpy")?;
    Ok(made)
}

/// The type of elements of an array that has two dimensions or three: vectors or matrices of the last ones, unless `shape`
/// asks for as many elements as there are numbers.
fn components<'py>(
    arr: &Bound<'py, PyAny>,
    shape: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    #[cfg(feature = "numpy")]
    if warp_numpy::is_array(arr)
        && let Ok(scalar) = warp_numpy::from_descr(&arr.getattr("dtype")?)
    {
        let own: Vec<u32> = arr.getattr("shape")?.extract()?;
        let numbers: i64 = own.iter().map(|n| i64::from(*n)).product();
        if let Some(shape) = shape
            && read_shape(shape)?.iter().product::<i64>() == numbers
        {
            return Ok(None);
        }
        let elem = match *own.as_slice() {
            [_, len] if len > 0 => Elem::Vec { len, scalar },
            [_, rows, cols] if rows > 0 && cols > 0 => Elem::Mat { rows, cols, scalar },
            _ => return Ok(None),
        };
        return dtype::class_of(arr.py(), elem).map(Some);
    }
    let _ = (arr, shape);
    Ok(None)
}

/// The Warp type of a NumPy dtype.
///
/// Raises:
///     TypeError: There is none.
#[pyfunction]
fn dtype_from_numpy<'py>(numpy_dtype: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = numpy_dtype.py();
    #[cfg(feature = "numpy")]
    warp_numpy::require(py)?;
    let descr = py
        .import("numpy")?
        .getattr("dtype")?
        .call1((numpy_dtype,))?;
    #[cfg(feature = "numpy")]
    let scalar = warp_numpy::from_descr(&descr)
        .map_err(|e| warp_dlpack::raise(py, e.within("dtype_from_numpy")))?;
    #[cfg(not(feature = "numpy"))]
    let scalar = {
        let name: String = descr.getattr("name")?.extract()?;
        warp_core::dtype::Scalar::from_name(&name)
            .ok_or_else(|| error(Code::Type, format!("dtype_from_numpy: no type {name}")))?
    };
    dtype::class_of(py, Elem::Scalar(scalar))
}

/// The NumPy dtype of a Warp type; for vectors and matrices one with a shape.
///
/// Raises:
///     TypeError: There is none.
#[pyfunction]
fn dtype_to_numpy<'py>(warp_dtype: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = warp_dtype.py();
    let elem = dtype::elem_of(warp_dtype).ok_or_else(|| {
        error(
            Code::Type,
            format!(
                "dtype_to_numpy: expected a Warp type, found {}",
                describe(warp_dtype)
            ),
        )
    })?;
    if let Elem::Struct(_) = elem {
        return warp_dtype.call_method0("_numpy_dtype_of");
    }
    #[cfg(feature = "numpy")]
    let descr = warp_numpy::to_descr(py, elem.scalar())?;
    #[cfg(not(feature = "numpy"))]
    let descr = py
        .import("numpy")?
        .getattr("dtype")?
        .call1((elem.scalar().name(),))?;
    let inner = elem.inner_shape();
    if inner.is_empty() {
        return Ok(descr);
    }
    py.import("numpy")?
        .getattr("dtype")?
        .call1(((descr, PyTuple::new(py, inner)?),))
}

/// Adds the functions to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(from_numpy, m)?)?;
    m.add_function(wrap_pyfunction!(dtype_from_numpy, m)?)?;
    m.add_function(wrap_pyfunction!(dtype_to_numpy, m)?)
}
