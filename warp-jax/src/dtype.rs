//! Scalars as jax names them: NumPy's types and those of ml_dtypes, under the names of the one table.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyType;
use warp_core::dtype::{Scalar, TABLE};
use warp_core::error::{Code, Error};
use warp_dlpack::raise;

/// Whether jax has the type only where 64-bit types are switched on.
pub const fn wide(scalar: Scalar) -> bool {
    scalar.bits() == 64
}

/// The scalar type of jax, such as `jax.numpy.float32`.
///
/// # Errors
/// jax cannot be imported.
pub fn dtype_to(py: Python<'_>, scalar: Scalar) -> PyResult<Bound<'_, PyAny>> {
    let name = match scalar {
        Scalar::Bool => "bool_",
        s => s.name(),
    };
    py.import("jax.numpy")?.getattr(name)
}

/// The scalar of a type of jax's: `jax.numpy.float32`, an array's `dtype`, or a scalar type of NumPy or ml_dtypes.
///
/// # Errors
/// The object is no type of jax's, or one without a counterpart.
pub fn dtype_from(dtype: &Bound<'_, PyAny>) -> PyResult<Scalar> {
    let py = dtype.py();
    let refuse = |what: String| {
        let names: Vec<_> = TABLE.iter().map(|r| r.name).collect();
        let error = Error::new(Code::Type, what).hint(format!("supported: {}", names.join(", ")));
        Err(raise(py, error))
    };
    let numpy = py.import("numpy")?;
    let descr_type = numpy.getattr("dtype")?;
    let descr = if dtype.is_instance(&descr_type)? {
        dtype.clone()
    } else if let Some(own) = own_dtype(dtype, &descr_type)? {
        own
    } else if let Ok(class) = dtype.cast::<PyType>()
        && class.is_subclass(&numpy.getattr("generic")?)?
    {
        descr_type.call1((class,))?
    } else {
        return refuse(format!("expected a dtype of jax, found {}", dtype.repr()?));
    };
    let name: String = descr.getattr(intern!(py, "name"))?.extract()?;
    match TABLE.iter().find(|r| r.name == name) {
        Some(row) => Ok(row.scalar),
        None => refuse(format!("the jax type {name} has no counterpart")),
    }
}

/// The `dtype` that jax's scalar types carry.
fn own_dtype<'py>(
    dtype: &Bound<'py, PyAny>,
    descr_type: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    match dtype.getattr_opt(intern!(dtype.py(), "dtype"))? {
        Some(own) if own.is_instance(descr_type)? => Ok(Some(own)),
        _ => Ok(None),
    }
}
