//! Writing elements: of another array (assigning, `wp.copy`, `clone`), or one to all (`fill_`, `a[key] = value`).

use super::gradient::zero_gradient;
use crate::exchange::data;
use crate::object::access::check_current;
use crate::object::error::{Code, error, of_array, refuse, within};
use crate::object::message::type_error;
use crate::object::part::contiguous;
use crate::object::shape::dims;
use crate::object::{Array, trace_state};
use crate::runtime::snapshot::before_write;
use crate::runtime::stream::resolve_stream;
use crate::runtime::{device, tapes};
use crate::trace;
use pyo3::prelude::*;
use warp_core::array::{Array as Core, Layout, View, copy as elements};

/// As [`write`], through a launch where a tape records and the target has a gradient.
///
/// # Errors
/// The shapes differ, the array is read-only, or the source cannot become its dtype.
pub fn assign(array: &Bound<'_, Array>, src: &Bound<'_, PyAny>, what: &str) -> PyResult<()> {
    let (py, this) = (array.py(), array.get());
    if !tapes::active() || this.gradient(py).is_none() {
        return write(this, src, what);
    }
    let elem = this.view().elem;
    let source = match src.cast_exact::<Array>() {
        Ok(same) if same.get().view().elem == elem => same.clone(),
        // What is not a Warp array has no gradient: only its values count.
        _ => {
            let core = data::source(src, elem)?;
            Bound::new(py, Array::new(contiguous(py, &core)?))?
        }
    };
    if source.get().view().layout().shape() != this.view().layout().shape() || this.view().read_only
    {
        return write(this, src, what); // which says what is wrong
    }
    let record = py.import("warp._copy")?.getattr("record")?;
    record.call1((array, source)).map(|_| ())
}

/// Copies elements of the same shape, converting them if need be.
///
/// # Errors
/// As for [`assign`].
pub fn write(array: &Array, src: &Bound<'_, PyAny>, what: &str) -> PyResult<()> {
    array.check_writable(what)?;
    let elem = array.view().elem;
    let from = data::source(src, elem).map_err(|e| within(src.py(), what, &e))?;
    let (to, have) = (array.view().layout(), from.view.layout());
    if to.shape() != have.shape() {
        return Err(error(
            Code::Value,
            format!(
                "{what}: the source has shape {:?}, the array {:?}; they must be equal",
                have.shape(),
                to.shape()
            ),
        ));
    }
    if trace::copy(array.view(), &from, src)? {
        return Ok(());
    }
    before_write(src.py(), array.view())?;
    check_current(&array.core, what)?;
    check_current(&from, what)?;
    // SAFETY: same shape and element; both owners keep their memory, and the target may be written.
    unsafe { elements::copy(array.view(), &from.view) }.map_err(refuse(src.py(), what))
}

/// Writes one element to all of an array, or of a part of it. Where a tape records and the array has a gradient, that
/// ends here: `recorded` makes what the tape keeps, with its gradient.
///
/// # Errors
/// A trace cannot have it, the memory has been replaced, or there is none for what a tape must keep.
#[inline]
pub fn fill<'py>(
    array: &Bound<'py, Array>,
    part: &View,
    element: &[u8],
    what: &str,
    recorded: impl FnOnce() -> PyResult<Bound<'py, Array>>,
) -> PyResult<()> {
    let py = array.py();
    if trace::fill(py, part, element)? {
        return Ok(());
    }
    before_write(py, part)?;
    if tapes::active() && array.get().has_gradient() {
        let record = py.import("warp._warp")?.getattr("_record_fill")?;
        record.call1((recorded()?,))?;
    }
    check_current(&array.get().core, what)?;
    // SAFETY: the owner keeps the memory; it may be written.
    unsafe { elements::fill(part, element) }.map_err(refuse(py, what))
}

