//! Arrays as text: as NumPy prints them, or plainly where it is not installed.

use super::index;
use crate::exchange::data;
use crate::exchange::numpy_out::numpy;
use crate::object::Array;
use pyo3::prelude::*;
use warp_core::dtype::Scalar;
use warp_dlpack::Lenient;

/// With more elements than this, only those at the ends of each dimension are shown.
const MANY: usize = 1000;
/// How many those are.
const ENDS: usize = 3;

/// The content.
///
/// # Errors
/// A trace is running.
pub fn text(array: &Bound<'_, Array>) -> PyResult<String> {
    let py = array.py();
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
