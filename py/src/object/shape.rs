//! Dimensions: as arguments give them, and of views.

use super::error::{Code, error};
use super::message::type_error;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList, PyTuple};
use smallvec::SmallVec;
use warp_core::array::View;
use warp_core::ty::MAX_NDIM;
use warp_dlpack::{Lenient, raise_noted};

/// Dimensions or strides: an int or a sequence of ints.
///
/// # Errors
/// The object is no int and no sequence of 1 to 4 ints.
pub fn shape(object: &Bound<'_, PyAny>) -> PyResult<SmallVec<[i64; MAX_NDIM]>> {
    let int = |i: &Bound<'_, PyAny>| -> Option<i64> {
        if i.is_exact_instance_of::<PyInt>() {
            return i.extract().ok();
        }
        let index = (i.call_method0(pyo3::intern!(i.py(), "__index__"))).or_note()?;
        index.extract().ok()
    };
    // Tuples first: asking one whether it is an int makes an exception.
    let items = if let Ok(t) = object.cast::<PyTuple>() {
        t.iter().map(|i| int(&i)).collect::<Option<_>>()
    } else if let Ok(l) = object.cast::<PyList>() {
        l.iter().map(|i| int(&i)).collect::<Option<_>>()
    } else if let Some(n) = int(object) {
        Some(SmallVec::from_slice(&[n]))
    } else {
        let items = object.try_iter().or_note();
        items.and_then(|items| items.map(|i| int(&i.or_note()?)).collect::<Option<_>>())
    };
    raise_noted()?;
    let wrong = || type_error("an int or a tuple of ints as shape", object);
    let items: SmallVec<[i64; MAX_NDIM]> = items.ok_or_else(wrong)?;
    if items.is_empty() || items.len() > MAX_NDIM {
        return Err(error(
            Code::ArrayValue,
            format!(
                "shape {items:?} has {} dimensions, an array has 1 to {MAX_NDIM}",
                items.len()
            ),
        ));
    }
    Ok(items)
}

/// The dimensions of a view.
pub fn dims(view: &View) -> SmallVec<[i64; MAX_NDIM]> {
    let layout = view.layout();
    layout.shape().iter().map(|n| i64::from(*n)).collect()
}
