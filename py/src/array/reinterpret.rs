//! `a.view(dtype)`: the same memory as other elements.

use crate::dtype;
use crate::object::Array;
use crate::object::error::{Code, error};
use crate::object::nested_arrays::may_hold;
use pyo3::prelude::*;
use warp_core::array::{Array as Core, Layout, View};
use warp_core::ty::{Elem, MAX_NDIM};

/// `a.view(dtype)`: elements of the same size; scalars of the last dimensions as vectors or matrices of them; and these as
/// scalars. The gradient of the same numbers is seen likewise.
///
/// # Errors
/// The memory does not hold such elements, or they are not aligned.
pub fn reinterpret(array: &Bound<'_, Array>, dtype: &Bound<'_, PyAny>) -> PyResult<Array> {
    let elem = dtype::require_elem(dtype)?;
    let (py, this) = (array.py(), array.get());
    let core = as_elements(&this.core, elem)?;
    let same_numbers = this.view().elem.scalar() == elem.scalar()
        && !matches!(elem, Elem::Struct(_))
        && !matches!(this.view().elem, Elem::Struct(_));
    let gradient = match this.gradient(py).filter(|_| same_numbers) {
        Some(g) => {
            let seen = as_elements(&g.get().core, elem)?;
            Some(Array::new(seen).object(py).map(Bound::unbind)?)
        }
        None => None,
    };
    Ok(Array::with_gradient(core, gradient))
}

fn as_elements(core: &Core, elem: Elem) -> PyResult<Core> {
    let from = &core.view;
    if let Some(held) = [from.elem, elem].into_iter().find(|e| may_hold(*e))
        && from.elem != elem
    {
        let text = format!("view: {held} holds arrays, whose addresses have no other meaning");
        return Err(error(Code::ArrayType, text));
    }
    let layout =
        layout_as(from, elem).map_err(|(code, why)| error(code, format!("view: {why}")))?;
    // Sizes of scalars are powers of two.
    let bits = (layout.strides.iter()).fold(from.arg.data as i64, |bits, stride| bits | stride);
    if bits & (elem.align() as i64 - 1) != 0 {
        return Err(error(
            Code::Value,
            format!("view: the elements are not aligned for {elem}"),
        ));
    }
    let mut view = from.at(0, layout);
    view.elem = elem;
    Ok(core.with_view(view))
}

/// How elements of another type lie in the memory of a view.
fn layout_as(view: &View, to: Elem) -> Result<Layout, (Code, String)> {
    let (from, mut layout) = (view.elem, view.layout());
    if from.size() == to.size() {
        return Ok(layout);
    }
    let same_scalars = from.scalar().size() == to.scalar().size()
        && !matches!(from, Elem::Struct(_))
        && !matches!(to, Elem::Struct(_));
    let ndim = layout.ndim as usize;
    match (from, to) {
        (Elem::Scalar(_), _) if same_scalars => {
            let inner = to.inner_shape();
            let kept = ndim.checked_sub(inner.len());
            let last = kept.map(|kept| (kept..ndim).zip(&inner).rev());
            let mut stride = from.size() as i64;
            let fits = last.is_some_and(|mut last| {
                last.all(|(d, n)| {
                    let lies = layout.strides[d] == stride || *n == 1 || layout.is_empty();
                    stride *= *n as i64;
                    layout.shape[d] as usize == *n && lies
                })
            });
            let (Some(kept), true) = (kept, fits) else {
                return Err((
                    Code::Value,
                    format!(
                        "an array of {from} of shape {:?} and strides {:?} cannot be viewed as {to}, whose {inner:?} must be \
                     its last dimensions, contiguous in memory",
                        layout.shape(),
                        layout.strides()
                    ),
                ));
            };
            for d in kept..ndim {
                (layout.shape[d], layout.strides[d]) = (1, 0);
            }
            layout.ndim = kept.max(1) as u8;
            if kept == 0 {
                layout.strides[0] = to.size() as i64;
            }
            Ok(layout)
        }
        (_, Elem::Scalar(_)) if same_scalars => {
            let inner = from.inner_shape();
            if ndim + inner.len() > MAX_NDIM {
                return Err((
                    Code::Value,
                    format!(
                        "the components of {from} would be dimensions {} to {}; an array has up to {MAX_NDIM}",
                        ndim + 1,
                        ndim + inner.len()
                    ),
                ));
            }
            let mut stride = to.size() as i64;
            for (d, n) in (ndim..).zip(&inner).collect::<Vec<_>>().into_iter().rev() {
                (layout.shape[d], layout.strides[d]) = (*n as i32, stride);
                stride *= *n as i64;
            }
            layout.ndim += inner.len() as u8;
            Ok(layout)
        }
        _ => Err((
            Code::Type,
            format!(
                "an element of {to} has {} bytes, one of {from} has {}; they must be equal, or one of them made of the other",
                to.size(),
                from.size()
            ),
        )),
    }
}
