//! Writing elements: of another array (assigning, `wp.copy`, `clone`), or one to all (`fill_`, `a[key] = value`).

use super::gradient::zero_gradient;
use crate::dtype;
use crate::exchange::data;
use crate::object::access::check_current;
use crate::object::error::{Code, error, of_array, refuse, unfit, within};
use crate::object::message::{describe, warn};
use crate::object::nested_arrays::{hold, may_hold, require_own};
use crate::object::package::PACKAGE;
use crate::object::part::{self, with_layout};
use crate::object::shape::dims;
use crate::object::{Array, trace_state};
use crate::runtime::captured;
use crate::runtime::snapshot::before_write;
use crate::runtime::stream::resolve_stream;
use crate::runtime::{device, tapes};
use crate::trace;
use pyo3::exceptions::PyRuntimeWarning;
use pyo3::prelude::*;
use smallvec::SmallVec;
use warp_core::array::{Array as Core, Index, Layout, Owner, Placement, View, copy as elements};
use warp_core::command::Start;
use warp_core::device::on_stream;
use warp_core::ty::Elem;
use warp_dlpack::{Lenient, passes, raise_noted};

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
    let source = match src.cast::<Array>() {
        Ok(same) if same.get().view().elem == elem => same.clone(),
        // What is not a Warp array has no gradient: only its values count.
        _ => {
            let core = data::source(src, elem)?;
            Array::new(part::contiguous(py, &core)?).object(py)?
        }
    };
    if source.get().view().layout().shape() != this.view().layout().shape() || this.view().read_only
    {
        return write(this, src, what); // which says what is wrong
    }
    (PACKAGE.record_copy.call(py, (array, source))).map(|_| ())
}

/// `a.assign(src)`: as [`assign`]. What has fewer elements is written to the first ones, with a warning.
///
/// # Errors
/// As for [`assign`].
pub fn assign_method(array: &Bound<'_, Array>, src: &Bound<'_, PyAny>) -> PyResult<()> {
    assign(array, src, "assign").or_else(|refusal| assign_first(array, src, refusal))
}

#[cold]
fn assign_first(array: &Bound<'_, Array>, src: &Bound<'_, PyAny>, refusal: PyErr) -> PyResult<()> {
    let (py, view) = (array.py(), array.get().view());
    if passes(&refusal) || trace_state::active() || view.read_only {
        return Err(refusal);
    }
    let found = data::source(src, view.elem).lenient()?;
    raise_noted()?;
    let [given, all] = [
        found.as_ref().map_or(0, |f| f.view.layout().len()),
        view.layout().len(),
    ];
    if given == 0 || given >= all {
        return Err(refusal);
    }
    warn::<PyRuntimeWarning>(
        py,
        &format!(
            "assign: the source has {given} elements, the array {all}: the first {given} are written and the others kept; \
             wp.copy(a, src, count={given}) says so, and a[...] = src needs the shapes to fit"
        ),
    )?;
    copy_part(array, src, 0, 0, given).map_err(|e| if passes(&e) { e } else { refusal })
}

/// Copies elements of the same shape, converting them if need be.
///
/// # Errors
/// As for [`assign`].
pub fn write(array: &Array, src: &Bound<'_, PyAny>, what: &str) -> PyResult<()> {
    array.check_writable(what)?;
    let elem = array.view().elem;
    let from = from(src, array.view(), what)?;
    if may_hold(elem) {
        check_untraced(what)?;
        if from.owner.holds_any() && !array.core.owner.can_hold() {
            return require_own(&array.core.owner, &[(0, Owner::Nobody)]);
        }
    }
    if trace::copy(array.view(), &from, src)? {
        return Ok(());
    }
    before_write(src.py(), array.view())?;
    check_current(&array.core, what)?;
    check_current(&from, what)?;
    if trace_state::active() && captured::copy(&array.core, &from)? {
        return Ok(());
    }
    // SAFETY: same shape and element; both owners keep their memory, and the target may be written.
    unsafe { array.core.copy_from(&from) }.map_err(refuse(src.py(), what))
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
    (element, held): (&[u8], &[(usize, Owner)]),
    what: &str,
    recorded: impl FnOnce() -> PyResult<Bound<'py, Array>>,
) -> PyResult<()> {
    let py = array.py();
    if may_hold(part.elem) {
        check_untraced(what)?;
        require_own(&array.get().core.owner, held)?;
    }
    if trace::fill(py, part, element)? {
        return Ok(());
    }
    before_write(py, part)?;
    if array.get().has_gradient()
        && let Some(tape) = tapes::current()
    {
        tape.0.filled(recorded()?);
    }
    check_current(&array.get().core, what)?;
    if trace_state::active() && captured::fill(&array.get().core.with_view(*part), element)? {
        return Ok(());
    }
    // SAFETY: the owner keeps the memory; it may be written.
    unsafe { elements::fill(part, element) }.map_err(refuse(py, what))?;
    hold(&array.get().core.owner, part, held)
}

