//! Python's numbers, vectors and matrices as the bytes of our types, and back.

use super::elem::{class_of, elem_of, indexed_of};
use super::instance;
use super::number::{flatten, number, number_object};
use crate::object::Array;
use crate::object::error::{Code, Mismatch, error, within};
use crate::object::legacy;
use crate::object::message::describe;
use crate::object::nested_arrays;
use crate::object::package::PACKAGE;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyList, PyTuple, PyType};
use smallvec::SmallVec;
use warp_core::array::{Number, Owner};
use warp_core::dtype::Scalar;
use warp_core::front::Constant;
use warp_core::interp::Num;
use warp_core::ir::Const;
use warp_core::ty::{Elem, Struct, Type};
use warp_dlpack::{Lenient, raise};

/// The type of a number, of a value, instance or array of ours.
pub fn own_type(value: &Bound<'_, PyAny>) -> Option<Type> {
    if let Ok(array) = value.cast::<Array>() {
        let view = array.get().view();
        let (elem, ndim) = (view.elem, view.ndim);
        return Some(Type::Array { elem, ndim });
    }
    let number = if value.is_exact_instance_of::<PyFloat>() {
        Some(Scalar::F32)
    } else if value.is_exact_instance_of::<PyInt>() {
        Some(Scalar::I32)
    } else if value.is_exact_instance_of::<PyBool>() {
        Some(Scalar::Bool)
    } else {
        None
    };
    match number {
        Some(scalar) => Some(Type::scalar(scalar)),
        None => elem_of(value.get_type().as_any())
            .or_else(|| indexed_of(value))
            .map(Type::of),
    }
}

/// The bytes of one element: from a value of that type, a sequence of its components, or, for
/// `fill`, a single number for all of them.
pub fn element_bytes(
    value: &Bound<'_, PyAny>,
    elem: Elem,
    fill: bool,
    out: &mut SmallVec<[u8; 64]>,
) -> PyResult<()> {
    let raised = |e| raise(value.py(), e);
    if let Elem::Scalar(s) = elem {
        return number(value)?.write(s, out).map_err(raised);
    }
    if let Elem::Struct(s) = elem {
        return struct_bytes(value, s, out);
    }
    // The commonest.
    if memory_of(value, elem, out)? {
        return Ok(());
    }
    let mut parts = SmallVec::new();
    flatten(value, &mut parts)?;
    if fill && parts.len() == 1 {
        parts = SmallVec::from_elem(parts[0], elem.count());
    }
    if parts.len() != elem.count() {
        return Err(error(
            Code::Mismatch,
            format!(
                "{elem} has {} components, found {} ({})",
                elem.count(),
                parts.len(),
                describe(value)
            ),
        ));
    }
    parts
        .iter()
        .try_for_each(|n| n.write(elem.scalar(), out))
        .map_err(raised)
}

/// Adds the bytes of a value of this very type; false for other values, and for those that keep their numbers in a list.
///
/// # Errors
/// There is no class for the type.
pub fn memory_of<A: smallvec::Array<Item = u8>>(
    value: &Bound<'_, PyAny>,
    elem: Elem,
    out: &mut SmallVec<A>,
) -> PyResult<bool> {
    let py = value.py();
    // SAFETY: any object may be asked whether it has the buffer protocol.
    let has_buffer = unsafe { ffi::PyObject_CheckBuffer(value.as_ptr()) } != 0;
    if !has_buffer || !value.get_type().is(&class_of(py, elem)?) {
        return Ok(false);
    }
    // SAFETY: all zeros is what Python itself starts from.
    let mut raw: ffi::Py_buffer = unsafe { std::mem::zeroed() };
    // SAFETY: the buffer may be filled in.
    if unsafe { ffi::PyObject_GetBuffer(value.as_ptr(), &raw mut raw, ffi::PyBUF_SIMPLE) } != 0 {
        return Err(PyErr::fetch(py));
    }
    let fits = usize::try_from(raw.len) == Ok(elem.size());
    if fits {
        // SAFETY: Python's lock is held, and the buffer is not released before they are copied.
        out.extend_from_slice(unsafe { std::slice::from_raw_parts(raw.buf.cast(), elem.size()) });
    }
    // SAFETY: filled in above, and released once.
    unsafe { ffi::PyBuffer_Release(&raw mut raw) };
    Ok(fits)
}

