//! What the readers of protocols share: what the memory is wanted for, dimensions, errors.
//!
//! [`Use`] says whether a temporary will do. Where something is written or shared it will not. An object that has only
//! `__array__` is then asked twice: two arrays that are alive at once lie in two places unless they are the object's own
//! memory.

use crate::object::message::describe;
use pyo3::prelude::*;
use warp_core::error::{Code, Error};
use warp_core::interop::{Desc, MAX_FOREIGN_NDIM};
use warp_dlpack::raise;

/// What the memory is wanted for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// Reading: a temporary that holds the values is as good.
    Read,
    /// What is written must arrive in the object: only its own memory will do.
    Share,
}

/// Puts dimensions into a `Desc`; without strides the elements follow each other in row-major order.
///
/// # Errors
/// There are too many dimensions, a negative one, or another number of strides.
pub fn set_layout(desc: &mut Desc, shape: &[i64], strides: Option<&[i64]>) -> Result<(), Error> {
    let bad = |what: String| Err(Error::new(Code::Value, what));
    if shape.len() > MAX_FOREIGN_NDIM {
        return bad(format!("{} dimensions are too many", shape.len()));
    }
    if let Some(n) = shape.iter().find(|n| **n < 0) {
        return bad(format!("a dimension of {n}"));
    }
    if strides.is_some_and(|s| s.len() != shape.len()) {
        return bad(format!(
            "{} strides for {} dimensions",
            strides.map_or(0, <[i64]>::len),
            shape.len()
        ));
    }
    desc.ndim = shape.len();
    let mut dense = desc.scalar.size() as i64;
    for d in (0..shape.len()).rev() {
        desc.shape[d] = shape[d];
        desc.strides[d] = strides.map_or(dense, |s| s[d]);
        // What overflows stays out of range for the import.
        dense = dense.saturating_mul(shape[d].max(1));
    }
    Ok(())
}

/// One of our errors, naming the object and the protocol.
pub fn refuse(value: &Bound<'_, PyAny>, protocol: &str, error: Error) -> PyErr {
    let place = format!("{protocol} of {}", describe(value));
    raise(value.py(), error.within(place))
}
