//! Arrays that objects are built of.

use crate::algorithm::operand::{expect, wrong};
use crate::object::Array;
use crate::object::error::Code;
use pyo3::prelude::*;
use warp_core::device::Device;
use warp_core::dtype::Scalar;
use warp_core::ty::Elem;

/// How many elements an array has.
pub fn count_of(array: &Bound<'_, Array>) -> usize {
    array.get().view().layout().len()
}

/// Checks that an array holds vectors with 3 components of float32.
///
/// # Errors
/// It holds something else.
pub fn vectors_of(
    py: Python<'_>,
    place: &str,
    name: &str,
    array: &Bound<'_, Array>,
) -> PyResult<()> {
    let scalar = Scalar::F32;
    expect(
        py,
        place,
        name,
        array.get().view(),
        Elem::Vec { len: 3, scalar },
    )
}

/// Checks groups: a number (int32) for each of the elements of another array.
///
/// # Errors
/// They are something else, or not as many.
pub fn groups_of(
    py: Python<'_>,
    place: &str,
    groups: &Bound<'_, Array>,
    (count, of): (usize, &str),
) -> PyResult<()> {
    expect(
        py,
        place,
        "groups",
        groups.get().view(),
        Elem::Scalar(Scalar::I32),
    )?;
    let found = count_of(groups);
    if found != count {
        let text = format!("{place}: groups has {found} elements, {of} has {count}");
        return Err(wrong(py, Code::Value, text));
    }
    Ok(())
}

/// Checks that an array lies where its object does.
///
/// # Errors
/// It is on another device.
pub fn check_device(
    py: Python<'_>,
    place: &str,
    (name, array): (&str, &Bound<'_, Array>),
    (device, object): (Device, &str),
) -> PyResult<()> {
    let found = array.get().view().device;
    if found == device {
        return Ok(());
    }
    let text =
        format!("{place}: {name} is on the device \"{found}\", the {object} is on \"{device}\"");
    Err(wrong(py, Code::Value, text))
}