/// The bytes of an instance of a struct, arrays as array descriptors; padding is zero.
fn struct_bytes(value: &Bound<'_, PyAny>, s: Struct, out: &mut SmallVec<[u8; 64]>) -> PyResult<()> {
    let Some(values) = instance::values(value, s) else {
        return Err(instance::expected(s, value));
    };
    let start = out.len();
    for (field, value) in s.fields().iter().zip(values.iter()) {
        out.resize(start + field.offset, 0);
        match field.ty {
            Type::Elem(elem) => element_bytes(&value, elem, false, out)?,
            Type::Struct(inner) if inner.is_indexed() && value.is_none() => {}
            Type::Struct(inner) => struct_bytes(&value, inner, out)?,
            _ => {
                if let Ok(array) = value.cast::<Array>() {
                    let words = nested_arrays::words(array)?;
                    out.extend(words.into_iter().flat_map(u64::to_ne_bytes));
                }
            }
        }
    }
    out.resize(start + s.size(), 0);
    Ok(())
}

/// What an instance of a struct holds besides bytes, by bytes from its start; nothing for values of other types.
pub fn held_by(value: &Bound<'_, PyAny>, elem: Elem) -> Vec<(usize, Owner)> {
    let mut held = Vec::new();
    if let Elem::Struct(s) = elem
        && !s.is_plain()
    {
        collect_held(value, s, 0, &mut held);
    }
    held
}

fn collect_held(value: &Bound<'_, PyAny>, s: Struct, start: usize, out: &mut Vec<(usize, Owner)>) {
    let Some(values) = instance::values(value, s) else {
        return;
    };
    for (field, value) in s.fields().iter().zip(values.iter()) {
        match field.ty {
            Type::Struct(inner) => collect_held(&value, inner, start + field.offset, out),
            Type::Array { .. } if value.is_instance_of::<Array>() => {
                out.push((start + field.offset, warp_dlpack::reference(value)));
            }
            _ => {}
        }
    }
}

/// The bytes of a kernel argument that is not an array.
#[inline]
pub fn value_bytes(
    value: &Bound<'_, PyAny>,
    elem: Elem,
    out: &mut SmallVec<[u8; 64]>,
) -> Result<(), Mismatch> {
    // The commonest first.
    if elem == Elem::Scalar(Scalar::F32)
        && let Ok(f) = value.cast_exact::<PyFloat>()
    {
        out.extend((f.value() as f32).to_ne_bytes());
        return Ok(());
    }
    if elem == Elem::Scalar(Scalar::I32)
        && let Ok(i) = value.cast_exact::<PyInt>()
        && let Ok(i) = i.extract::<i32>()
    {
        out.extend(i.to_ne_bytes());
        return Ok(());
    }
    checked_bytes(value, elem, out)
}

#[cold]
fn checked_bytes(
    value: &Bound<'_, PyAny>,
    elem: Elem,
    out: &mut SmallVec<[u8; 64]>,
) -> Result<(), Mismatch> {
    let refuse = |e: PyErr| Mismatch(within(value.py(), &format!("expected {elem}"), &e));
    if value.is_none() || value.is_instance_of::<Array>() {
        return Err(Mismatch(error(
            Code::Type,
            format!("expected {elem}, found {}", describe(value)),
        )));
    }
    // A typed value must have the parameter's type; a plain number or sequence becomes it.
    if let Some(own) = elem_of(value.get_type().as_any())
        && !value.is_exact_instance_of::<PyFloat>()
        && !value.is_exact_instance_of::<PyInt>()
        && !value.is_exact_instance_of::<PyBool>()
        && own != elem
        && (own.inner_shape() != elem.inner_shape() || is_wide(own, elem))
    {
        let code = match (own, elem) {
            (Elem::Vec { .. }, Elem::Vec { .. }) | (Elem::Mat { .. }, Elem::Mat { .. }) => {
                Code::Mismatch
            }
            _ => Code::Type,
        };
        return Err(Mismatch(error(
            code,
            format!("expected {elem}, found {own}"),
        )));
    }
    element_bytes(value, elem, false, out).map_err(refuse)
}

/// Whether writing `from` as `to` would lose what the user wrote.
fn is_wide(from: Elem, to: Elem) -> bool {
    from.scalar().is_float() && !to.scalar().is_float()
}

fn const_of(n: Number) -> Const {
    match n {
        Number::Bool(b) => Const::Bool(b),
        // A uint64 keeps its bits.
        Number::Int(i) => Const::Int(i as i64),
        Number::Float(f) => Const::Float(f),
    }
}

/// A value that has a type of its own: `wp.float64(2.0)`, `wp.vec3(...)`, a NumPy number.
pub fn constant(value: &Bound<'_, PyAny>) -> Option<Constant> {
    if value.is_exact_instance_of::<PyFloat>()
        || value.is_exact_instance_of::<PyInt>()
        || value.is_exact_instance_of::<PyBool>()
        || value.is_instance_of::<PyType>()
    {
        return None;
    }
    let elem = elem_of(value.get_type().as_any())?;
    if let Elem::Struct(_) = elem {
        return None;
    }
    let mut parts = SmallVec::new();
    flatten(value, &mut parts).or_note()?;
    if parts.len() != elem.count() {
        return None;
    }
    Some(Constant {
        elem,
        parts: parts
            .into_iter()
            .map(|n| n.rounded(elem.scalar()).map(const_of))
            .collect::<Result<_, _>>()
            .ok()?,
    })
}