/// `a.fill_(value)`.
///
/// # Errors
/// As [`fill`]; the array is read-only, or the value does not fit.
pub fn fill_all(array: &Bound<'_, Array>, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let this = array.get();
    this.check_writable("fill_")?;
    let mut bytes = SmallVec::new();
    dtype::element_bytes(value, this.view().elem, true, &mut bytes).map_err(unfit)?;
    let held = dtype::held_by(value, this.view().elem);
    fill(array, this.view(), (&bytes, &held), "fill_", || {
        Ok(array.clone())
    })
}

/// `a.zero_()`.
///
/// # Errors
/// As [`fill`]; the array is read-only.
pub fn zero_all(array: &Bound<'_, Array>) -> PyResult<()> {
    let this = array.get();
    this.check_writable("zero_")?;
    let zeros: SmallVec<[u8; 64]> = SmallVec::from_elem(0, this.view().elem.size());
    fill(array, this.view(), (&zeros, &[]), "zero_", || {
        Ok(array.clone())
    })
}

/// What is written to an array: elements of its shape, or as many numbers in row-major order.
fn from(src: &Bound<'_, PyAny>, to: &View, what: &str) -> PyResult<Core> {
    let py = src.py();
    let found = data::source(src, to.elem).map_err(|e| within(py, what, &e));
    if found
        .as_ref()
        .is_ok_and(|f| f.view.layout().shape() == to.layout().shape())
    {
        return found;
    }
    // A trace would keep what a temporary holds now.
    let again = match found.as_ref() {
        Err(refusal) if passes(refusal) => None,
        _ if trace_state::active() || matches!(to.elem, Elem::Struct(_)) => None,
        _ => {
            let numbers = data::source(src, Elem::Scalar(to.elem.scalar()));
            let numbers = numbers.and_then(|core| part::contiguous(py, &core));
            let again = numbers.and_then(|n| data::of_numbers(py, n, to.elem, &dims(to)));
            again.lenient()?
        }
    };
    match (again, found) {
        (Some(again), _) => raise_noted().map(|()| again),
        (None, Err(refusal)) => Err(refusal),
        (None, Ok(found)) => Err(error(
            Code::Value,
            format!(
                "{what}: the source has shape {:?}, the array {:?}; they must have as many elements",
                found.view.layout().shape(),
                to.layout().shape()
            ),
        )),
    }
}

/// Refuses steps that would write array descriptors later, when nothing keeps the arrays alive.
fn check_untraced(what: &str) -> PyResult<()> {
    if trace_state::active() {
        let text = format!(
            "{what}: structs that hold arrays cannot be written in a capture or a trace; write them before"
        );
        return Err(error(Code::Runtime, text));
    }
    Ok(())
}

/// `wp.copy`, of parts too: elements in row-major order, whatever the shapes are.
fn copy_part(
    dest: &Bound<'_, Array>,
    src: &Bound<'_, PyAny>,
    dest_offset: usize,
    src_offset: usize,
    count: usize,
) -> PyResult<()> {
    let py = dest.py();
    let whole = (dest_offset, src_offset, count) == (0, 0, 0);
    let src = match src.cast::<Array>() {
        Ok(array) => array.clone(),
        // A trace looks at the object itself.
        Err(_) if whole && trace_state::active() => return assign(dest, src, "copy"),
        Err(_) => {
            let core = data::source(src, dest.get().view().elem)?;
            Array::new(part::contiguous(py, &core)?).object(py)?
        }
    };
    if whole && src.get().view().layout().shape() == dest.get().view().layout().shape() {
        return assign(dest, src.as_any(), "copy");
    }
    let count = match count {
        0 => {
            let len = src.get().view().layout().len();
            len.checked_sub(src_offset).ok_or_else(|| {
                let text = format!("copy: src_offset is {src_offset}, src has {len} elements");
                error(Code::Value, text)
            })?
        }
        n => n,
    };
    let to = run(dest, dest_offset, count, "dest")?;
    let from = run(&src, src_offset, count, "src")?;
    if count == 0 {
        return Ok(());
    }
    assign(&to, from.as_any(), "copy")
}

/// `count` elements of an array from one on, in row-major order, with the same part of the gradient.
fn run<'py>(
    array: &Bound<'py, Array>,
    offset: usize,
    count: usize,
    name: &str,
) -> PyResult<Bound<'py, Array>> {
    let (py, view) = (array.py(), array.get().view());
    let len = view.layout().len();
    let one_dimension = view.ndim == 1;
    if offset.checked_add(count).is_none_or(|end| end > len) {
        return Err(error(
            Code::Value,
            format!(
                "copy: {count} elements from {offset} on are not within {name}, which has {len}"
            ),
        ));
    }
    if !one_dimension && !view.is_contiguous() {
        return Err(error(
            Code::Value,
            format!(
                "copy: {name} has {} dimensions and is not contiguous: its elements are copied only as a whole, to an \
                 array of the same shape",
                view.ndim
            ),
        ));
    }
    let size = view.elem.size();
    let part = |l: &Layout| {
        let flat = if one_dimension {
            *l
        } else {
            l.reshape(&[-1], size)?
        };
        let (start, len) = (offset as i64, count as i64);
        flat.index(&[Index::Range {
            start,
            step: 1,
            len,
        }])
    };
    let (bytes, layout) = part(&view.layout()).map_err(refuse(py, "copy"))?;
    let layout = layout.unwrap_or_else(|| view.layout());
    with_layout(array, bytes, layout, part)
}

