//! `wp.from_jax`, `wp.to_jax` and the names of jax's types and devices.

use crate::dtype;
use crate::object::Array;
use crate::object::access::check_access;
use crate::object::error::{Code, error, of_array, within};
use crate::object::message::describe;
use crate::runtime::device;
use crate::runtime::snapshot::before_sharing;
use crate::runtime::timeline::conversion;
use pyo3::prelude::*;
use warp_core::interop::{export, import};
use warp_core::ty::Elem;
use warp_dlpack::Adapter;
use warp_jax::Jax;

/// An array that shares a jax array's memory. Waits until jax has computed the values.
///
/// Args:
///     jax_array: The array, on one device.
///     dtype: What each element is; that of the jax array by default. The last dimensions become the components of a
///         vector or matrix type; integers may be read as signed or unsigned, bool as bytes.
///
/// Returns:
///     array: A read-only one, since arrays of jax's never change. It keeps the memory alive, and from being reused
///         where the jax array is donated.
///
/// Raises:
///     TypeError, ValueError: The array cannot be shared; the message says why.
#[pyfunction]
#[pyo3(signature = (jax_array, dtype=None))]
fn from_jax<'py>(
    jax_array: &Bound<'py, PyAny>,
    dtype: Option<&Bound<'_, PyAny>>,
) -> PyResult<Bound<'py, Array>> {
    conversion("from_jax", || imported(jax_array, dtype))?.object(jax_array.py())
}

fn imported(jax_array: &Bound<'_, PyAny>, dtype: Option<&Bound<'_, PyAny>>) -> PyResult<Array> {
    let py = jax_array.py();
    if !Jax::is_tensor(jax_array) {
        let hint = if warp_jax::is_traced(jax_array) {
            "; it has no values inside jax.jit and the like, where jax_kernel makes kernels functions of jax"
        } else {
            ""
        };
        return Err(error(
            Code::Type,
            format!(
                "from_jax: jax_array is {}, expected a jax.Array{hint}",
                describe(jax_array)
            ),
        ));
    }
    let elem = match dtype {
        None => None,
        Some(d) => Some(dtype::require_elem(d)?),
    };
    let named = |e: PyErr| within(py, &format!("from_jax: {}", describe(jax_array)), &e);
    let core = import::<Jax>(py, jax_array, elem).map_err(|e| of_array(named(e)))?;
    Ok(Array::new(core))
}

/// A jax array on an array's memory.
///
/// Args:
///     warp_array: The array. Components of vectors and matrices become the last dimensions.
///
/// Returns:
///     jax.Array: One that keeps the memory alive. It shares the memory where the array is contiguous; jax takes for
///         granted that nothing writes to it then.
///
/// Raises:
///     TypeError: It is no array, or has 64-bit elements while `jax_enable_x64` is off.
#[pyfunction]
fn to_jax<'py>(warp_array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    conversion("to_jax", || exported(warp_array))
}

fn exported<'py>(warp_array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let Ok(array) = warp_array.cast::<Array>() else {
        return Err(error(
            Code::Type,
            format!(
                "to_jax: warp_array is {}, expected a wp.array",
                describe(warp_array)
            ),
        ));
    };
    let py = warp_array.py();
    let view = array.get().view();
    check_access(&array.get().core, "to_jax")?;
    if !view.layout().is_contiguous(view.elem.size()) {
        let copy = warp_array.call_method0("contiguous")?;
        return exported(&copy);
    }
    before_sharing(py, view)?;
    export::<Jax>(py, &array.get().core)
}

/// The Warp type of a dtype of jax's.
///
/// Raises:
///     TypeError: There is none.
#[pyfunction]
fn dtype_from_jax<'py>(jax_dtype: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let scalar = warp_jax::dtype_from(jax_dtype)?;
    dtype::class_of(jax_dtype.py(), Elem::Scalar(scalar))
}

/// The scalar type of jax's for a Warp type, such as `jax.numpy.float32`.
///
/// Raises:
///     TypeError: There is none.
#[pyfunction]
fn dtype_to_jax<'py>(warp_dtype: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let scalar = dtype::require_scalar("dtype_to_jax", warp_dtype)?;
    warp_jax::dtype_to(warp_dtype.py(), scalar)
}

/// The Warp device of a `jax.Device`.
///
/// Raises:
///     RuntimeError: It is neither the CPU nor a GPU that is at hand.
#[pyfunction]
fn device_from_jax<'py>(jax_device: &Bound<'py, PyAny>) -> PyResult<Bound<'py, device::Device>> {
    device::object(jax_device.py(), warp_jax::device_from(jax_device)?)
}

/// The `jax.Device` of a Warp device; that of the current device for None.
///
/// Raises:
///     RuntimeError: jax has none.
#[pyfunction]
#[pyo3(signature = (warp_device=None))]
fn device_to_jax<'py>(
    py: Python<'py>,
    warp_device: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let device = device::resolve(warp_device)
        .map_err(|e| error(Code::Runtime, format!("device_to_jax: {}", e.value(py))))?;
    warp_jax::device_to(py, device)
}

/// Adds the functions to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(from_jax, m)?)?;
    m.add_function(wrap_pyfunction!(to_jax, m)?)?;
    m.add_function(wrap_pyfunction!(dtype_from_jax, m)?)?;
    m.add_function(wrap_pyfunction!(dtype_to_jax, m)?)?;
    m.add_function(wrap_pyfunction!(device_from_jax, m)?)?;
    m.add_function(wrap_pyfunction!(device_to_jax, m)?)
}
