//! Elements as Python's own values: `item()`, and arrays of one element as numbers, as NumPy has them.
//!
//! NumPy makes numbers of arrays without dimensions. Ours have at least one, so that the array of one element is what a number
//! is made of. Only `__index__` is refused as NumPy refuses it: other libraries ask for it before they read an array, and an
//! array of indices would lose its dimension where it happens to hold one.

use crate::dtype;
use crate::object::Array;
use crate::object::access::check_access;
use crate::object::error::{Code, error, refuse};
use crate::object::part::read_element;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyTuple};
use smallvec::SmallVec;
use warp_core::array::{Index, Number, Owner};
use warp_core::ty::{Elem, MAX_NDIM};

/// `a.item(*args)`: the only element, the one at a position in row-major order, or the one at an index.
///
/// # Errors
/// There is no such element, or a trace is running.
pub fn item<'py>(
    array: &Bound<'py, Array>,
    args: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, view) = (array.py(), array.get().view());
    let layout = view.layout();
    let numbers = match args.get_item(0) {
        Ok(only) if args.len() == 1 => only.cast_into::<PyTuple>().unwrap_or_else(|_| args.clone()),
        _ => args.clone(),
    };
    let mut at: SmallVec<[i64; MAX_NDIM]> = SmallVec::new();
    for number in numbers.iter() {
        at.push(number.extract()?);
    }
    let count = layout.len() as i64;
    if at.is_empty() && count == 1 {
        at.push(0);
    } else if at.is_empty() {
        return Err(error(
            Code::Value,
            format!("item: the array has {count} elements, expected 1; say which: a.item(i)"),
        ));
    }
    let dims = layout.shape();
    if at.len() == 1 {
        at = unravelled(at[0], dims, count)?;
    } else if at.len() != dims.len() {
        return Err(error(
            Code::Value,
            format!(
                "item: {} indices for an array of {} dimensions",
                at.len(),
                dims.len()
            ),
        ));
    }
    let at: SmallVec<[Index; MAX_NDIM]> = at.into_iter().map(Index::At).collect();
    let (offset, _) = layout.index(&at).map_err(refuse(py, "item"))?;
    check_access(&array.get().core, "item")?;
    // SAFETY: the offset is that of an element, and the owner keeps it.
    read_element(py, &array.get().core, offset, |at, owner| unsafe {
        dtype::read(py, view.elem, at, Some(owner))
    })
}

/// A position in row-major order as an index.
fn unravelled(position: i64, dims: &[i32], count: i64) -> PyResult<SmallVec<[i64; MAX_NDIM]>> {
    let mut rest = if position < 0 {
        position + count
    } else {
        position
    };
    if !(0..count).contains(&rest) {
        let text =
            format!("item: position {position} is out of range, the array has {count} elements");
        return Err(error(Code::Index, text));
    }
    let mut at: SmallVec<[i64; MAX_NDIM]> = SmallVec::from_elem(0, dims.len());
    for (i, n) in at.iter_mut().zip(dims).rev() {
        (*i, rest) = (rest % i64::from(*n), rest / i64::from(*n));
    }
    Ok(at)
}

/// The number that an array of one number holds; otherwise what it holds instead.
fn only(array: &Array, use_: &str) -> PyResult<Result<Number, String>> {
    let view = array.view();
    let count = view.layout().len();
    if let Elem::Struct(s) = view.elem {
        return Ok(Err(format!("{count} structs ({})", s.describe())));
    }
    let count = count * view.elem.count();
    if count != 1 {
        return Ok(Err(format!("{count} numbers")));
    }
    check_access(&array.core, use_)?;
    // SAFETY: there is an element, which is one scalar, and the owner keeps it.
    let read = |at: *const u8, _: &Owner| Ok(unsafe { Number::read(view.elem.scalar(), at) });
    Python::attach(|py| read_element(py, &array.core, 0, read)).map(Ok)
}

fn number(array: &Array, use_: &str) -> PyResult<Number> {
    only(array, use_)?.map_err(|held| {
        error(
            Code::Type,
            format!("{use_}: the array holds {held}, expected one; say which: a.item(i)"),
        )
    })
}

/// `float(a)`, or what else `use_` names.
///
/// # Errors
/// The array does not hold one number, or a trace is running.
pub fn float(array: &Array, use_: &str) -> PyResult<f64> {
    Ok(match number(array, use_)? {
        Number::Bool(b) => f64::from(u8::from(b)),
        Number::Int(i) => i as f64,
        Number::Float(f) => f,
    })
}

/// `int(a)`; a float is cut towards zero.
///
/// # Errors
/// The array does not hold one number, that is no finite one, or a trace is running.
pub fn int<'py>(py: Python<'py>, array: &Array) -> PyResult<Bound<'py, PyAny>> {
    match number(array, "int")? {
        Number::Bool(b) => Ok(i64::from(b).into_pyobject(py)?.into_any()),
        Number::Int(i) => Ok(i.into_pyobject(py)?.into_any()),
        Number::Float(f) => PyFloat::new(py, f).call_method0("__int__"),
    }
}

/// What `operator.index(a)` raises.
#[cold]
pub fn no_index() -> PyErr {
    error(
        Code::Type,
        "an array is no index, also where it holds one integer; write int(a) or a.item()",
    )
}