/// Where a copy of an array goes: to its own device, unless the caller says so.
///
/// # Errors
/// There is no such device.
pub fn copy_goes(array: &Array, device: Option<&Bound<'_, PyAny>>) -> PyResult<Placement> {
    let device = match device {
        None => array.view().device,
        some => device::resolve(some)?,
    };
    Ok(device.into())
}

/// `a.clone()`. A tape records the copy if it has a gradient.
///
/// # Errors
/// There is no memory.
pub fn clone<'py>(
    array: &Bound<'py, Array>,
    at: Placement,
    requires_grad: Option<bool>,
) -> PyResult<Bound<'py, Array>> {
    let (py, this) = (array.py(), array.get());
    let view = this.view();
    let core = if trace_state::active() || at.device != view.device {
        let core = Core::empty(view.elem, &dims(view), at).map_err(refuse(py, "clone"))?;
        trace_state::note_array(&core, Start::Any);
        write(&Array::new(core.clone()), array.as_any(), "clone")?;
        core
    } else {
        check_current(&this.core, "clone")?;
        // SAFETY: the owner keeps the memory; Python's lock keeps others from writing meanwhile.
        unsafe { this.core.copy_to(at) }.map_err(refuse(py, "clone"))?
    };
    let wants = requires_grad.unwrap_or_else(|| this.gradient(py).is_some());
    let gradient = wants
        .then(|| zero_gradient(py, &core, at, "clone"))
        .transpose()?;
    let copy = Array::with_gradient(core, gradient).object(py)?;
    if tapes::active() && wants && this.gradient(py).is_some() {
        assign(&copy, array.as_any(), "clone")?;
    }
    Ok(copy)
}

/// `a.contiguous()`.
///
/// # Errors
/// As [`clone`].
pub fn contiguous<'py>(array: &Bound<'py, Array>) -> PyResult<Bound<'py, Array>> {
    let view = array.get().view();
    match view.is_contiguous() {
        true => Ok(array.clone()),
        false => clone(array, view.device.into(), None),
    }
}

/// `a.to(device)`.
///
/// # Errors
/// As [`clone`].
pub fn to<'py>(
    array: &Bound<'py, Array>,
    device: Option<&Bound<'_, PyAny>>,
    requires_grad: Option<bool>,
) -> PyResult<Bound<'py, Array>> {
    let device = device::resolve(device)?;
    match device == array.get().view().device {
        true => Ok(array.clone()),
        false => clone(array, device.into(), requires_grad),
    }
}

/// Copies elements of one array to another, converting them to its dtype.
///
/// Gradients stay as they are: on a tape the copy has a derivative of its own.
///
/// Arrays of the same shape are copied whole, however they lie. Otherwise elements follow each other in row-major order: all
/// of `src`, or `count` of them, which `dest` has room for; both are contiguous then, or have one dimension.
///
/// Args:
///     dest: Written to.
///     src: Read: a Warp array, or anything that `wp.array` accepts.
///     dest_offset: First element of `dest` to write.
///     src_offset: First element of `src` to read.
///     count: How many elements; 0 means all of `src` from `src_offset` on.
///     stream: On GPUs the copy is ordered in this stream; the current one of the device by default.
///
/// Raises:
///     TypeError, ValueError: The elements are not there, do not fit, or cannot be converted; nothing was copied.
#[pyfunction]
#[pyo3(signature = (dest, src, dest_offset=0, src_offset=0, count=0, stream=None))]
fn copy(
    dest: &Bound<'_, PyAny>,
    src: &Bound<'_, PyAny>,
    dest_offset: usize,
    src_offset: usize,
    count: usize,
    stream: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let _on = resolve_stream("copy", stream)?.map(on_stream);
    // Of indexed arrays the elements are gathered first, and scattered at once.
    let gathered = match dtype::indexed_of(src) {
        Some(_) => &src.call_method0("contiguous")?,
        None => src,
    };
    if dtype::indexed_of(dest).is_some() {
        if (dest_offset, src_offset, count) != (0, 0, 0) {
            let text =
                "copy: an indexed array as dest is written as a whole, without offsets and count";
            return Err(error(Code::Value, text));
        }
        return dest.call_method1("assign", (gathered,)).map(|_| ());
    }
    let Ok(dest) = dest.cast::<Array>() else {
        let text = format!("copy: dest is {}, expected a wp.array", describe(dest));
        return Err(error(Code::ArrayType, text));
    };
    copy_part(dest, gathered, dest_offset, src_offset, count).map_err(of_array)
}

/// Adds the function to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(copy, m)?)
}
