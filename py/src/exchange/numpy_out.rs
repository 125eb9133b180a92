//! Arrays as NumPy's: `a.numpy()` and `a.__array__()`.

#[cfg(feature = "numpy")]
use super::structured;
use crate::object::Array;
use crate::object::access::check_access;
use crate::object::error::{Code, error};
use crate::object::part::on_host;
use crate::runtime::snapshot::before_sharing;
use crate::runtime::timeline::conversion;
use pyo3::prelude::*;
use warp_core::device::Device;
use warp_core::ty::Elem;

/// `a.numpy()`.
///
/// # Errors
/// NumPy is not installed, or a trace is running.
#[inline]
pub fn numpy<'py>(array: &Bound<'py, Array>) -> PyResult<Bound<'py, PyAny>> {
    conversion("numpy", || wrapped(array))
}

#[inline(always)]
fn wrapped<'py>(array: &Bound<'py, Array>) -> PyResult<Bound<'py, PyAny>> {
    before_sharing(array.py(), array.get().view())?;
    check_access(&array.get().core, "numpy")?;
    if array.get().view().device != Device::Cpu {
        return fetched(array);
    }
    #[cfg(feature = "numpy")]
    if let Elem::Struct(s) = array.get().view().elem {
        return structured::wrap(array, s);
    }
    #[cfg(feature = "numpy")]
    return warp_numpy::wrap(array.get().view(), array.clone().into_any());
    // What is below would ask us again.
    #[cfg(not(feature = "numpy"))]
    if let Elem::Struct(s) = array.get().view().elem {
        return Err(error(
            Code::Type,
            format!(
                "numpy: the array holds {s}, a struct, and this build was made without 'numpy', one of its cargo features"
            ),
        ));
    }
    #[cfg(not(feature = "numpy"))]
    return array
        .py()
        .import("numpy")?
        .getattr("asarray")?
        .call1((array,));
}

/// [`numpy`] of an array on a GPU: a copy.
#[cold]
fn fetched<'py>(array: &Bound<'py, Array>) -> PyResult<Bound<'py, PyAny>> {
    let py = array.py();
    let copy = Array::new(on_host(py, &array.get().core)?);
    numpy(&copy.object(py)?)
}

/// `a.__array__(dtype, copy)`.
///
/// # Errors
/// The dtype cannot be had without a copy, and none is allowed.
pub fn array<'py>(
    array: &Bound<'py, Array>,
    dtype: Option<&Bound<'py, PyAny>>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = array.py();
    let on = array.get().view().device;
    if copy == Some(false) && on != Device::Cpu {
        let text =
            format!("the array is on the device \"{on}\", which NumPy reaches only by a copy");
        return Err(error(Code::Value, text));
    }
    let own = numpy(array)?;
    if let Some(dtype) = dtype.filter(|d| !d.is_none()) {
        let wanted = py.import("numpy")?.getattr("dtype")?.call1((dtype,))?;
        if !own.getattr("dtype")?.eq(&wanted)? {
            if copy == Some(false) {
                return Err(error(
                    Code::Value,
                    format!(
                        "an array of {} cannot become {wanted} without a copy",
                        array.get().view().elem
                    ),
                ));
            }
            return own.call_method1("astype", (wanted,));
        }
    }
    if copy == Some(true) {
        return own.call_method0("copy");
    }
    Ok(own)
}
