//! Parts of arrays and the same memory seen otherwise: indexing, reshaping, transposing.

use super::assign::{assign, fill, write};
use crate::dtype;
use crate::object::Array;
use crate::object::access::{check_access, check_current};
use crate::object::error::{Code, error, refuse};
use crate::object::message::describe;
use crate::object::package::PACKAGE;
use crate::object::part::{field, on_host, read_element, with_layout};
use crate::object::shape::shape as read_shape;
use crate::runtime::tapes;
use pyo3::prelude::*;
use pyo3::types::{PyEllipsis, PyInt, PyList, PySlice, PyString, PyTuple, PyType};
use smallvec::SmallVec;
use warp_core::array::{Index, Layout};
use warp_core::ty::MAX_NDIM;
use warp_dlpack::Lenient;

type Indices = SmallVec<[Index; MAX_NDIM]>;

/// `key` as indices per dimension.
fn indices(array: &Array, key: &Bound<'_, PyAny>) -> PyResult<Indices> {
    let mut out = Indices::new();
    let layout = array.view().layout();
    match key.cast::<PyTuple>() {
        Ok(keys) => {
            let added = keys.iter_borrowed().filter(|k| k.is_none()).count();
            let rest = (keys.len() - added).saturating_sub(1);
            let mut open = false;
            for k in keys.iter() {
                if k.is_instance_of::<PyEllipsis>() {
                    if std::mem::replace(&mut open, true) {
                        return Err(error(Code::Index, "an index has at most one `...`"));
                    }
                    for _ in 0..layout.shape().len().saturating_sub(rest) {
                        out.push(whole(&layout, taken(&out)));
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

/// How many dimensions of the array indices take.
fn taken(indices: &Indices) -> usize {
    indices.iter().filter(|i| **i != Index::New).count()
}

fn one(layout: &Layout, key: &Bound<'_, PyAny>, out: &mut Indices) -> PyResult<()> {
    if key.is_none() {
        out.push(Index::New);
        return Ok(());
    }
    let at = taken(out);
    if at == layout.ndim as usize {
        return Err(error(
            Code::Index,
            format!("too many indices: the array has {} dimensions", layout.ndim),
        ));
    }
    if let Ok(slice) = key.cast::<PySlice>() {
        let s = slice.indices(layout.shape[at] as isize)?;
        out.push(Index::Range {
            start: s.start as i64,
            step: s.step as i64,
            len: s.slicelength as i64,
        });
        return Ok(());
    }
    let at = key
        .call_method0(pyo3::intern!(key.py(), "__index__"))
        .lenient()?
        .filter(|_| !key.is_instance_of::<pyo3::types::PyBool>());
    let Some(at) = at else {
        return Err(error(
            Code::ArrayType,
            format!(
                "an array is indexed by ints, slices, None, `...`, and lists or arrays of ints or bools; found {}",
                describe(key)
            ),
        ));
    };
    out.push(Index::At(at.extract()?));
    Ok(())
}

/// `a[key]`: a view, or an element.
///
/// # Errors
/// The index is none, or out of range.
pub fn get<'py>(array: &Bound<'py, Array>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let (py, this) = (array.py(), array.get());
    if let Ok(name) = key.cast::<PyString>() {
        return Ok(field(array, &name.to_cow()?)?.into_any());
    }
    if selects(key)? {
        return PACKAGE.select.call(py, (array, key));
    }
    let indices = indices(this, key)?;
    let raise = refuse(py, "array index");
    let (offset, layout) = this.view().layout().index(&indices).map_err(raise)?;
    match layout {
        None => {
            check_access(&this.core, "an index")?;
            let elem = this.view().elem;
            // SAFETY: the offset is that of an element, and the owner keeps it.
            read_element(py, &this.core, offset, |at, owner| unsafe {
                dtype::read(py, elem, at, Some(owner))
            })
        }
        Some(layout) => {
            let part = with_layout(array, offset, layout, |g| g.index(&indices))?;
            Ok(part.into_any())
        }
    }
}

/// `a[key] = value`.
///
/// # Errors
/// The index is none or out of range, the array is read-only, or the value does not fit.
pub fn set(
    array: &Bound<'_, Array>,
    key: &Bound<'_, PyAny>,
    value: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let (py, this) = (array.py(), array.get());
    this.check_writable("array assignment")?;
    if let Ok(name) = key.cast::<PyString>() {
        let field = field(array, &name.to_cow()?)?;
        return set(&field, PyEllipsis::get(py).as_any(), value);
    }
    if selects(key)? {
        return (PACKAGE.assign_selected.call(py, (array, key, value))).map(|_| ());
    }
    let indices = indices(this, key)?;
    let raise = refuse(py, "array index");
    let (offset, layout) = this.view().layout().index(&indices).map_err(raise)?;
    let single = layout.is_none();
    let size = this.view().elem.size();
    let layout = match layout {
        Some(l) => l,
        None => one_element(size).map_err(refuse(py, "array"))?,
    };
    let part = this.view().at(offset, layout);
    let is_number = !value.is_instance_of::<Array>() && dtype::number(value).lenient()?.is_some();
    if single || is_number || is_element(value, this) {
        let mut bytes = SmallVec::new();
        dtype::element_bytes(value, part.elem, !single, &mut bytes)?;
        let of_gradient = |g: &Layout| match g.index(&indices)? {
            (offset, None) => Ok((offset, Some(one_element(size)?))),
            slice => Ok(slice),
        };
        let recorded = || with_layout(array, offset, layout, of_gradient);
        let held = dtype::held_by(value, part.elem);
        return fill(array, &part, (&bytes, &held), "array assignment", recorded);
    }
    if tapes::active() && this.gradient(py).is_some() {
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

/// Whether lists or arrays are among the indices.
#[inline]
fn selects(key: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Ok(keys) = key.cast::<PyTuple>() else {
        return is_several(key);
    };
    for key in keys.iter_borrowed() {
        if is_several(&key)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether an index is a list of indices, or an array of them.
#[inline]
fn is_several(key: &Bound<'_, PyAny>) -> PyResult<bool> {
    if key.is_exact_instance_of::<PyInt>() || key.is_exact_instance_of::<PySlice>() {
        return Ok(false);
    }
    let ours = key.is_instance_of::<Array>() || key.is_instance_of::<PyList>();
    if ours {
        Ok(true)
    } else {
        is_foreign_array(key)
    }
}

/// Whether it is another library's array, one of at least one dimension: others are numbers.
#[cold]
fn is_foreign_array(key: &Bound<'_, PyAny>) -> PyResult<bool> {
    let dims = key.getattr_opt(pyo3::intern!(key.py(), "ndim")).lenient()?;
    let Some(dims) = dims.flatten() else {
        return Ok(false);
    };
    let dims = dims.extract::<usize>().lenient()?;
    Ok(dims.is_some_and(|n| n > 0) && !key.is_instance_of::<PyType>())
}

fn one_element(size: usize) -> warp_core::error::Result<Layout> {
    Layout::contiguous(&[1], size)
}

/// Whether a value is one element of the array: an instance of its dtype.
fn is_element(value: &Bound<'_, PyAny>, array: &Array) -> bool {
    dtype::elem_of(value.get_type().as_any()) == Some(array.view().elem)
}

/// `a.reshape(shape)`.
///
/// # Errors
/// The shape has another number of elements, or the strides do not allow it.
pub fn reshape<'py>(array: &Bound<'py, Array>, shape: &[i64]) -> PyResult<Bound<'py, Array>> {
    let view = array.get().view();
    let size = view.elem.size();
    let to = |l: &Layout| l.reshape(shape, size);
    let layout = to(&view.layout()).map_err(refuse(array.py(), "reshape"))?;
    with_layout(array, 0, layout, |g| Ok((0, Some(to(g)?))))
}

/// `a.reshape(*extents, shape=shape)`.
///
/// # Errors
/// As [`reshape`], or the shape is given twice.
pub fn reshape_as<'py>(
    array: &Bound<'py, Array>,
    extents: &Bound<'_, PyTuple>,
    shape: Option<&Bound<'_, PyAny>>,
) -> PyResult<Bound<'py, Array>> {
    let shape = match (shape, extents.len()) {
        (Some(shape), 0) => read_shape(shape)?,
        (Some(_), _) => return Err(error(Code::Type, "reshape: the shape is given twice")),
        (None, 1) => read_shape(&extents.get_item(0)?)?,
        (None, _) => read_shape(extents.as_any())?,
    };
    reshape(array, &shape)
}

/// `a.flatten()`.
///
/// # Errors
/// As [`reshape`].
pub fn flatten<'py>(array: &Bound<'py, Array>) -> PyResult<Bound<'py, Array>> {
    match array.get().view().ndim {
        1 => Ok(array.clone()),
        _ => reshape(array, &[-1]),
    }
}

/// `a.transpose(axes)`.
///
/// # Errors
/// The axes are no permutation of the dimensions.
pub fn transpose<'py>(
    array: &Bound<'py, Array>,
    axes: Option<Vec<isize>>,
) -> PyResult<Bound<'py, Array>> {
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
    with_layout(array, 0, layout, |g| Ok((0, Some(to(g)?))))
}

/// `iter(a)`.
///
/// # Errors
/// As [`get`].
pub fn iter<'py>(array: &Bound<'py, Array>) -> PyResult<Bound<'py, PyAny>> {
    let py = array.py();
    let items: PyResult<Vec<_>> = (0..array.get().view().arg.shape[0])
        .map(|i| get(array, i.into_pyobject(py)?.as_any()))
        .collect();
    Ok(PyList::new(py, items?)?.try_iter()?.into_any())
}

/// `a.list()`.
///
/// # Errors
/// A trace is running, or Python has no memory.
pub fn list<'py>(array: &Bound<'py, Array>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let (py, this) = (array.py(), array.get());
    check_access(&this.core, "list")?;
    let whole = on_host(py, &this.core)?;
    let size = whole.view.elem.size();
    let element = |i| {
        // Making an object may run Python's collector, and with it anything.
        check_current(&whole, "list")?;
        // SAFETY: a contiguous array has this many elements side by side.
        let at = unsafe { whole.view.arg.data.add(i * size) };
        // SAFETY: as above.
        unsafe { dtype::read(py, whole.view.elem, at, Some(&whole.owner)) }
    };
    (0..whole.view.layout().len()).map(element).collect()
}
