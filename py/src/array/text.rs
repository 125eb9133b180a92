//! Arrays as text: as NumPy prints them, or plainly where it is not installed.

use super::{attribute, index};
use crate::exchange::data;
use crate::exchange::numpy_out::numpy;
use crate::object::package::PACKAGE;
use crate::object::{Array, trace_state};
use pyo3::prelude::*;
use warp_core::dtype::Scalar;
use warp_dlpack::Lenient;

/// With more elements than this, only those at the ends of each dimension are shown.
const MANY: usize = 1000;
/// How many those are.
const ENDS: usize = 3;

/// `repr(a)`: content and type, or an annotation as a program writes it. Where the content cannot be read now, as in a capture,
/// type and shape.
///
/// # Errors
/// Python has no memory, or it is interrupted.
pub fn repr(array: &Bound<'_, Array>) -> PyResult<String> {
    let (py, this) = (array.py(), array.get());
    let dtype = attribute::dtype(py, this)?;
    let name: String = dtype.getattr("__name__")?.extract()?;
    if this.is_annotation() {
        let ours = PACKAGE.namespace.get(py)?.getattr_opt(name.as_str())?;
        let place = if ours.is_some_and(|ours| ours.is(&dtype)) {
            "wp."
        } else {
            ""
        };
        return Ok(match this.view().ndim {
            1 => format!("wp.array[{place}{name}]"),
            ndim => format!("wp.array{ndim}d[{place}{name}]"),
        });
    }
    // Reading would end a trace.
    let shown = match trace_state::active() {
        true => None,
        false => PACKAGE.array_shown.call(py, (array,)).lenient()?,
    };
    match shown {
        Some(shown) => shown.extract(),
        None => {
            let shape = attribute::shape(py, this)?;
            Ok(format!("array(shape={shape}, dtype={name})"))
        }
    }
}

/// The content, or an annotation as a program writes it.
///
/// # Errors
/// A trace is running.
pub fn text(array: &Bound<'_, Array>) -> PyResult<String> {
    let py = array.py();
    if array.get().is_annotation() {
        return repr(array);
    }
    if py.import("numpy").lenient()?.is_none() {
        return plain(array);
    }
    // A float that NumPy lacks, as bfloat16: every value is a float32, too.
    let shown = match array.get().view().elem.scalar() {
        scalar if !scalar.is_numpys() => {
            let elem = array.get().view().elem.with_scalar(Scalar::F32);
            let core = data::source(array.as_any(), elem)?;
            numpy(&Array::new(core).object(py)?)?
        }
        _ => numpy(array)?,
    };
    Ok(shown.str()?.to_string())
}

fn plain(array: &Bound<'_, Array>) -> PyResult<String> {
    let few = array.get().view().layout().len() <= MANY;
    rows(array.as_any(), few)
}

fn rows(item: &Bound<'_, PyAny>, few: bool) -> PyResult<String> {
    let Ok(array) = item.cast::<Array>() else {
        return Ok(item.str()?.to_string());
    };
    let n = array.get().view().arg.shape[0] as usize;
    let mut parts = Vec::new();
    for i in 0..n {
        if !few && n > 2 * ENDS && i == ENDS {
            parts.push("...".to_owned());
        }
        if few || n <= 2 * ENDS || i < ENDS || i >= n - ENDS {
            let row = index::get(array, i.into_pyobject(item.py())?.as_any())?;
            parts.push(rows(&row, few)?);
        }
    }
    Ok(format!("[{}]", parts.join(" ")))
}
