//! Parts of arrays and the same memory seen otherwise: indexing, reshaping, assigning.

use crate::array::{Array, refuse, type_error};
use crate::{convert, dtype, record, structs, tape};
use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyEllipsis, PySlice, PyString, PyTuple};
use smallvec::SmallVec;
use warp_core::array::{Array as Core, Index, Layout, copy as elements};
use warp_core::ty::MAX_NDIM;

type Indices = SmallVec<[Index; MAX_NDIM]>;

/// `key` as indices per dimension.
fn indices(array: &Array, key: &Bound<'_, PyAny>) -> PyResult<Indices> {
    let mut out = Indices::new();
    let layout = array.view().layout();
    match key.cast::<PyTuple>() {
        Ok(keys) => {
            let rest = keys.len().saturating_sub(1);
            let mut open = false;
            for k in keys.iter() {
                if k.is_instance_of::<PyEllipsis>() {
                    if std::mem::replace(&mut open, true) {
                        return Err(PyIndexError::new_err("an index has at most one `...`"));
                    }
                    for _ in 0..layout.shape().len().saturating_sub(rest) {
                        out.push(whole(&layout, out.len()));
                    }
                } else {
                    one(&layout, &k, &mut out)?;
                }
            }
        }
        Err(_) if key.is_instance_of::<PyEllipsis>() => {}
        Err(_) => one(&layout, key, &mut out)?,
    }
    Ok(out)
}

fn whole(layout: &Layout, d: usize) -> Index {
    Index::Range {
        start: 0,
        step: 1,
        len: i64::from(layout.shape[d]),
    }
}

fn one(layout: &Layout, key: &Bound<'_, PyAny>, out: &mut Indices) -> PyResult<()> {
    if out.len() == layout.ndim as usize {
        return Err(PyIndexError::new_err(format!(
            "too many indices: the array has {} dimensions",
            layout.ndim
        )));
    }
    if let Ok(slice) = key.cast::<PySlice>() {
        let s = slice.indices(layout.shape[out.len()] as isize)?;
        out.push(Index::Range {
            start: s.start as i64,
            step: s.step as i64,
            len: s.slicelength as i64,
        });
        return Ok(());
    }
    let at = key
        .call_method0(pyo3::intern!(key.py(), "__index__"))
        .ok()
        .filter(|_| !key.is_instance_of::<pyo3::types::PyBool>());
    let Some(at) = at else {
        return Err(PyTypeError::new_err(format!(
            "an array is indexed by ints and slices, found {}; use a.numpy()[...] for others",
            convert::found(key)
        )));
    };
    out.push(Index::At(at.extract()?));
    Ok(())
}

/// `a[key]`: a view, or an element.
pub fn get<'py>(array: &Bound<'py, Array>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let (py, this) = (array.py(), array.get());
    if let Ok(name) = key.cast::<PyString>() {
        return Ok(structs::field(array, &name.to_cow()?)?.into_any());
    }
    let indices = indices(this, key)?;
    let raise = refuse(py, "array index");
    let (offset, layout) = this.view().layout().index(&indices).map_err(raise)?;
    match layout {
        // SAFETY: the offset is that of an element, and the owner keeps it.
        None => unsafe {
            record::door(this.view(), "an index")?;
            let at = this.view().arg.data.offset(offset as isize);
            dtype::read(py, this.view().elem, at)
        },
        Some(layout) => {
            let part = seen(array, offset, layout, |g| g.index(&indices))?;
            Ok(Bound::new(py, part)?.into_any())
        }
    }
}

/// `a[key] = value`.
pub fn set(
    array: &Bound<'_, Array>,
    key: &Bound<'_, PyAny>,
    value: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let (py, this) = (array.py(), array.get());
    this.check_writable("array assignment")?;
    if let Ok(name) = key.cast::<PyString>() {
        let field = structs::field(array, &name.to_cow()?)?;
        return set(&field, PyEllipsis::get(py).as_any(), value);
    }
    let indices = indices(this, key)?;
    let raise = refuse(py, "array index");
    let (offset, layout) = this.view().layout().index(&indices).map_err(raise)?;
    let single = layout.is_none();
    let layout = match layout {
        Some(l) => l,
        None => Layout::contiguous(&[1], this.view().elem.size()).map_err(refuse(py, "array"))?,
    };
    let part = this.view().at(offset, layout);
    let is_number = !value.is_instance_of::<Array>() && dtype::number(value).is_ok();
    if single || is_number || is_element(value, this) {
        let mut bytes = SmallVec::new();
        dtype::element_bytes(value, part.elem, !single, &mut bytes)?;
        if record::fill(py, &part, &bytes)? {
            return Ok(());
        }
        // SAFETY: the owner keeps the memory; it may be written.
        unsafe { elements::fill(&part, &bytes) };
        return Ok(());
    }
    if tape::active() && this.gradient(py).is_some() {
        // A slice has the same slice of the gradient.
        return assign(
            array.get_item(key)?.cast::<Array>()?,
            value,
            "array assignment",
        );
    }
    write(
        &Array::new(this.core.with_view(part)),
        value,
        "array assignment",
    )
}

/// Whether a value is one element of the array: an instance of its dtype.
fn is_element(value: &Bound<'_, PyAny>, array: &Array) -> bool {
    dtype::elem_of(value.get_type().as_any()) == Some(array.view().elem)
}