/// `wp.copy`, of parts too.
fn copy_part(
    dest: &Bound<'_, Array>,
    src: &Bound<'_, PyAny>,
    dest_offset: usize,
    src_offset: usize,
    count: usize,
) -> PyResult<()> {
    if (dest_offset, src_offset, count) == (0, 0, 0) {
        return assign(dest, src, "copy");
    }
    let py = dest.py();
    let src = src
        .cast::<Array>()
        .map_err(|_| type_error("a Warp array as src, where offsets are given", src))?;
    let part = |a: &Bound<'_, Array>, offset: usize, count: usize, name: &str| {
        let view = a.get().view();
        let len = view.layout().len();
        if !view.is_contiguous() || offset.checked_add(count).is_none_or(|end| end > len) {
            return Err(error(
                Code::Value,
                format!(
                    "copy: {count} elements from {offset} on are not within {name}, which must be contiguous and \
                 has {len} elements"
                ),
            ));
        }
        let layout = Layout::contiguous(&[count as i64], view.elem.size());
        let view = view.at(
            (offset * view.elem.size()) as i64,
            layout.map_err(refuse(py, "copy"))?,
        );
        Ok(a.get().core.with_view(view))
    };
    let count = match count {
        0 => src.get().view().layout().len().saturating_sub(src_offset),
        n => n,
    };
    let to = Array::new(part(dest, dest_offset, count, "dest")?);
    let from = Bound::new(py, Array::new(part(src, src_offset, count, "src")?))?;
    if tapes::active() && dest.get().gradient(py).is_some() {
        return Err(error(
            Code::Runtime,
            "copy: a tape records no copies with offsets; copy slices, as in wp.copy(a[2:4], b[0:2]), or copy \
             outside of the tape",
        ));
    }
    write(&to, from.as_any(), "copy")
}

/// `a.clone()`. A tape records the copy if it has a gradient.
///
/// # Errors
/// There is no memory, or no such device.
pub fn clone<'py>(
    array: &Bound<'py, Array>,
    device: Option<&Bound<'_, PyAny>>,
    requires_grad: Option<bool>,
) -> PyResult<Bound<'py, Array>> {
    let (py, this) = (array.py(), array.get());
    let view = this.view();
    let device = match device {
        None => view.device,
        some => device::resolve(some)?,
    };
    let core = if trace_state::active() || device != view.device {
        let core = Core::empty(view.elem, &dims(view), device).map_err(refuse(py, "clone"))?;
        trace_state::note_array(&core, true);
        write(&Array::new(core.clone()), array.as_any(), "clone")?;
        core
    } else {
        check_current(&this.core, "clone")?;
        // SAFETY: the owner keeps the memory; Python's lock keeps others from writing meanwhile.
        unsafe { Core::copy_of(view) }.map_err(refuse(py, "clone"))?
    };
    let wants = requires_grad.unwrap_or_else(|| this.gradient(py).is_some());
    let gradient = wants
        .then(|| zero_gradient(py, &core, "clone"))
        .transpose()?;
    let copy = Bound::new(py, Array::with_gradient(core, gradient))?;
    if tapes::active() && wants && this.gradient(py).is_some() {
        assign(&copy, array.as_any(), "clone")?;
    }
    Ok(copy)
}

/// Copies the elements of one array to another of the same shape and dtype.
///
/// Args:
///     dest: Written to.
///     src: Read: a Warp array, or anything that `wp.array` accepts.
///     dest_offset: First element of `dest` to write, for contiguous arrays.
///     src_offset: First element of `src` to read, for contiguous arrays.
///     count: How many elements; 0 means all.
#[pyfunction]
#[pyo3(signature = (dest, src, dest_offset=0, src_offset=0, count=0, stream=None))]
fn copy(
    dest: &Bound<'_, Array>,
    src: &Bound<'_, PyAny>,
    dest_offset: usize,
    src_offset: usize,
    count: usize,
    stream: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    resolve_stream("copy", stream)?;
    copy_part(dest, src, dest_offset, src_offset, count).map_err(of_array)
}

/// Adds the function to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(copy, m)?)
}
