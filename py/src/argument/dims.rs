//! Launch dimensions.

use crate::kernel::Kernel;
use crate::object::error::{Code, error};
use crate::object::message::describe;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList, PyTuple};
use warp_core::launch::{Dims, Grid};
use warp_core::ty::MAX_NDIM;
use warp_dlpack::Lenient;

/// Reads `dim`.
///
/// # Errors
/// `dim` is no int and no tuple of 1 to 4 ints, or is out of range.
pub fn dims(kernel: &Kernel, dim: &Bound<'_, PyAny>) -> PyResult<Dims> {
    let mut dims = Dims::default();
    read_dims(kernel, dim, &mut dims)?;
    Ok(dims)
}

/// Reads `dim` into the default. In place, because a processor waits where extents that were just written one by one are
/// moved as a whole.
///
/// # Errors
/// As [`dims`].
#[inline]
pub fn read_dims(kernel: &Kernel, dim: &Bound<'_, PyAny>, dims: &mut Dims) -> PyResult<()> {
    if dim.is_exact_instance_of::<PyInt>() {
        dims.shape[0] = extent(kernel, dim)?;
        return Ok(());
    }
    read_several(kernel, dim, dims)
}

fn read_several(kernel: &Kernel, dim: &Bound<'_, PyAny>, dims: &mut Dims) -> PyResult<()> {
    if let Ok(tuple) = dim.cast::<PyTuple>() {
        dims.ndim = tuple.len();
        for (at, item) in tuple.iter().take(MAX_NDIM).enumerate() {
            dims.shape[at] = extent(kernel, &item)?;
        }
    } else if let Ok(list) = dim.cast::<PyList>() {
        dims.ndim = list.len();
        for (at, item) in list.iter().take(MAX_NDIM).enumerate() {
            dims.shape[at] = extent(kernel, &item)?;
        }
    } else if let Some(items) = integers(dim)? {
        dims.ndim = items.len();
        for (at, item) in items.iter().take(MAX_NDIM).enumerate() {
            dims.shape[at] = extent(kernel, item)?;
        }
    } else {
        dims.shape[0] = extent(kernel, dim)?;
    }
    if !(1..=MAX_NDIM).contains(&dims.ndim) {
        return Err(error(
            Code::Value,
            format!(
                "launch of kernel '{}': dim has {} dimensions, expected 1 to {MAX_NDIM}",
                kernel.title(),
                dims.ndim
            ),
        ));
    }
    let mut total = 1i64;
    for extent in dims.shape {
        total = match total.checked_mul(extent.into()) {
            Some(total) => total,
            None => {
                return Err(error(
                    Code::Overflow,
                    format!(
                        "launch of kernel '{}': dim {:?} has more than 2**63 threads",
                        kernel.title(),
                        &dims.shape[..dims.ndim]
                    ),
                ));
            }
        };
    }
    Ok(())
}

/// Reads `max_blocks` and `block_dim`, which say how a launch is spread over blocks on a GPU.
///
/// # Errors
/// One is out of range.
pub fn grid(kernel: &Kernel, max_blocks: i64, block_dim: Option<i64>) -> PyResult<Grid> {
    let wrong = |text: String| {
        let place = format!("launch of kernel '{}'", kernel.title());
        Err(error(Code::Value, format!("{place}: {text}")))
    };
    let mut grid = Grid::default();
    match u32::try_from(max_blocks) {
        Ok(most) => grid.max_blocks = most,
        Err(_) => {
            return wrong(format!(
                "max_blocks is {max_blocks}, expected 0 (any number) or more"
            ));
        }
    }
    match block_dim {
        // 0 is what older callers pass for none: the kernel's module says how many.
        None | Some(0) => {}
        Some(threads @ 1..=1024) => grid.block_dim = threads as u32,
        Some(threads) => {
            return wrong(format!(
                "block_dim is {threads}, expected 1 to 1024 threads"
            ));
        }
    }
    Ok(grid)
}

/// The items of an array of integers of NumPy's in one dimension.
///
/// # Errors
/// What came meanwhile and must pass.
fn integers<'py>(dim: &Bound<'py, PyAny>) -> PyResult<Option<Vec<Bound<'py, PyAny>>>> {
    if !is_array(dim) {
        return Ok(None);
    }
    let read = || -> PyResult<Option<Vec<Bound<'py, PyAny>>>> {
        let kind: String = dim.getattr("dtype")?.getattr("kind")?.extract()?;
        let ndim: usize = dim.getattr("ndim")?.extract()?;
        if ndim != 1 || !matches!(kind.as_str(), "i" | "u") {
            return Ok(None);
        }
        dim.call_method0("tolist")?.extract().map(Some)
    };
    Ok(read().lenient()?.flatten())
}

/// Whether it is an array of NumPy's: one without dimensions would pass for an int.
fn is_array(value: &Bound<'_, PyAny>) -> bool {
    #[cfg(feature = "numpy")]
    return warp_numpy::is_array(value);
    #[cfg(not(feature = "numpy"))]
    {
        let _ = value;
        false
    }
}

fn extent(kernel: &Kernel, value: &Bound<'_, PyAny>) -> PyResult<i32> {
    let wide = if value.is_instance_of::<PyInt>() {
        value.extract::<i64>().lenient()?
    } else if is_array(value) {
        None
    } else {
        value
            .call_method0(pyo3::intern!(value.py(), "__index__"))
            .and_then(|i| i.extract())
            .lenient()?
    };
    let Some(wide) = wide else {
        let huge = value.is_instance_of::<PyInt>();
        let text = if huge {
            "an int of more than 64 bits".into()
        } else {
            describe(value)
        };
        return Err(error(
            Code::Launch,
            format!(
                "launch of kernel '{}': dim is {text}, expected an int or a tuple of 1 to {MAX_NDIM} ints",
                kernel.title()
            ),
        ));
    };
    match i32::try_from(wide) {
        Ok(extent) if extent >= 0 => Ok(extent),
        _ => Err(error(
            Code::Value,
            format!(
                "launch of kernel '{}': dim {wide} is out of range, expected 0 to 2147483647 (thread \
             indices are int32; use several dimensions for more threads)",
                kernel.title()
            ),
        )),
    }
}
