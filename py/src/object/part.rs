//! Parts of arrays on the same memory: fields of structs, other layouts; each with the same part of the gradient.

use super::access::check_access;
use super::array::Array;
use super::error::{Code, error, refuse};
use pyo3::prelude::*;
use warp_core::array::{Array as Core, Layout, Owner, View};
use warp_core::device::Device;
use warp_core::ty::{Elem, Leaf, Type};
use warp_dlpack::raise;

/// Part of an array of structs, with the same part of its gradient.
///
/// # Errors
/// Python has no memory.
pub fn part<'py>(array: &Bound<'py, Array>, leaf: &Leaf) -> PyResult<Bound<'py, Array>> {
    within(array, leaf.stored_as(), leaf.offset)
}

/// `a[name]`: one field of all elements of an array of structs, on the same memory.
///
/// # Errors
/// The array holds no structs, or they have no such field.
pub fn field<'py>(array: &Bound<'py, Array>, name: &str) -> PyResult<Bound<'py, Array>> {
    let view = array.get().view();
    let Elem::Struct(s) = view.elem else {
        return Err(error(
            Code::ArrayType,
            format!(
                "an array of {} has no fields: it is indexed by ints and slices, not by '{name}'",
                view.elem
            ),
        ));
    };
    let found = s.field(name).map(|(_, field)| (field, &field.ty));
    match found {
        Some((field, Type::Elem(elem))) => within(array, *elem, field.offset),
        Some((field, Type::Struct(inner))) if !inner.is_indexed() => {
            within(array, Elem::Struct(*inner), field.offset)
        }
        Some((field, ty)) => Err(error(
            Code::Type,
            format!(
                "field '{name}' of {s} is {ty}, and such of all elements form no array; take those of elements: a[i].{}",
                field.name
            ),
        )),
        None => {
            let names: Vec<&str> = s.fields().iter().map(|f| f.name.as_str()).collect();
            Err(error(
                Code::Key,
                format!("{s} has no field '{name}'; it has {}", names.join(", ")),
            ))
        }
    }
}

/// The field at byte `offset` of each element, with the same part of the gradient.
fn within<'py>(
    array: &Bound<'py, Array>,
    elem: Elem,
    offset: usize,
) -> PyResult<Bound<'py, Array>> {
    let (py, this) = (array.py(), array.get());
    let gradient = match this.gradient(py).filter(|_| elem.has_floats()) {
        Some(g) => {
            let view = part_view(g.get().view(), elem, offset);
            Some(
                Array::new(g.get().core.with_view(view))
                    .object(py)
                    .map(Bound::unbind)?,
            )
        }
        None => None,
    };
    let core = this.core.with_view(part_view(this.view(), elem, offset));
    Array::with_gradient(core, gradient).object(py)
}

/// Where a part of the elements lies.
pub fn part_view(view: &View, elem: Elem, offset: usize) -> View {
    let mut part = *view;
    part.elem = elem;
    if !part.arg.data.is_null() {
        part.arg.data = part.arg.data.wrapping_add(offset);
    }
    part
}

/// Another view of an array's memory, and the same view of its gradient.
///
/// # Errors
/// The gradient has no such view.
pub fn with_layout<'py>(
    array: &Bound<'py, Array>,
    offset: i64,
    layout: Layout,
    of_gradient: impl Fn(&Layout) -> warp_core::error::Result<(i64, Option<Layout>)>,
) -> PyResult<Bound<'py, Array>> {
    let (py, this) = (array.py(), array.get());
    let gradient = match this.gradient(py) {
        None => None,
        Some(g) => {
            let view = g.get().view();
            let raise = refuse(py, "the gradient");
            let (offset, layout) = of_gradient(&view.layout()).map_err(raise)?;
            let layout = layout.unwrap_or_else(|| view.layout());
            let part = g.get().core.with_view(view.at(offset, layout));
            Some(Array::new(part).object(py).map(Bound::unbind)?)
        }
    };
    let core = this.core.with_view(this.view().at(offset, layout));
    let part = Array::with_gradient(core, gradient).object(py)?;
    if this.is_truths() {
        part.get().set_truths();
    }
    Ok(part)
}

/// The array, or a contiguous copy of it.
///
/// # Errors
/// There is no memory, or a trace is running.
pub fn contiguous(py: Python<'_>, core: &Core) -> PyResult<Core> {
    if core.view.is_contiguous() {
        return Ok(core.clone());
    }
    check_access(core, "a copy")?;
    // SAFETY: the owner keeps the memory; Python's lock keeps others from writing meanwhile.
    unsafe { core.copy_to(core.view.device) }.map_err(refuse(py, "contiguous"))
}

/// An array with the same elements in memory of the host, without gaps: itself, or a copy. Waits for a GPU.
///
/// # Errors
/// As [`contiguous`], what the driver says, and faults of kernels that were waited for.
pub fn on_host(py: Python<'_>, core: &Core) -> PyResult<Core> {
    match core.view.device == Device::Cpu {
        true => contiguous(py, core),
        false => fetched(py, core),
    }
}

/// Reads the element at an offset: calls a function with an address at which the host can read it, and the owner of that memory.
/// Waits for a GPU.
///
/// # Errors
/// As [`on_host`], or those of the function.
#[inline]
pub fn read_element<T>(
    py: Python<'_>,
    core: &Core,
    offset: i64,
    read: impl FnOnce(*const u8, &Owner) -> PyResult<T>,
) -> PyResult<T> {
    let address = core.view.arg.data.wrapping_offset(offset as isize);
    if core.view.device == Device::Cpu {
        return read(address, &core.owner);
    }
    let layout =
        Layout::contiguous(&[1], core.view.elem.size()).map_err(refuse(py, "an element"))?;
    let one = View::new(address, layout, core.view.elem, core.view.device, true);
    let copy = fetched(py, &core.with_view(one))?;
    read(copy.view.arg.data, &copy.owner)
}

#[cold]
fn fetched(py: Python<'_>, core: &Core) -> PyResult<Core> {
    check_access(core, "a copy")?;
    let shape: Vec<i64> = core
        .view
        .layout()
        .shape()
        .iter()
        .map(|n| i64::from(*n))
        .collect();
    let copy = Core::empty(core.view.elem, &shape, Device::Cpu)
        .map_err(refuse(py, "a copy to the host"))?;
    let (to, from) = (Shareable(&copy), Shareable(core));
    // Others may run while the GPU is waited for.
    let copied = py.detach(move || {
        let (to, from) = (to, from);
        // SAFETY: new memory with the elements of `core`, which the caller holds.
        unsafe { to.0.copy_from(from.0) }
    });
    copied.map_err(|e| raise(py, e))?;
    Ok(copy)
}

/// An array that another thread of Python's may see meanwhile.
struct Shareable<'a>(&'a Core);

// SAFETY: the array stays on this thread; only Python's lock is given up.
unsafe impl Send for Shareable<'_> {}