/// As [`constant`], and Python's own numbers as the types they have in kernels.
pub fn host_constant(value: &Bound<'_, PyAny>) -> Option<Constant> {
    if let Some(constant) = constant(value) {
        return Some(constant);
    }
    let n = number(value).or_note()?;
    let scalar = match n {
        Number::Bool(_) => Scalar::Bool,
        Number::Int(i) if i32::try_from(i).is_ok() => Scalar::I32,
        Number::Int(_) => Scalar::I64,
        Number::Float(_) => Scalar::F32,
    };
    let rounded = n.rounded(scalar).ok()?;
    Some(Constant::scalar(scalar, const_of(rounded)))
}

/// A value of a type as a Python object: a number, or an instance of the vector's class.
///
/// # Errors
/// The components do not fit the class.
pub fn object<'py>(py: Python<'py>, elem: Elem, parts: &[Number]) -> PyResult<Bound<'py, PyAny>> {
    match (elem, parts) {
        (Elem::Scalar(_), [n]) => number_object(py, *n),
        _ => {
            let parts: PyResult<Vec<_>> = parts.iter().map(|n| number_object(py, *n)).collect();
            class_of(py, elem)?.call1(PyTuple::new(py, parts?)?)
        }
    }
}

/// What the interpreter computed, as a Python object: of the type's class, unless Python's own numbers stand for that.
///
/// # Errors
/// As for [`object`].
pub fn to_python<'py>(py: Python<'py>, elem: Elem, nums: &[Num]) -> PyResult<Bound<'py, PyAny>> {
    let scalar = elem.scalar();
    let parts: Vec<Number> = nums
        .iter()
        .map(|n| match *n {
            Num::Int(i) if scalar == Scalar::Bool => Number::Bool(i != 0),
            Num::Int(i) if scalar == Scalar::U64 => Number::Int(i128::from(i as u64)),
            Num::Int(i) => Number::Int(i.into()),
            Num::Float(f) => Number::Float(f),
        })
        .collect();
    match elem {
        Elem::Scalar(scalar) if !is_pythons(scalar) && !legacy::scalars() => {
            let number = object(py, elem, &parts)?;
            class_of(py, elem)?.call1((number,))
        }
        _ => object(py, elem, &parts),
    }
}

/// Whether Python's own numbers stand for a type.
fn is_pythons(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::Bool | Scalar::I32 | Scalar::F32)
}

/// The element at an address, as a Python object.
///
/// # Errors
/// As for [`object`].
///
/// # Safety
/// An element of this type is alive at `at`.
pub unsafe fn read<'py>(
    py: Python<'py>,
    elem: Elem,
    at: *const u8,
    owner: Option<&Owner>,
) -> PyResult<Bound<'py, PyAny>> {
    if let Elem::Struct(s) = elem {
        let none = || py.None().into_bound(py);
        let values = s.fields().iter().map(|field| {
            // SAFETY: the field is part of the element.
            let at = unsafe { at.add(field.offset) };
            let elem = match field.ty {
                Type::Struct(inner) => Elem::Struct(inner),
                Type::Elem(elem) => elem,
                Type::Array { elem, ndim } => {
                    // SAFETY: of an array its description lies there.
                    let array = unsafe { nested_arrays::read(py, at, (elem, ndim), owner) }?;
                    return Ok(array.unwrap_or_else(none));
                }
                _ => return Ok(none()),
            };
            // SAFETY: as above.
            unsafe { read(py, elem, at, owner) }
        });
        let values = PyList::new(py, values.collect::<PyResult<Vec<_>>>()?)?;
        if s.is_indexed() {
            let data = values.get_item(0)?;
            if data.is_none() {
                return Ok(data);
            }
            let indices = values.get_slice(1, values.len());
            return PACKAGE.indexed_array.call(py, (data, indices));
        }
        return class_of(py, elem)?.call_method1(pyo3::intern!(py, "_of"), (values,));
    }
    if let Elem::Scalar(scalar) = elem {
        // SAFETY: promised by the caller.
        return number_object(py, unsafe { Number::read(scalar, at) });
    }
    // SAFETY: the components of an element lie side by side.
    let bytes = unsafe { std::slice::from_raw_parts(at, elem.size()) };
    let name = pyo3::intern!(py, "from_buffer_copy");
    class_of(py, elem)?.call_method1(name, (PyBytes::new(py, bytes),))
}
