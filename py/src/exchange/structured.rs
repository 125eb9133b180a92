//! NumPy's structured arrays as arrays of structs, and back.

use super::memory;
use crate::dtype;
use crate::object::Array;
use crate::object::error::{Code, error, refuse, within};
use crate::object::part::part_view;
use pyo3::prelude::*;
use warp_core::array::{Array as Core, Layout, Placement, View, copy as elements};
use warp_core::device::Device;
use warp_core::interop::Desc;
use warp_core::ty::{Elem, Leaf, Struct, Type};
use warp_dlpack::Lenient;

/// Whether an object is a NumPy array of records.
pub fn is_structured(value: &Bound<'_, PyAny>) -> bool {
    warp_numpy::is_array(value) && names(value).or_note().flatten().is_some()
}

/// The names of the fields of an array of records.
fn names(array: &Bound<'_, PyAny>) -> PyResult<Option<Vec<String>>> {
    array.getattr("dtype")?.getattr("names")?.extract()
}

/// The NumPy dtype of a struct.
///
/// # Errors
/// NumPy is not installed.
pub fn descr<'py>(py: Python<'py>, s: Struct) -> PyResult<Bound<'py, PyAny>> {
    warp_numpy::require(py)?;
    dtype::class_of(py, Elem::Struct(s))?.call_method0("_numpy_dtype_of")
}

/// One field of all records, as an array that shares their memory.
///
/// # Errors
/// The records have other fields than the struct.
pub fn field<'py>(
    array: &Bound<'py, PyAny>,
    s: Struct,
    leaf: &Leaf,
) -> PyResult<Bound<'py, PyAny>> {
    let (mut at, mut within) = (array.clone(), s);
    for name in leaf.path.split('.') {
        check_names(&at, within)?;
        at = at.get_item(name)?;
        if let Some((_, field)) = within.field(name)
            && let Type::Struct(inner) = field.ty
        {
            within = inner;
        }
    }
    Ok(at)
}

/// Refuses records whose fields are not called as those of the struct.
fn check_names(array: &Bound<'_, PyAny>, s: Struct) -> PyResult<()> {
    let found = names(array)?.unwrap_or_default();
    let wanted: Vec<&str> = s.fields().iter().map(|f| f.name.as_str()).collect();
    let same = found.len() == wanted.len() && wanted.iter().all(|w| found.iter().any(|f| f == w));
    if same {
        return Ok(());
    }
    Err(error(
        Code::Type,
        format!(
            "expected records of the fields of {s} ({}), found the fields {}",
            wanted.join(", "),
            found.join(", ")
        ),
    ))
}

/// An array on the memory of NumPy's records, which must lie as the struct does.
///
/// # Errors
/// The records do not lie in memory as the struct does.
pub fn shared(value: &Bound<'_, PyAny>, s: Struct) -> PyResult<Core> {
    let py = value.py();
    check_plain(s)?;
    let wanted = descr(py, s)?;
    let found = value.getattr("dtype")?;
    if !found.eq(&wanted)? {
        for leaf in s.leaves() {
            field(value, s, leaf)?;
        }
        return Err(error(
            Code::Type,
            format!(
                "the records cannot be shared: they are {found}, {s} lies in memory as {wanted}; use copy=True, or make \
             them with dtype={s}.numpy_dtype()"
            ),
        ));
    }
    let mut desc = Desc::EMPTY;
    warp_numpy::describe_records(value, &mut desc)?;
    let shape = if desc.ndim == 0 {
        &[1][..]
    } else {
        desc.shape()
    };
    let size = s.size() as i64;
    let strides = if desc.ndim == 0 {
        &[size][..]
    } else {
        &desc.strides[..desc.ndim]
    };
    let layout = Layout::strided(shape, strides).map_err(refuse(py, "array"))?;
    let bits = strides.iter().fold(desc.data as i64, |bits, s| bits | s);
    if bits % s.align() as i64 != 0 && !layout.is_empty() {
        return Err(error(
            Code::Value,
            format!(
                "the records cannot be shared: they do not start at multiples of {} bytes, as {s} needs; use copy=True",
                s.align()
            ),
        ));
    }
    let view = View::new(
        desc.data,
        layout,
        Elem::Struct(s),
        Device::Cpu,
        desc.read_only,
    );
    let owner = warp_dlpack::reference(value.clone());
    Ok(Core { view, owner })
}

/// Refuses records of structs that hold arrays: what stands in them is addresses, which keep nothing alive.
fn check_plain(s: Struct) -> PyResult<()> {
    if s.is_plain() {
        return Ok(());
    }
    let text = format!(
        "{s} holds arrays, and NumPy's records have only their addresses, which keep no array alive; give instances, as in \
         wp.array([{s}()], dtype={s}), or assign fields of an array: a['x'] = records['x']"
    );
    Err(error(Code::Type, text))
}

/// A new array with the content of NumPy's records, however they lie and whatever their numbers are.
///
/// # Errors
/// The records have other fields, or a field's content cannot become the struct's.
pub fn copied(value: &Bound<'_, PyAny>, s: Struct, at: Placement) -> PyResult<Core> {
    let py = value.py();
    check_plain(s)?;
    let mut shape: Vec<i64> = value.getattr("shape")?.extract()?;
    if shape.is_empty() {
        shape.push(1);
    }
    // Zeros: what lies between fields is never arbitrary.
    let out = Core::zeros(Elem::Struct(s), &shape, at).map_err(refuse(py, "array"))?;
    for leaf in s.leaves() {
        let Type::Elem(elem) = leaf.ty else { continue };
        let from = memory::copied(&field(value, s, leaf)?, Some(elem), Device::Cpu.into())
            .map_err(|e| within(py, &format!("field '{}' of {s}", leaf.path), &e))?;
        let to = part_view(&out.view, elem, leaf.offset);
        if to.layout().shape() != from.view.layout().shape() {
            return Err(error(
                Code::Type,
                format!(
                    "field '{}' of {s} is {elem}, found {} with shape {:?}",
                    leaf.path,
                    from.view.elem,
                    from.view.layout().shape()
                ),
            ));
        }
        // SAFETY: same element and shape; `out` is new, `from` a copy that nobody else has.
        unsafe { elements::copy(&to, &from.view) }.map_err(refuse(value.py(), "array"))?;
    }
    Ok(out)
}

/// The records of an array as a structured NumPy array on the same memory.
///
/// # Errors
/// NumPy is not installed.
pub fn wrap<'py>(array: &Bound<'py, Array>, s: Struct) -> PyResult<Bound<'py, PyAny>> {
    let descr = descr(array.py(), s)?;
    let mut view = *array.get().view();
    // Nobody else may write addresses.
    view.read_only |= !s.is_plain();
    warp_numpy::wrap_as(&view, descr, array.clone().into_any())
}