/// Another view of an array's memory, and the same view of its gradient.
fn seen(
    array: &Bound<'_, Array>,
    offset: i64,
    layout: Layout,
    of_gradient: impl Fn(&Layout) -> warp_core::error::Result<(i64, Option<Layout>)>,
) -> PyResult<Array> {
    let (py, this) = (array.py(), array.get());
    let core = this.core.with_view(this.view().at(offset, layout));
    let gradient = match this.gradient(py) {
        None => None,
        Some(g) => {
            let view = g.get().view();
            let raise = refuse(py, "the gradient");
            let (offset, layout) = of_gradient(&view.layout()).map_err(raise)?;
            let layout = layout.unwrap_or_else(|| view.layout());
            let part = g.get().core.with_view(view.at(offset, layout));
            Some(Py::new(py, Array::new(part))?)
        }
    };
    Ok(Array::with_gradient(core, gradient))
}

/// `a.reshape(shape)`.
pub fn reshape(array: &Bound<'_, Array>, shape: &[i64]) -> PyResult<Array> {
    let view = array.get().view();
    let size = view.elem.size();
    let to = |l: &Layout| l.reshape(shape, size);
    let layout = to(&view.layout()).map_err(refuse(array.py(), "reshape"))?;
    seen(array, 0, layout, |g| Ok((0, Some(to(g)?))))
}

/// `a.transpose(axes)`.
pub fn transpose(array: &Bound<'_, Array>, axes: Option<Vec<isize>>) -> PyResult<Array> {
    let view = array.get().view();
    let n = view.ndim as isize;
    let axes: Vec<usize> = match axes {
        None => (0..n as usize).rev().collect(),
        Some(axes) => axes
            .iter()
            .map(|a| if *a < 0 { a + n } else { *a } as usize)
            .collect(),
    };
    let to = |l: &Layout| l.transpose(&axes);
    let layout = to(&view.layout()).map_err(refuse(array.py(), "transpose"))?;
    seen(array, 0, layout, |g| Ok((0, Some(to(g)?))))
}

/// `a.view(dtype)`.
pub fn reinterpret(array: &Bound<'_, Array>, dtype: &Bound<'_, PyAny>) -> PyResult<Array> {
    let elem = dtype::require_elem(dtype)?;
    let this = array.get();
    let mut view = *this.view();
    if elem.size() != view.elem.size() {
        return Err(PyValueError::new_err(format!(
            "view: an element of {elem} has {} bytes, one of {} has {}; they must be equal",
            elem.size(),
            view.elem,
            view.elem.size()
        )));
    }
    // Sizes of scalars are powers of two.
    let bits = (view.arg.strides.iter()).fold(view.arg.data as i64, |bits, stride| bits | stride);
    let aligned = bits & (elem.align() as i64 - 1) == 0;
    if !aligned {
        return Err(PyValueError::new_err(format!(
            "view: the elements are not aligned for {elem}"
        )));
    }
    view.elem = elem;
    Ok(Array::new(this.core.with_view(view)))
}

/// `a.list()`.
pub fn list<'py>(array: &Bound<'py, Array>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let (py, this) = (array.py(), array.get());
    record::door(this.view(), "list")?;
    let whole = contiguous(py, &this.core)?;
    let size = whole.view.elem.size();
    (0..whole.view.layout().len())
        // SAFETY: a contiguous array has this many elements side by side.
        .map(|i| unsafe { dtype::read(py, whole.view.elem, whole.view.arg.data.add(i * size)) })
        .collect()
}

/// The array, or a contiguous copy of it.
pub fn contiguous(py: Python<'_>, core: &Core) -> PyResult<Core> {
    if core.view.is_contiguous() {
        return Ok(core.clone());
    }
    record::door(&core.view, "a copy")?;
    // SAFETY: the owner keeps the memory; Python's lock keeps others from writing meanwhile.
    unsafe { Core::copy_of(&core.view) }.map_err(refuse(py, "contiguous"))
}

/// As [`write`], through a launch where a tape records and the target has a gradient.
pub fn assign(array: &Bound<'_, Array>, src: &Bound<'_, PyAny>, what: &str) -> PyResult<()> {
    let (py, this) = (array.py(), array.get());
    if !tape::active() || this.gradient(py).is_none() {
        return write(this, src, what);
    }
    let elem = this.view().elem;
    let source = match src.cast_exact::<Array>() {
        Ok(same) if same.get().view().elem == elem => same.clone(),
        // What is not a Warp array has no gradient: only its values count.
        _ => {
            let core = convert::source(src, elem)?;
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
pub fn write(array: &Array, src: &Bound<'_, PyAny>, what: &str) -> PyResult<()> {
    array.check_writable(what)?;
    let elem = array.view().elem;
    let from = convert::source(src, elem).map_err(|e| {
        PyErr::from_type(
            e.get_type(src.py()),
            format!("{what}: {}", e.value(src.py())),
        )
    })?;
    let (to, have) = (array.view().layout(), from.view.layout());
    if to.shape() != have.shape() {
        return Err(PyValueError::new_err(format!(
            "{what}: the source has shape {:?}, the array {:?}; they must be equal",
            have.shape(),
            to.shape()
        )));
    }
    if record::copy(array.view(), &from, src)? {
        return Ok(());
    }
    // SAFETY: same shape and element; both owners keep their memory, and the target may be written.
    unsafe { elements::copy(array.view(), &from.view) };
    Ok(())
}

/// `wp.copy`.
pub fn copy(
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
            return Err(PyValueError::new_err(format!(
                "copy: {count} elements from {offset} on are not within {name}, which must be contiguous and \
                 has {len} elements"
            )));
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
    if tape::active() && dest.get().gradient(py).is_some() {
        return Err(PyRuntimeError::new_err(
            "copy: a tape records no copies with offsets; copy slices, as in wp.copy(a[2:4], b[0:2]), or copy \
             outside of the tape",
        ));
    }
    write(&to, from.as_any(), "copy")
}
