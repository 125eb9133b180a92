//! Shape and strides that are assigned: the same memory in another order, as `a.strides = (0,) + a.strides` and then
//! `a.shape = (3,) + a.shape` repeat an array.

use crate::object::Array;
use crate::object::error::{Code, error, refuse};
use pyo3::prelude::*;
use warp_core::array::{Layout, View};

/// `a.shape = shape`: with strides that were assigned for as many dimensions, or else those that the array has; one whose elements
/// lie close together is reshaped.
///
/// # Errors
/// The elements would lie outside the array's memory, or there are strides for another number of dimensions.
pub fn set_shape(array: &Bound<'_, Array>, shape: &[i64]) -> PyResult<()> {
    let (py, this) = (array.py(), array.get());
    let (view, waiting) = (this.view(), this.waiting_strides());
    let size = view.elem.size();
    let count: i128 = shape.iter().map(|n| i128::from(*n)).product();
    let same_count = count == view.layout().len() as i128;
    let layout = match waiting {
        Some(strides) => Layout::strided(shape, &strides),
        None if view.is_contiguous() && same_count => view.layout().reshape(shape, size),
        None => Layout::strided(shape, view.layout().strides()),
    };
    apply(array, layout.map_err(refuse(py, "shape"))?, "shape")
}

/// `a.strides = strides`, in bytes. Those of another number of dimensions wait for their shape.
///
/// # Errors
/// The elements would lie outside the array's memory.
pub fn set_strides(array: &Bound<'_, Array>, strides: &[i64]) -> PyResult<()> {
    let (py, this) = (array.py(), array.get());
    let layout = this.view().layout();
    if strides.len() != layout.shape().len() {
        this.set_waiting_strides(Some(strides.into()));
        return Ok(());
    }
    let shape: Vec<i64> = layout.shape().iter().map(|n| i64::from(*n)).collect();
    let layout = Layout::strided(&shape, strides).map_err(refuse(py, "strides"))?;
    apply(array, layout, "strides")
}

/// `a.ndim = n`, between strides and shape of another number of dimensions.
///
/// # Errors
/// It is neither the number of dimensions nor that of the strides that were assigned.
pub fn set_ndim(array: &Array, n: usize) -> PyResult<()> {
    let waits = array.waiting_strides().map(|strides| strides.len());
    if n == usize::from(array.view().ndim) || Some(n) == waits {
        return Ok(());
    }
    let text = format!(
        "ndim: the array has {} dimensions, not {n}; assign strides, then ndim and shape",
        array.view().ndim
    );
    Err(error(Code::Value, text))
}

fn apply(array: &Bound<'_, Array>, layout: Layout, place: &str) -> PyResult<()> {
    let (py, this) = (array.py(), array.get());
    let view = *this.view();
    let fitting = checked(this, &view, layout, place)?;
    if let Some(gradient) = this.gradient(py) {
        let of = *gradient.get().view();
        if of.layout() != view.layout() {
            let text = format!("{place}: the array's gradient has another layout");
            return Err(error(Code::Value, text));
        }
        let fitting = checked(gradient.get(), &of, layout, place)?;
        gradient.get().relayout(fitting);
    }
    this.relayout(fitting);
    this.set_waiting_strides(None);
    Ok(())
}

/// The view with another layout, if all elements are in memory that the array has had from the beginning.
fn checked(array: &Array, view: &View, layout: Layout, place: &str) -> PyResult<View> {
    if array.is_annotation() {
        let text = format!("{place}: an annotation has no memory");
        return Err(error(Code::Attribute, text));
    }
    let (size, align) = (view.elem.size(), view.elem.align() as i64);
    let (have, want) = (array.span(), layout.byte_range(size));
    if want.start < have.start || want.end > have.end {
        let text = format!(
            "{place}: shape {:?} with byte strides {:?} reaches bytes {} to {}, the array has bytes {} to {}",
            layout.shape(),
            layout.strides(),
            want.start,
            want.end,
            have.start,
            have.end
        );
        return Err(error(Code::Value, text));
    }
    if layout.strides().iter().any(|s| s % align != 0) {
        let text = format!("{place}: strides are multiples of the {align} bytes of a component");
        return Err(error(Code::Value, text));
    }
    Ok(view.at(0, layout))
}
